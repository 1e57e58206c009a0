package documents

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/app"
	"orgd/domain/idempotency"
	"orgd/domain/jsondoc"
	"orgd/domain/organization"
	"orgd/domain/session"
	"orgd/ports"
	"orgd/ports/portstest"
)

// drawn is a random organization as a document.
func drawn(t *rapid.T) text {
	pool := []string{"Ann", "bob", "Çelik", "dora", "Emil", "faye", "Gus", "ho"}
	departments := []string{"Design", "ops", "Sales", "Über"}
	homes := rapid.SliceOfNDistinct(rapid.SampledFrom(departments), 1, 4, rapid.ID).Draw(t, "departments")
	people := rapid.SliceOfNDistinct(rapid.SampledFrom(pool), 0, 8, rapid.ID).Draw(t, "agents")
	word := rapid.SampledFrom([]string{"", "a", "b: c\n", "lines\n\nof text"})
	number := rapid.IntRange(0, 3)
	someone := func(what string) *string {
		if len(people) == 0 || rapid.IntRange(0, 2).Draw(t, what+"?") == 0 {
			return nil
		}
		p := rapid.SampledFrom(people).Draw(t, what)
		return &p
	}
	w := jsondoc.NewWriter(nil)
	w.Open()
	w.Field("format").Int(1)
	w.Field("company").Open()
	w.Field("company_name").Text("C" + word.Draw(t, "company"))
	w.Field("settings").Raw(fmt.Sprintf(`{"n%d":%d}`, number.Draw(t, "key"), number.Draw(t, "setting")))
	w.Close()
	w.Field("departments").OpenList()
	left := 100
	for _, d := range homes {
		w.Open()
		w.Field("name").Text(d)
		w.Field("description").Text(word.Draw(t, "description"))
		share := rapid.IntRange(0, left).Draw(t, "share")
		left -= share
		w.Field("budget_percent").Int(int64(share))
		w.Field("head").TextOrNull(someone("head"))
		w.Field("teams").OpenList()
		for i := range rapid.IntRange(0, 2).Draw(t, "teams") {
			w.Open()
			w.Field("name").Text(fmt.Sprint("t", i))
			w.Field("lead").TextOrNull(someone("lead"))
			w.Field("members").OpenList()
			if m := someone("member"); m != nil {
				w.Text(*m)
			}
			w.CloseList()
			w.Close()
		}
		w.CloseList()
		w.Close()
	}
	w.CloseList()
	w.Field("agents").OpenList()
	for _, n := range people {
		w.Open()
		w.Field("name").Text(n)
		w.Field("role").Text("r" + word.Draw(t, "role"))
		w.Field("department").Text(rapid.SampledFrom(homes).Draw(t, "home"))
		w.Field("hiring_date").Text("2026-01-31")
		w.Field("instructions").Text(word.Draw(t, "instructions"))
		w.Field("level").Text(rapid.SampledFrom([]string{"mid", "vp"}).Draw(t, "level"))
		w.Field("status").Text(rapid.SampledFrom([]string{"active", "terminated"}).Draw(t, "status"))
		w.Field("metadata").Raw(fmt.Sprintf(`{"m%d":null}`, number.Draw(t, "metadata")))
		w.Field("model").Raw(rapid.SampledFrom([]string{
			"null", `{"provider":"p","model_id":"m"}`, `{"provider":"p","model_id":"a","max_tokens":4096,"temperature":0,"fallback_model":"f"}`,
		}).Draw(t, "model"))
		w.Field("tools").Raw(rapid.SampledFrom([]string{"{}", `{"access_level":"elevated","allowed":["a"]}`}).Draw(t, "tools"))
		w.Field("personality").Raw(rapid.SampledFrom([]string{"{}", `{"openness":1,"traits":["b"]}`}).Draw(t, "personality"))
		w.Field("authority").Open()
		if to := someone("boss"); to != nil && *to != n {
			w.Field("reports_to").Text(*to)
		}
		w.Field("can_delegate_to").OpenList()
		if to := someone("delegate"); to != nil {
			w.Text(*to)
		}
		w.CloseList()
		w.Close()
		w.Close()
	}
	w.CloseList()
	w.Close()
	return text(w.Bytes())
}

// An export makes the same organization on an empty service, where it changes
// nothing again; and of any other organization it makes that one.
func TestDocumentsAreWhole(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn(t), drawn(t)
		first := newService(t, portstest.NewMemory())
		first.apply(a, false)
		exported := first.export()

		second := newService(t, portstest.NewMemory())
		second.apply(exported, true)
		same(t, "the copy", exported, second.export())
		if changes := second.changes(exported, true); len(changes) > 0 {
			t.Fatalf("the copy would change in %q", changes)
		}
		for _, ag := range second.agents() {
			if ag.Version != 1 {
				t.Errorf("%s has version %d, want 1", ag.Name().Text, ag.Version)
			}
		}

		sparse, err := organization.Sparse([]byte(exported))
		if err != nil {
			t.Fatalf("Sparse = %v", err)
		}
		if changes := first.changes(text(sparse), true); len(changes) > 0 {
			t.Fatalf("the sparse document would change %q", changes)
		}
		fourth := newService(t, portstest.NewMemory())
		fourth.apply(text(sparse), true)
		same(t, "the copy of the sparse document", exported, fourth.export())

		third := newService(t, portstest.NewMemory())
		third.apply(b, false)
		wanted := third.export()
		second.apply(wanted, true)
		same(t, "what became of another organization", wanted, second.export())
		before := second.agents()
		if tally := second.apply(wanted, true); tally.Created+tally.Updated+tally.Deleted+tally.Reordered > 0 {
			t.Errorf("applied again it changes %+v", tally)
		}
		if diff := cmp.Diff(before, second.agents()); diff != "" {
			t.Errorf("applied again (-before +after):\n%s", diff)
		}
	})
}

// An apply that is cut after any write ends, when it is run again, in the state
// of one that was not.
func TestCutAppliesCanBeRunAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawn(t), drawn(t)
		s := newService(t, portstest.NewMemory())
		s.apply(a, false)
		other := newService(t, portstest.NewMemory())
		other.apply(b, false)
		wanted := other.export()
		for cut := rapid.IntRange(0, 3).Draw(t, "first cut"); ; cut += rapid.IntRange(1, 3).Draw(t, "later") {
			s.cut.Store(int64(cut))
			_, err := s.tryApply(wanted, true)
			if err == nil {
				break
			}
			if !errors.Is(err, ports.ErrUnavailable) {
				t.Fatalf("Apply = %v, want to be cut", err)
			}
		}
		s.cut.Store(-1)
		same(t, "after the cuts", wanted, s.export())
		if changes := s.changes(wanted, true); len(changes) > 0 {
			t.Fatalf("after the cuts it would change in %q", changes)
		}
	})
}

// Without circles nobody gets a second version, however often an apply of new
// agents is cut.
func TestCutHiresMakeNoSecondVersion(t *testing.T) {
	const n = 40
	var agents []string
	for i := range n {
		boss := "null"
		if i < n-1 {
			boss = fmt.Sprintf(`"a%d"`, i+1+i%5%(n-1-i))
		}
		agents = append(agents, fmt.Sprintf(`{"name":"a%d","role":"r","department":"D","authority":{"reports_to":%s}}`, i, boss))
	}
	doc := text(`{"format":1,"departments":[{"name":"D","head":"a3"}],"agents":[` + strings.Join(agents, ",") + `]}`)
	s := newService(t, portstest.NewMemory())
	for cut := int64(0); ; cut++ {
		s.cut.Store(cut)
		if _, err := s.tryApply(doc, false); err == nil {
			break
		}
	}
	for _, a := range s.agents() {
		if a.Version != 1 {
			t.Errorf("%s has version %d, want 1", a.Name().Text, a.Version)
		}
	}
}

// A plan with a hash never writes over an order that others made after the hash
// was checked; one without is made anew.
func TestPlansKeepTheOrdersOfOthers(t *testing.T) {
	const before = `{"format":1,"departments":[{"name":"A"},{"name":"B"},{"name":"C"}],"agents":[` +
		`{"name":"x","role":"r","department":"A"},{"name":"y","role":"r","department":"A"},{"name":"z","role":"r","department":"A"}]}`
	for what, tc := range map[string]struct{ doc, others, after text }{
		"departments": {`{"format":1,"departments":[{"name":"B"},{"name":"A"}]}`, `{"format":1,"departments":[{"name":"C"},{"name":"A"},{"name":"B"}]}`,
			`{"format":1,"departments":[{"name":"C"},{"name":"B"},{"name":"A"}]}`},
		"departments, with new ones": {`{"format":1,"departments":[{"name":"D"},{"name":"A"}]}`, `{"format":1,"departments":[{"name":"B"},{"name":"A"}]}`,
			`{"format":1,"departments":[{"name":"B"},{"name":"D"},{"name":"C"},{"name":"A"}]}`},
		"agents": {`{"format":1,"agents":[{"name":"y"},{"name":"x"}]}`, `{"format":1,"agents":[{"name":"z"},{"name":"x"},{"name":"y"}]}`,
			`{"format":1,"agents":[{"name":"z"},{"name":"y"},{"name":"x"}]}`},
	} {
		t.Run(what, func(t *testing.T) {
			onEveryStore(t, func(t *testing.T, open func() ports.Stores) {
				stores := open()
				s, other := newService(t, stores), newService(t, stores)
				s.apply(before, false)
				_, hash := s.plan(tc.doc, false)
				s.others = func() { other.apply(tc.others, false) }
				if _, err := s.tryPlan(tc.doc, false, hash); !errors.Is(err, organization.ErrStale) || s.others != nil {
					t.Errorf("Apply with a hash = %v, want ErrStale", err)
				}
				if changes := s.changes(tc.others, false); len(changes) > 0 {
					t.Errorf("the order of others was written over: it would change in %q", changes)
				}
				s.apply(tc.doc, false)
				if changes := s.changes(tc.after, false); len(changes) > 0 {
					t.Errorf("applied without a hash it would change in %q", changes)
				}
			})
		})
	}
}

func same(t tester, what string, want, got text) {
	t.Helper()
	if diff := cmp.Diff(strings.Split(string(want), "\n"), strings.Split(string(got), "\n")); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

// The same on the stores that there are.
func TestStores(t *testing.T) {
	onEveryStore(t, func(t *testing.T, open func() ports.Stores) {
		for i, seed := range []int{1, 2, 3} {
			a, b := rapid.Custom(drawn).Example(seed), rapid.Custom(drawn).Example(seed+100)
			model := newService(t, portstest.NewMemory())
			model.apply(b, false)
			wanted := model.export()
			s := newService(t, open())
			s.apply(a, false)
			s.cut.Store(int64(3 * i))
			if _, err := s.tryApply(wanted, true); err == nil {
				t.Fatal("Apply was not cut")
			}
			s.cut.Store(-1)
			s.apply(wanted, true)
			same(t, "the organization", wanted, s.export())
			if changes := s.changes(wanted, true); len(changes) > 0 {
				t.Errorf("it would change in %q", changes)
			}
		}
	})
}

// The work on a document ends with the session of its caller, says how far it came, and
// is done when it is run again.
func TestDocumentsEndWithTheSession(t *testing.T) {
	const agents = 300
	var list []string
	for i := range agents {
		list = append(list, fmt.Sprintf(`{"name":"a%d","role":"r","department":"D"}`, i))
	}
	doc := text(`{"format":1,"departments":[{"name":"D"}],"agents":[` + strings.Join(list, ",") + `]}`)
	onEveryStore(t, func(t *testing.T, open func() ports.Stores) {
		s := newService(t, open())
		d, entries := s.read(doc, false)
		var left atomic.Int64 // questions whether the session goes on that are answered with yes
		c := call
		c.Live = func() error {
			if left.Add(-1) < 0 {
				return session.ErrRevoked
			}
			return nil
		}
		ended := func(err error, want string) {
			t.Helper()
			if !errors.Is(err, session.ErrRevoked) || !strings.Contains(err.Error(), want) {
				t.Fatalf("error = %v, want ErrRevoked and %q", err, want)
			}
		}
		apply := func() error {
			_, err := s.docs.Apply(t.Context(), c, app.ApplyDocument{Document: d, Entries: entries, Reply: func(app.Applied) idempotency.Reply { return idempotency.Reply{} }})
			return err
		}
		for _, n := range []int64{0, 1, agents / 2} {
			left.Store(n)
			_, err := s.docs.Plan(t.Context(), c, app.PlanDocument{Document: d, Entries: entries, Reply: func(string) *idempotency.Reply { return nil }})
			ended(err, "the plan was not ready, and nothing was changed; sign in and run it again")
			left.Store(n)
			ended(apply(), "0 changes were made before the plan was ready")
		}
		if n := len(s.agents()); n != 0 {
			t.Fatalf("%d agents before a plan was made", n)
		}
		left.Store(agents + agents/3) // each entry is read once for the plan and once more for its change
		err := apply()
		made := len(s.agents())
		ended(err, fmt.Sprintf("%d of %d changes were made, and the next is agents[\"a", made+1, agents+1))
		if made == 0 || made > agents/3 {
			t.Errorf("%d agents were hired", made)
		}
		left.Store(1 << 20)
		if err := apply(); err != nil || len(s.agents()) != agents {
			t.Errorf("Apply again = %v, with %d agents", err, len(s.agents()))
		}
	})
}
