package agent

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/domaintest"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
)

func entry(t testing.TB, text string) Patch {
	t.Helper()
	p, err := ParseEntry("agents[3]", domaintest.JSON(t, text))
	if err != nil {
		t.Fatalf("ParseEntry(%.80s) = %v", text, err)
	}
	return p.Resolve(people)
}

// byName shows the people of these tests.
func byName(id identity.ID) (string, bool) {
	for text, other := range people {
		if other == id && text != string(id) {
			return text, true
		}
	}
	return "", false
}

func written(write func(*jsondoc.Writer)) jsondoc.Value {
	w := jsondoc.NewWriter(nil)
	w.Open()
	write(w)
	w.Close()
	v, err := jsondoc.ParseStored(w.Bytes())
	if err != nil {
		panic(err)
	}
	return v
}

func fieldsOf(v jsondoc.Value, without ...string) []string {
	var names []string
	for _, m := range v.Members() {
		if !slices.Contains(without, m.Name) {
			names = append(names, m.Name)
		}
	}
	slices.Sort(names)
	return names
}

// An entry has every field that a client may write.
func TestEntryIsComplete(t *testing.T) {
	a := hire(t, `"model":{"provider":"p","model_id":"m"},"authority":{"reports_to":"Bob","can_delegate_to":["Bob"]}`)
	shown := written(a.Record().Write)
	asEntry := written(func(w *jsondoc.Writer) { a.WriteEntry(w, byName) })
	if diff := cmp.Diff(fieldsOf(shown, "id", "version", "revision", "created_at", "updated_at"), fieldsOf(asEntry)); diff != "" {
		t.Errorf("fields of an entry (-want +got):\n%s", diff)
	}
	for _, m := range asEntry.Members() {
		want, _ := shown.Get(m.Name)
		if m.Name == "authority" {
			want = domaintest.JSON(t, `{"budget_limit":0,"can_approve":[],"can_delegate_to":["Bob"],"reports_to":"Bob"}`)
		}
		if !m.Value.Equal(want) {
			t.Errorf("%s = %s, want %s", m.Name, m.Value, want)
		}
	}
	again, err := entry(t, asEntry.String()).New()
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	s, err := Hire(adaID, again.Resolve(people), on(0))
	if err != nil || s.Agent.Identity.Canonical() != a.Identity.Canonical() {
		t.Errorf("Hire of the entry = %s, %v, want the same agent", s.Agent.Identity.Canonical(), err)
	}
}

// Agents that are gone are null or left out.
func TestEntryWithoutThoseGone(t *testing.T) {
	a := hire(t, `"authority":{"reports_to":"0190a1b2-0000-7000-8000-0000000000ff","can_delegate_to":["0190a1b2-0000-7000-8000-0000000000ff","Bob"]}`)
	got, _ := written(func(w *jsondoc.Writer) { a.WriteEntry(w, byName) }).Get("authority")
	if want := domaintest.JSON(t, `{"budget_limit":0,"can_approve":[],"can_delegate_to":["Bob"],"reports_to":null}`); !got.Equal(want) {
		t.Errorf("authority = %s, want %s", got, want)
	}
}

// An entry merges into objects with fields of their own and replaces free-form
// ones.
func TestEntryChanges(t *testing.T) {
	a := hire(t, `"metadata":{"a":1,"b":2},"model_requirement":{"x":1},"personality":{"openness":0.9,"creativity":"low"},"hiring_date":"2026-01-02"`)
	s, err := a.Change(entry(t, `{"name":"Ada","hiring_date":"2026-01-02","metadata":{"b":null,"c":3},"model_requirement":{"y":2},"personality":{"openness":0.1}}`), on(1))
	if err != nil {
		t.Fatalf("Change = %v", err)
	}
	next := s.Agent
	if next.Identity.Metadata != `{"b":null,"c":3}` || *next.ModelRequirement != `{"y":2}` {
		t.Errorf("Change left %s, %s, want what the entry says", next.Identity.Metadata, *next.ModelRequirement)
	}
	if p := next.Identity.Personality; p.Openness != "0.1" || p.Creativity != "low" {
		t.Errorf("Change left %+v, want only another openness", p)
	}
	if s, err = next.Change(entry(t, `{"name":"Ada"}`), on(2)); err != nil || s.Effective() {
		t.Errorf("Change by a name = %+v, %v, want no effect", s, err)
	}
}

func TestEntryErrorsSayWhere(t *testing.T) {
	for text, want := range map[string]string{
		`1`:                      "agents[3]: must be an object, not a number",
		`{"level":"x","nmae":1}`: "agents[3].level: must be one of junior, mid, senior, lead, principal, director, vp, c_suite; agents[3].nmae: unknown field",
		`{"level":"junior","autonomy_level":"full"}`:  "agents[3].autonomy_level: a junior agent must not have full autonomy",
		`{"model_id":"x"}`:                            "agents[3].model_provider, model_id: give both or neither",
		`{"hiring_date":"x"}`:                         "agents[3].hiring_date: must be a date such as 2026-01-31",
		`{"name":"a\u0000"}`:                          "agents[3].name: ",
		`{"skills":{"primary":[{"id":"a"}]}}`:         "agents[3].skills.primary[0].name: is required",
		`{"metadata":[]}`:                             "agents[3].metadata: must be an object",
		`{"authority":{"can_delegate_to":["a","a"]}}`: "agents[3].authority.can_delegate_to[1]: must not repeat item 0",
	} {
		if _, err := ParseEntry("agents[3]", domaintest.JSON(t, text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("ParseEntry(%s) = %v, want %s", text, err, want)
		}
	}
	a := hire(t, `"hiring_date":"2026-01-02","status":"onboarding"`)
	for text, want := range map[string]string{
		`{"hiring_date":"2026-01-03"}`:          "agents[3].hiring_date: cannot change from 2026-01-02",
		`{"status":"on_leave"}`:                 "agents[3].status: an agent cannot go from onboarding to on_leave",
		`{"model":{"temperature":1}}`:           "agents[3].model: provider and model_id are both required",
		`{"authority":{"reports_to":"Nobody"}}`: "agents[3].authority.reports_to: there is no agent \"Nobody\"",
		`{"authority":{"reports_to":"Ada"}}`:    "agents[3].authority.reports_to: an agent must not report to itself",
	} {
		if _, err := a.Change(entry(t, text), on(1)); err == nil || err.Error() != want {
			t.Errorf("Change(%s) = %v, want %s", text, err, want)
		}
	}
	if _, err := a.Change(entry(t, `{"status":"on_leave"}`), on(1)); !errors.Is(err, ErrMove) {
		t.Errorf("Change = %v, want ErrMove", err)
	}
}

func TestEntryOfANewAgent(t *testing.T) {
	if _, err := entry(t, `{"name":"Ada","model":{"temperature":1}}`).New(); err == nil ||
		err.Error() != "agents[3].role: is required; agents[3].department: is required" {
		t.Errorf("New = %v, want the fields that are missing", err)
	}
	if _, err := entry(t, ada(`"model":{"temperature":1}`)).New(); err == nil ||
		err.Error() != "agents[3].model: provider and model_id are both required" {
		t.Errorf("New = %v, want ErrCombination", err)
	}
}

func TestEntryOnly(t *testing.T) {
	a := hire(t, `"model":{"provider":"p","model_id":"m","max_tokens":5}`)
	p := entry(t, ada(`"level":"vp","model_provider":"q","model_id":"n"`))
	model := func(field string) bool { return field == "model" }
	s, err := a.Change(p.Only(model), on(1))
	if err != nil || s.Agent.Identity.Level != a.Identity.Level || s.Agent.Identity.Model.Provider != "q" || s.Agent.Identity.Model.MaxTokens != 5 {
		t.Errorf("Change = %+v, %v, want only another model", s.Agent.Identity.Model, err)
	}
	if p.Only(model).Department() != nil || p.Only(func(f string) bool { return f == "department" }).Department() == nil {
		t.Error("Only does not keep the department where it should")
	}
}
