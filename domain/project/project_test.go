package project

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/domain/domaintest"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/revision"
)

const (
	adaID  = "0190a1b2-0000-7000-8000-00000000000a"
	bobID  = "0190a1b2-0000-7000-8000-00000000000b"
	goneID = "0190a1b2-0000-7000-8000-0000000000ff"
)

// people are the agents that exist, in the spellings that these tests use.
var people = identity.References{"Ada": adaID, "ADA": adaID, adaID: adaID, "Bob": bobID}

var dawn = time.Date(2026, 1, 31, 23, 59, 59, 999e6, time.UTC)

func after(ms int) time.Time { return dawn.Add(time.Duration(ms) * time.Millisecond) }

func patch(t testing.TB, text string) Patch {
	t.Helper()
	return domaintest.Read(t, ParsePatch, text).Resolve(people)
}

// start makes the project Apollo, with more members given as JSON text.
func start(t testing.TB, more string) Project {
	t.Helper()
	if more != "" {
		more = "," + more
	}
	p, err := ParseNew(domaintest.JSON(t, `{"name":"Apollo"`+more+`}`))
	if err != nil {
		t.Fatalf("ParseNew(%s) = %v", more, err)
	}
	made, err := New("proj-000000000001", p.Resolve(people), dawn)
	if err != nil {
		t.Fatalf("New(%s) = %v", more, err)
	}
	return made
}

func quote(s string, n int) string { return strconv.Quote(strings.Repeat(s, n)) }

func list(n int) string {
	items := make([]string, n)
	for i := range items {
		items[i] = fmt.Sprintf(`"i%d"`, i)
	}
	return "[" + strings.Join(items, ",") + "]"
}

func TestNewID(t *testing.T) {
	at := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	if got := NewID(at, 0xab); got != "proj-697deec000ab" {
		t.Errorf("NewID = %s, want proj-697deec000ab", got)
	}
	if got, err := ParseID("proj-697deec000ab"); got != "proj-697deec000ab" || err != nil {
		t.Errorf("ParseID = %s, %v, want the same", got, err)
	}
	for _, s := range []string{"", "proj-", "697deec000ab", "proj-697deec000a", "proj-697deec000abc", "proj-697DEEC000AB", "PROJ-697deec000ab", "proj-697deec000ag", adaID} {
		if got, err := ParseID(s); !errors.Is(err, ErrNotFound) || domaintest.Code(err) != 3000 {
			t.Errorf("ParseID(%q) = %q, %v, want ErrNotFound", s, got, err)
		}
	}
}

// Ids sort by the second of their making, and every id parses.
func TestIDsSortByAge(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		second := rapid.Int64Range(0, 1<<32-2)
		a, b := second.Draw(t, "a"), second.Draw(t, "b")
		x := NewID(time.Unix(a, 0), rapid.Uint16().Draw(t, "x"))
		y := NewID(time.Unix(b, 0), rapid.Uint16().Draw(t, "y"))
		if a < b && x >= y || a > b && x <= y {
			t.Errorf("%s of second %d and %s of second %d are out of order", x, a, y, b)
		}
		if got, err := ParseID(string(x)); got != x || err != nil {
			t.Errorf("ParseID(%s) = %s, %v", x, got, err)
		}
	})
}

func TestNew(t *testing.T) {
	want := Project{
		ID: "proj-000000000001", Name: "Apollo", Description: "To the moon.", Team: []string{bobID, adaID}, Lead: new(adaID),
		Deadline: new(time.Date(2026, 3, 1, 9, 0, 0, 5e6, time.UTC)), Budget: 12_500_000_000,
		Status: Planning, Revision: 1, CreatedAt: dawn, UpdatedAt: dawn,
	}
	got := start(t, `"description":"To the moon.","team":["Bob","ADA"],"lead":"Ada","deadline":"2026-03-01T10:00:00.0059+01:00","budget":12.50`)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("New (-want +got):\n%s", diff)
	}
	if p := start(t, `"deadline":"2026-03-01"`); p.Deadline == nil || !p.Deadline.Equal(time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)) {
		t.Errorf("a deadline of 2026-03-01 = %v, want its midnight in UTC", p.Deadline)
	}
	const defaults = `{"name":"Apollo","description":"","team":[],"lead":null,"task_ids":[],"deadline":null,"budget":0,"status":"planning"}`
	if diff := cmp.Diff(defaults, string(start(t, "").Canonical())); diff != "" {
		t.Errorf("New with a name only (-want +got):\n%s", diff)
	}
	if tag := (revision.Tag{ID: "proj-000000000001", Revision: 1}); want.Tag() != tag {
		t.Errorf("Tag = %+v, want %+v", want.Tag(), tag)
	}
	for text, problem := range map[string]string{
		`{}`:                               "name: is required",
		`[]`:                               "the document must be an object",
		`{"name":"a","status":"planning"}`: "status: can be changed once the project is there",
		`{"name":"a","task_ids":[]}`:       "task_ids: can be changed once the project is there",
		`{"name":"a","id":"x"}`:            "id: is read-only",
	} {
		if _, err := ParseNew(domaintest.JSON(t, text)); domaintest.Code(err) != 2001 || !strings.HasPrefix(err.Error(), problem) {
			t.Errorf("ParseNew(%s) = %v, want 2001 %q", text, err, problem)
		}
	}
}

// A good value comes back as it is, a bad one is refused with its name.
func TestFields(t *testing.T) {
	for _, f := range []struct {
		name      string
		good, bad []string
	}{
		{"name", []string{`"Apollo"`, quote("é", 256), `"a/b"`}, []string{`""`, `" "`, `".."`, quote("x", 257), `"` + adaID + `"`, `"a\nb"`, `null`, `1`}},
		{"description", []string{`""`, quote("é", 4096)}, []string{quote("x", 4097), `null`}},
		{"team", []string{`[]`, `["` + adaID + `"]`}, []string{`null`, `["Ada","Ada"]`, `[""]`, `["."]`, `[1]`, `"Ada"`, list(51)}},
		{"lead", []string{`null`, `"` + adaID + `"`}, []string{`""`, `".."`, quote("x", 129), `1`}},
		{"task_ids", []string{`[]`, list(1000), `[` + quote("é", 256) + `]`}, []string{list(1001), `["a","a"]`, `[""]`, `[` + quote("x", 257) + `]`, `null`}},
		{"deadline", []string{`null`, `"2026-01-31T12:00:00.000Z"`, `"0001-01-01T00:00:00.000Z"`}, []string{`""`, `"2026-1-31"`, `"2026-02-29"`, `"2026-02-29T00:00:00Z"`, `1`}},
		{"budget", []string{"0", "999999999.999999999"}, []string{"-1", "1000000000", "1e-10", `null`, `"1"`}},
		{"status", []string{`"planning"`, `"active"`, `"cancelled"`}, []string{`""`, `"Active"`, `null`, `"done"`}},
		{"id", nil, []string{`"x"`}},
		{"revision", nil, []string{`1`}},
	} {
		for _, value := range f.good {
			p, err := start(t, "").Change(patch(t, `{"`+f.name+`":`+value+`}`), after(1))
			if err != nil {
				t.Errorf("%s %.60s refused: %v", f.name, value, err)
				continue
			}
			got, _ := domaintest.JSON(t, string(p.Canonical())).Get(f.name)
			if want := domaintest.JSON(t, value); !got.Equal(want) {
				t.Errorf("%s %.60s came back as %.60s", f.name, value, got)
			}
		}
		for _, value := range f.bad {
			_, err := ParsePatch(domaintest.JSON(t, `{"`+f.name+`":`+value+`}`))
			if domaintest.Code(err) != 2001 || !strings.HasPrefix(err.Error(), f.name) || strings.Contains(err.Error(), "; ") {
				t.Errorf("%s %.60s: error = %v, want one problem there", f.name, value, err)
			}
		}
	}
}

func TestTeamOfFifty(t *testing.T) {
	refs := identity.References{}
	for i := range 50 {
		refs[fmt.Sprintf("i%d", i)] = identity.ID(fmt.Sprintf("id-%d", i))
	}
	p, err := start(t, "").Change(patch(t, `{"team":`+list(50)+`}`).Resolve(refs), after(1))
	if err != nil || len(p.Team) != 50 {
		t.Errorf("Change to a team of 50 = %d, %v, want 50", len(p.Team), err)
	}
}

func TestReferencesMustExist(t *testing.T) {
	for text, want := range map[string]error{
		`{"lead":"Eve"}`:              identity.ErrUnknownReference,
		`{"lead":"` + goneID + `"}`:   identity.ErrUnknownReference,
		`{"team":["Ada","Eve"]}`:      identity.ErrUnknownReference,
		`{"team":["` + goneID + `"]}`: identity.ErrUnknownReference,
		`{"team":["Ada","ADA"]}`:      identity.ErrCombination,
	} {
		if p, err := start(t, "").Change(patch(t, text), after(1)); !errors.Is(err, want) || domaintest.Code(err) != 2000 {
			t.Errorf("Change(%s) = %+v, %v, want 2000 %v", text, p, err, want)
		}
	}
	p, err := ParseNew(domaintest.JSON(t, `{"name":"a","team":["Eve","Bob"],"lead":"Ada"}`))
	if diff := cmp.Diff([]string{"Eve", "Bob", "Ada"}, p.References()); diff != "" || err != nil {
		t.Errorf("References = %v (-want +got):\n%s", err, diff)
	}
	if _, err := New("proj-000000000001", p.Resolve(people), dawn); !errors.Is(err, identity.ErrUnknownReference) {
		t.Errorf("New with an unknown agent = %v, want ErrUnknownReference", err)
	}
}

// Agents that were deleted since stay behind their references, out of sight, and
// do not get in the way of other changes.
func TestAgentsThatAreGone(t *testing.T) {
	p := start(t, `"team":["Ada","Bob"],"lead":"Bob"`)
	p.Team, p.Lead = []string{adaID, goneID}, new(goneID)
	got, err := p.Change(patch(t, `{"description":"x"}`), after(1))
	if err != nil || *got.Lead != goneID || !slices.Equal(got.Team, p.Team) {
		t.Errorf("Change = %+v, %v, want the references as they were", got, err)
	}
	w := jsondoc.NewWriter(nil)
	w.Open()
	got.Write(w, func(id identity.ID) bool { return id == adaID })
	w.Close()
	const want = `{"id":"proj-000000000001","name":"Apollo","description":"x","team":["` + adaID + `"],"lead":null,"task_ids":[],` +
		`"deadline":null,"budget":0,"status":"planning","revision":2,"created_at":"2026-01-31T23:59:59.999Z","updated_at":"2026-02-01T00:00:00.000Z"}`
	if diff := cmp.Diff(want, string(w.Bytes())); diff != "" {
		t.Errorf("Write (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]identity.ID{adaID, goneID, goneID}, got.Agents()); diff != "" {
		t.Errorf("Agents (-want +got):\n%s", diff)
	}
}

func TestChange(t *testing.T) {
	p := start(t, `"team":["Ada"],"lead":"Ada","deadline":"2026-03-01T00:00:00Z","budget":5`)
	got, err := p.Change(patch(t, `{"name":" Gemini ","team":[],"lead":null,"deadline":null,"task_ids":["t-1"],"status":"active"}`), after(5))
	want := p
	want.Name, want.Team, want.Lead, want.Deadline, want.TaskIDs, want.Status = "Gemini", nil, nil, nil, []string{"t-1"}, Active
	want.Revision, want.UpdatedAt = 2, after(5)
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("Change = %v (-want +got):\n%s", err, diff)
	}
	if got, err = p.Change(patch(t, `{"budget":6}`), after(-5)); err != nil || !got.UpdatedAt.Equal(dawn.Add(time.Millisecond)) {
		t.Errorf("Change with an early clock = %v, %v, want just after the time before", got.UpdatedAt, err)
	}
	for _, text := range []string{
		`{}`, `{"name":"Apollo ","team":["ADA"],"lead":"` + adaID + `","deadline":"2026-03-01T01:00:00+01:00","budget":5.0,"status":"planning"}`,
	} {
		got, err := p.Change(patch(t, text), after(9))
		if diff := cmp.Diff(p, got); diff != "" || err != nil {
			t.Errorf("Change(%s) = %v, want no effect (-want +got):\n%s", text, err, diff)
		}
	}
}

func TestMoves(t *testing.T) {
	all := []Status{Planning, Active, OnHold, Completed, Cancelled}
	allowed := map[[2]Status]bool{
		{Planning, Active}: true, {Planning, Cancelled}: true,
		{Active, OnHold}: true, {Active, Completed}: true, {Active, Cancelled}: true,
		{OnHold, Active}: true, {OnHold, Cancelled}: true,
	}
	for _, from := range all {
		if got, err := ParseStatus(string(from)); got != from || err != nil {
			t.Errorf("ParseStatus(%s) = %s, %v", from, got, err)
		}
		for _, to := range all {
			p := start(t, "")
			p.Status = from
			got, err := p.Change(patch(t, fmt.Sprintf(`{"status":%q}`, to)), after(1))
			switch {
			case from == to:
				if err != nil || got.Revision != 1 {
					t.Errorf("%s to itself = %+v, %v, want no effect", from, got, err)
				}
			case allowed[[2]Status{from, to}]:
				if err != nil || got.Status != to || got.Revision != 2 {
					t.Errorf("%s to %s = %+v, %v, want the move", from, to, got, err)
				}
			case !errors.Is(err, ErrMove) || domaintest.Code(err) != 4000 || err.Error() != fmt.Sprintf("status: a project cannot go from %s to %s", from, to):
				t.Errorf("%s to %s = %+v, %v, want ErrMove", from, to, got, err)
			}
		}
	}
	if _, err := ParseStatus("done"); !errors.Is(err, ErrStatus) || domaintest.Code(err) != 2001 {
		t.Errorf("ParseStatus(done) = %v, want ErrStatus", err)
	}
}

func TestRoundTrip(t *testing.T) {
	for _, more := range []string{"", `"description":"d","team":["Bob","Ada"],"lead":"Ada","deadline":"2026-03-01T00:00:00.123Z","budget":0.000000001`} {
		p := start(t, more)
		p.Status, p.TaskIDs = Completed, []string{"t-1", "t-2"}
		want := p
		want.ID, want.Revision, want.CreatedAt, want.UpdatedAt = "", 0, time.Time{}, time.Time{}
		got, err := Parse(p.Canonical())
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Parse(%s) = %v (-want +got):\n%s", p.Canonical(), err, diff)
		}
	}
	if got, err := Parse([]byte(`{"name":"Old"}`)); err != nil || got.Status != Planning || got.Name != "Old" {
		t.Errorf("Parse of an older schema = %+v, %v, want defaults", got, err)
	}
	for _, text := range []string{``, `[]`, `{"x":1}`, `{"status":"?"}`} {
		if _, err := Parse([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), "project: parse: ") {
			t.Errorf("Parse(%s) = %v, want an error of this package", text, err)
		}
	}
}

func TestChangesInParallel(t *testing.T) {
	p := start(t, `"team":["Ada","Bob"],"lead":"Ada","deadline":"2026-03-01T00:00:00Z"`)
	want := string(p.Canonical())
	var wg sync.WaitGroup
	for _, text := range []string{`{}`, `{"team":["Bob"]}`, `{"lead":"Bob"}`, `{"deadline":null}`, `{"task_ids":["t"]}`, `{"status":"active"}`} {
		change := patch(t, text)
		for range 4 {
			wg.Go(func() {
				if _, err := p.Change(change, after(1)); err != nil {
					t.Errorf("Change(%s) = %v", text, err)
				}
			})
		}
	}
	wg.Wait()
	if got := string(p.Canonical()); got != want {
		t.Errorf("the project has changed to %s, want %s", got, want)
	}
}
