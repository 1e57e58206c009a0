package agent

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/activity"
	"orgd/domain/domaintest"
	"orgd/domain/identity"
	"orgd/domain/revision"
)

func TestHire(t *testing.T) {
	p := parseNew(t, ada(`"authority":{"reports_to":"Bob"},"personality_preset":"calm","metadata":{"a":null}`))
	got, err := Hire(adaID, p.Resolve(people).In(domaintest.Name("PLATFORM")), because(on(0), "growth"))
	if err != nil {
		t.Fatalf("Hire = %v", err)
	}
	c := identity.Default()
	c.ID, c.Name, c.Role, c.Department = adaID, domaintest.Name("Ada"), "Engineer", domaintest.Name("PLATFORM")
	c.HiringDate = "2026-01-31"
	c.Authority.ReportsTo = new(bobID)
	c.Metadata = `{"a":null}`
	want := Agent{
		Identity: c, Text: c.Canonical(), Preset: new("calm"), Version: 1, Revision: 1, OrderKey: adaID, CreatedAt: dawn, UpdatedAt: dawn,
	}
	if diff := cmp.Diff(want, got.Agent); diff != "" {
		t.Errorf("Hire (-want +got):\n%s", diff)
	}
	version := identity.First(c, "root", dawn)
	version.Reason = new("growth")
	if diff := cmp.Diff(&version, got.Version); diff != "" {
		t.Errorf("version (-want +got):\n%s", diff)
	}
	if got.From != 0 || got.Deleted || !got.Effective() {
		t.Errorf("step = from %d, deleted %t, effective %t, want a new agent", got.From, got.Deleted, got.Effective())
	}
	if want := (revision.Tag{ID: adaID, Revision: 1}); got.Agent.Tag() != want {
		t.Errorf("Tag = %+v, want %+v", got.Agent.Tag(), want)
	}
}

// What was read of a new agent when its request was checked is what reading it
// again would give, and hiring does not change it.
func TestHireOfWhatWasRead(t *testing.T) {
	p := parseNew(t, ada(`"authority":{"reports_to":"Bob","can_delegate_to":["Bob"]},"tier":"small","personality_preset":"calm",`+
		`"model_requirement":{"a":1},"level":"vp","status":"on_leave","skills":{"primary":[{"id":"go","name":"Go"}]},"metadata":{"a":null}`))
	again := p.Only(func(string) bool { return true })
	for range 2 {
		got, err := Hire(adaID, p, on(0))
		if err != nil {
			t.Fatalf("Hire = %v", err)
		}
		want, err := Hire(adaID, again, on(0))
		if diff := cmp.Diff(want.Agent, got.Agent); diff != "" || err != nil {
			t.Errorf("Hire = %v (-read again +read once):\n%s", err, diff)
		}
	}
	less, err := Hire(adaID, p.Only(func(field string) bool { return field != "level" }), on(0))
	if err != nil || less.Agent.Identity.Level != identity.Mid {
		t.Errorf("Hire with fewer fields = %+v, %v, want the default level", less.Agent, err)
	}
}

func TestHireRefuses(t *testing.T) {
	for text, want := range map[string]error{
		`"authority":{"reports_to":"Eve"}`:           identity.ErrUnknownReference,
		`"authority":{"can_delegate_to":["Eve"]}`:    identity.ErrUnknownReference,
		`"authority":{"reports_to":"` + adaID + `"}`: identity.ErrCombination, // once the id is hers
	} {
		if _, err := Hire(adaID, parseNew(t, ada(text)), on(0)); !errors.Is(err, want) || domaintest.Code(err) != 2000 {
			t.Errorf("Hire(%s) = %v, want %v", text, err, want)
		}
	}
}

func TestChange(t *testing.T) {
	a := hire(t, "")
	got, err := a.Change(patch(t, `{"role":"Lead"}`), because(on(5), "earned"))
	if err != nil {
		t.Fatalf("Change = %v", err)
	}
	want := a
	want.Identity.Role, want.Version, want.Revision, want.UpdatedAt = "Lead", 2, 2, on(5).At
	want.Text = want.Identity.Canonical()
	if diff := cmp.Diff(want, got.Agent); diff != "" {
		t.Errorf("Change (-want +got):\n%s", diff)
	}
	version := identity.Version{Number: 1}.Next(want.Identity, "root", on(5).At)
	version.Reason = new("earned")
	if diff := cmp.Diff(&version, got.Version); diff != "" {
		t.Errorf("version (-want +got):\n%s", diff)
	}
	if got.From != 1 || !got.Effective() || len(got.Events) != 0 {
		t.Errorf("step = from %d, effective %t, events %v, want from 1 without events", got.From, got.Effective(), got.Events)
	}
}

// What is not part of the identity raises the revision and makes no version.
func TestChangeUnversioned(t *testing.T) {
	a := hire(t, `"model_requirement":{"min":1},"owner":"ann","tags":["b","a"]`)
	for _, text := range []string{
		`{"personality_preset":"bold"}`, `{"tier":"large"}`, `{"model_requirement":{"max":2}}`, `{"model_requirement":null}`,
		`{"owner":"https://idp.example.com|😀"}`, `{"owner":null}`, `{"tags":[]}`, `{"tags":["b"]}`, `{"tags":["a","b"]}`,
		`{"tags":["0","1","2","3","4","5","6","7","8","9","a.b","c_d","e-f","g","h","` + strings.Repeat("z", MaxTag) + `"]}`,
	} {
		got, err := a.Change(patch(t, text), on(1))
		if err != nil {
			t.Fatalf("Change(%s) = %v", text, err)
		}
		if got.Version != nil || got.Agent.Version != 1 || got.Agent.Revision != 2 || len(got.Events) != 0 || !got.Effective() {
			t.Errorf("Change(%s) = %+v, want revision 2, version 1, no events", text, got)
		}
		if diff := cmp.Diff(a.Identity, got.Agent.Identity); diff != "" {
			t.Errorf("Change(%s) has changed the identity (-want +got):\n%s", text, diff)
		}
	}
}

func TestChangeWithoutEffect(t *testing.T) {
	a := hire(t, `"tier":"small","model_requirement":{"a":{"b":1}},"owner":"ann","tags":["b","a"],"metadata":{"n":1.0,"s":"x"},`+
		`"personality":{"traits":["calm"]},"authority":{"reports_to":"Bob","can_delegate_to":["Bob"]},`+
		`"model":{"provider":"p","model_id":"m"}`)
	for _, text := range []string{
		`{}`,
		`{"name":"Ada","role":"Engineer","department":"Platform","level":"mid","status":"active"}`,
		`{"name":" Ada "}`,
		`{"personality":{"openness":0.50,"traits":["calm"]}}`,
		`{"metadata":{"n":1e0,"gone":null}}`,
		`{"metadata":{}}`,
		`{"tier":"small","personality_preset":null,"model_requirement":{"a":{}},"owner":"ann","tags":["b","a"]}`,
		`{"model_provider":"p","model_id":"m"}`,
		`{"model":{"temperature":0.7}}`,
		`{"autonomy_level":null,"memory":{"retention_days":null,"retention_overrides":[]}}`,
		`{"authority":{"reports_to":"` + strings.ToUpper(bobID) + `","can_delegate_to":["Bob"],"budget_limit":0.0}}`,
	} {
		got, err := a.Change(patch(t, text), because(on(9), "why"))
		if diff := cmp.Diff(Step{Agent: a, From: 1}, got); diff != "" || err != nil {
			t.Errorf("Change(%s) = %v (-want +got):\n%s", text, err, diff)
		}
		if got.Effective() {
			t.Errorf("Change(%s) is effective", text)
		}
	}
}

// A department is a name: written in other letters it is the same department,
// and its agents show it as it writes itself.
func TestChangeOfDepartment(t *testing.T) {
	a := hire(t, "")
	p := patch(t, `{"department":"PLATFORM"}`)
	if got := p.Department(); got == nil || got.Key != "platform" {
		t.Fatalf("Department = %v, want platform", got)
	}
	s, err := a.Change(p.Resolve(people).In(domaintest.Name("Platform")), on(1))
	if err != nil || s.Effective() {
		t.Errorf("Change to the same department = %+v, %v, want no effect", s, err)
	}
	s, err = a.Change(patch(t, `{"department":"ops"}`).Resolve(people).In(domaintest.Name("Ops")), on(1))
	if err != nil || s.Agent.Department().Text != "Ops" || len(s.Events) != 0 || s.Agent.OrderKey != a.OrderKey {
		t.Errorf("Change of department = %+v, %v, want Ops, the same place, no events", s, err)
	}
}

func TestChangeRefuses(t *testing.T) {
	for _, tc := range []struct {
		before, patch string
		want          error
	}{
		{`"level":"junior"`, `{"autonomy_level":"full"}`, identity.ErrCombination},
		{``, `{"model":{"temperature":1}}`, identity.ErrCombination},
		{``, `{"authority":{"reports_to":"Ada"}}`, identity.ErrCombination},
		{``, `{"authority":{"reports_to":"Eve"}}`, identity.ErrUnknownReference},
	} {
		a := hire(t, tc.before)
		if s, err := a.Change(patch(t, tc.patch), on(1)); !errors.Is(err, tc.want) || domaintest.Code(err) != 2000 {
			t.Errorf("{%s}.Change(%s) = %+v, %v, want 2000 %v", tc.before, tc.patch, s, err, tc.want)
		}
	}
}

// A combination that the patch itself resolves is fine.
func TestChangeOfBothSides(t *testing.T) {
	for _, tc := range [][2]string{
		{`"autonomy_level":"full"`, `{"level":"junior","autonomy_level":null}`},
		{`"memory":{"retention_days":3}`, `{"memory":{"type":"none","retention_days":null}}`},
		{`"tools":{"denied":["rm"]}`, `{"tools":{"allowed":["rm"],"denied":[]}}`},
		{`"model":{"provider":"p","model_id":"m"}`, `{"model":{"temperature":1}}`},
	} {
		if s, err := hire(t, tc[0]).Change(patch(t, tc[1]), on(1)); err != nil || !s.Effective() {
			t.Errorf("{%s}.Change(%s) = %+v, %v, want an effect", tc[0], tc[1], s, err)
		}
	}
}

// Times of one agent ascend, even if the clock steps back.
func TestTimesAscend(t *testing.T) {
	a := hire(t, "")
	s, err := a.Change(patch(t, `{"role":"Lead","level":"lead"}`), on(-1000))
	if err != nil {
		t.Fatalf("Change = %v", err)
	}
	for what, at := range map[string]time.Time{
		"updated_at": s.Agent.UpdatedAt, "saved_at": s.Version.SavedAt,
		"event": s.Events[0].At, "fired": a.Fire(on(-1000)).Events[0].At,
	} {
		if want := dawn.Add(time.Millisecond); !at.Equal(want) {
			t.Errorf("%s = %v, want %v", what, at, want)
		}
	}
}

func TestFire(t *testing.T) {
	a := hire(t, "")
	got := a.Fire(on(7))
	if diff := cmp.Diff(a, got.Agent); diff != "" {
		t.Errorf("Fire (-want +got):\n%s", diff)
	}
	if got.From != 1 || !got.Deleted || !got.Effective() || got.Version != nil {
		t.Errorf("Fire = %+v, want a deletion from revision 1", got)
	}
	if len(got.Events) != 1 || got.Events[0].Type != activity.Fired || !got.Events[0].At.Equal(on(7).At) || got.Events[0].By != "root" {
		t.Errorf("Fire events = %+v, want one fired", got.Events)
	}
}

func TestProfileAndPosition(t *testing.T) {
	a := hire(t, "")
	if got, want := a.Profile("d-1"), (Profile{ID: adaID, Name: domaintest.Name("Ada"), Department: "platform", DepartmentID: "d-1"}); got != want {
		t.Errorf("Profile = %+v, want %+v", got, want)
	}
	if want := (Position{OrderKey: adaID, ID: adaID, Name: "ada"}); a.Position() != want {
		t.Errorf("Position = %+v, want %+v", a.Position(), want)
	}
}

var statuses = []identity.Status{identity.Active, identity.Onboarding, identity.OnLeave, identity.Terminated}

// allowed is the table of moves, from then to.
var allowed = map[[2]identity.Status]bool{
	{identity.Onboarding, identity.Active}:     true,
	{identity.Onboarding, identity.Terminated}: true,
	{identity.Active, identity.OnLeave}:        true,
	{identity.Active, identity.Terminated}:     true,
	{identity.OnLeave, identity.Active}:        true,
	{identity.OnLeave, identity.Terminated}:    true,
	{identity.Terminated, identity.Onboarding}: true,
	{identity.Terminated, identity.Active}:     true,
}

// expected repeats the table of events from the event's point of view; an empty
// from is a creation.
func expected(from, to identity.Status, levels int) []activity.Type {
	moved := from != to
	var want []activity.Type
	add := func(t activity.Type, when bool) {
		if when {
			want = append(want, t)
		}
	}
	add(activity.Hired, from == "" || from == identity.Terminated && moved)
	add(activity.Onboarded, to == identity.Active && (from == "" || from == identity.Onboarding || from == identity.Terminated))
	add(activity.StatusChanged, from != "" && moved || from == "" && (to == identity.OnLeave || to == identity.Terminated))
	add(activity.Offboarded, to == identity.Terminated && moved)
	add(activity.Promoted, levels > 0)
	add(activity.Demoted, levels < 0)
	return want
}

// checkEvents compares the events of one change with the table.
func checkEvents(t *testing.T, what string, got []activity.Event, want []activity.Type, at time.Time, version string) {
	t.Helper()
	var types []activity.Type
	for i, e := range got {
		types = append(types, e.Type)
		if string(e.ID) != fmt.Sprintf("event-%d", i+1) || !e.At.Equal(at) || e.By != "root" || e.AgentID != adaID || e.AgentName != "Ada" {
			t.Errorf("%s: event %d = %+v, want ascending ids and one time", what, i, e)
		}
		if v, _ := e.Metadata.Value().Get("version"); v.Text() != version {
			t.Errorf("%s: metadata of %s = %s, want version %s", what, e.Type, e.Metadata, version)
		}
	}
	if diff := cmp.Diff(want, types); diff != "" {
		t.Errorf("%s: events (-want +got):\n%s", what, diff)
	}
}

func TestEventsOfCreation(t *testing.T) {
	for _, to := range statuses {
		s, err := Hire(adaID, parseNew(t, ada(fmt.Sprintf(`"status":%q,"level":"vp"`, to))), on(0))
		if err != nil {
			t.Fatalf("Hire as %s = %v", to, err)
		}
		checkEvents(t, "created as "+string(to), s.Events, expected("", to, 0), dawn, "1")
	}
}

// Every move between statuses, beside every direction of the level, by a patch
// and by a rollback.
func TestMoves(t *testing.T) {
	levels := map[int]identity.Level{-1: identity.Junior, 0: identity.Mid, 1: identity.CSuite}
	for _, from := range statuses {
		for _, to := range statuses {
			for by, level := range levels {
				what := fmt.Sprintf("%s to %s, level by %d", from, to, by)
				a := hire(t, fmt.Sprintf(`"status":%q`, from))
				s, err := a.Change(patch(t, fmt.Sprintf(`{"status":%q,"level":%q}`, to, level)), on(3))
				target := identity.Version{Number: 7, Content: a.Identity}
				target.Content.Status, target.Content.Level = to, level
				r, rollbackErr := a.Rollback(target, on(3))
				if from != to && !allowed[[2]identity.Status{from, to}] {
					if !errors.Is(err, ErrMove) || domaintest.Code(err) != 4000 {
						t.Errorf("%s: Change = %+v, %v, want ErrMove", what, s, err)
					}
					if !errors.Is(rollbackErr, ErrRollback) || domaintest.Code(rollbackErr) != 4000 {
						t.Errorf("%s: Rollback = %+v, %v, want ErrRollback", what, r, rollbackErr)
					}
					continue
				}
				if err != nil || rollbackErr != nil {
					t.Errorf("%s: Change = %v, Rollback = %v", what, err, rollbackErr)
					continue
				}
				checkEvents(t, what, s.Events, expected(from, to, by), on(3).At, "2")
				checkEvents(t, what+" by rollback", r.Events, expected(from, to, by), on(3).At, "2")
			}
		}
	}
}

func TestMetadataOfMoves(t *testing.T) {
	s, err := hire(t, `"status":"terminated"`).Change(patch(t, `{"status":"active","level":"senior"}`), on(1))
	if err != nil {
		t.Fatalf("Change = %v", err)
	}
	var got []string
	for _, e := range s.Events {
		got = append(got, string(e.Type)+" "+e.Metadata.String())
	}
	want := []string{
		`hired {"version":"2"}`,
		`onboarded {"from":"terminated","to":"active","version":"2"}`,
		`status_changed {"from":"terminated","to":"active","version":"2"}`,
		`promoted {"from":"mid","to":"senior","version":"2"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
}

func TestMoveSaysWhichWay(t *testing.T) {
	_, err := hire(t, `"status":"on_leave"`).Change(patch(t, `{"status":"onboarding"}`), on(1))
	if want := "status: an agent cannot go from on_leave to onboarding"; err == nil || err.Error() != want {
		t.Errorf("Change = %v, want %q", err, want)
	}
}

// What an agent says of itself changes nothing, whether it was hired just now or read from
// a store, and whether its lists are empty or were never there.
func TestChangeToItself(t *testing.T) {
	for _, more := range []string{
		``,
		`"skills":{"primary":[],"secondary":[]},"personality":{"traits":[]},"authority":{"can_approve":[],"can_delegate_to":[]},` +
			`"tools":{"allowed":[],"denied":[]},"memory":{"retention_overrides":[]},"metadata":{},"model_requirement":{}`,
		`"skills":{"primary":[{"id":"go","name":"Go","tags":[],"proficiency":0}]},"personality":{"openness":0,"stress_response":1.0},` +
			`"model":{"provider":"p","model_id":"m","temperature":0},"authority":{"budget_limit":0},"tools":{"sub_constraints":{}}`,
	} {
		hired := hire(t, more)
		stored, err := hired.Record().Agent()
		if err != nil {
			t.Fatal(err)
		}
		for _, a := range []Agent{hired, stored} {
			for _, text := range []string{hired.Record().Identity, hired.Unversioned()} {
				own := domaintest.JSON(t, text).Only(func(field string) bool { return field != "id" && field != "hiring_date" })
				p, err := ParsePatch(own)
				if err != nil {
					t.Fatal(err)
				}
				got, err := a.Change(p.Resolve(people), on(9))
				if err != nil || got.Effective() {
					t.Errorf("agent with %s: its own text makes %+v, %v, want no change", more, got, err)
				}
			}
		}
	}
}
