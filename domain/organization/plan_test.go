package organization

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/domaintest"
	"orgd/domain/fault"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

type entries []jsondoc.Value

func (e entries) Agent(i int) (jsondoc.Value, error) { return e[i], nil }

func record(n string, home name.Name, instructions string) agent.Record {
	return recordOf(agent.ID("id-"+n), domaintest.Name(n), home, instructions)
}

func recordOf(id agent.ID, n, home name.Name, instructions string) agent.Record {
	a := agent.Agent{Identity: identity.Default(), OrderKey: "00" + agent.OrderKey(id[len("id-"):]), Revision: 5, Version: 1}
	a.Identity.ID, a.Identity.Name, a.Identity.Role, a.Identity.Department = id, n, "r", home
	a.Identity.HiringDate, a.Identity.Instructions = "2026-01-31", instructions
	a.Text = a.Identity.Canonical()
	return a.Record()
}

// inputs are those of a plan for an organization with the departments Low, which has
// 60 percent of the budget, and Gone, which has 40, and an agent in each. Their
// revisions are 3 and 4, those of the agents 5.
func inputs(t *testing.T, departments, agents []string) Inputs {
	s := &State{Company: company.Default(time.Time{})}
	for i, n := range []string{"Low", "Gone"} {
		s.Departments = append(s.Departments, department.Department{ID: n, Name: domaintest.Name(n), BudgetPercent: 600_000, Revision: int64(3 + i)})
	}
	s.Departments[1].BudgetPercent = 400_000
	var records []agent.Record
	for i, n := range []string{"a", "b"} {
		r := record(n, s.Departments[i].Name, "")
		records = append(records, r)
		s.Agents = append(s.Agents, Member{ID: r.ID, Name: domaintest.Name(n), Department: s.Departments[i].Name.Key, OrderKey: r.OrderKey, Revision: r.Revision})
	}
	in := Inputs{
		Document: built(t, departments, agents), State: s, Prune: true, NewID: newIDs(),
		Department: func(key name.Key) (department.Department, error) {
			i := slices.IndexFunc(s.Departments, func(d department.Department) bool { return d.Name.Key == key })
			return s.Departments[i], nil
		},
		Agents: func(yield func([]agent.Record, error) bool) { yield(records, nil) },
		Costs:  func() (bool, error) { return true, nil },
	}
	var all entries
	for _, a := range agents {
		all = append(all, domaintest.JSON(t, a))
	}
	in.Entries = all
	return in
}

// The shares of the budget never exceed 100 percent in between, names and references
// lead to what exists, and departments are deleted when they are empty.
func TestPhases(t *testing.T) {
	p, err := NewPlan(inputs(t,
		[]string{`{"name":"New","head":"n","budget_percent":50}`, `{"name":"LOW","head":"n","description":"d","budget_percent":50}`},
		[]string{
			`{"name":"n","role":"r","department":"New","authority":{"reports_to":"m"}}`,
			`{"name":"m","role":"r","department":"New","authority":{"reports_to":"n"}}`,
			`{"name":"A","role":"other"}`,
		}))
	if err != nil {
		t.Fatalf("NewPlan = %v", err)
	}
	kinds := []string{"update company", "create department", "update department", "release share", "delete department", "create agent", "step aside", "update agent",
		"delete agent", "reorder agents", "reorder departments"}
	var got []string
	for _, phase := range p.Phases {
		var ops []string
		for _, op := range phase {
			ops = append(ops, fmt.Sprint(kinds[op.Kind], " ", op.Department, op.Agent, " ", op.Fields, " from ", op.From, " moves ", len(op.Moves)))
		}
		got = append(got, strings.Join(ops, ", "))
	}
	want := []string{
		"update department low [description budget_percent] from 3 moves 0",
		"release share gone [] from 4 moves 0",
		"create department new [budget_percent] from 0 moves 0",
		"update agent id-a [name role] from 5 moves 0",
		"create agent n-000 [] from 0 moves 0",
		"create agent n-001 [] from 0 moves 0",
		"update department new [head] from 1 moves 0",
		"update department low [head] from 4 moves 0",
		"delete agent id-b [] from 5 moves 0",
		"delete department gone [] from 5 moves 0",
		"reorder agents new [] from 0 moves 2",
		"reorder agents low [] from 0 moves 1",
		"reorder departments  [] from 0 moves 0",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Phases (-want +got):\n%s", diff)
	}
	if want := (Counts{Created: 3, Updated: 2, Deleted: 2, Reordered: 2}); p.Counts != want {
		t.Errorf("Counts = %+v, want %+v", p.Counts, want)
	}
	if next, expected := p.Order([]name.Key{"low", "new"}); !slices.Equal(next, []name.Key{"new", "low"}) || !expected {
		t.Errorf("Order = %s, %t", next, expected)
	}
	if next, expected := p.Order([]name.Key{"low", "x", "new"}); !slices.Equal(next, []name.Key{"new", "x", "low"}) || expected {
		t.Errorf("Order with another department = %s, %t", next, expected)
	}
}

// Agents that exchange their names do so in single steps: one is aside for a moment. Cut short
// anywhere, the same document does the rest.
func TestExchange(t *testing.T) {
	in := inputs(t, []string{`{"name":"Low"}`, `{"name":"Gone"}`}, []string{`{"name":"b","previous_name":"a"}`, `{"name":"a","previous_name":"b"}`})
	former := formerNames{}
	in.Former = former.of
	names := func() (all []string) {
		for _, a := range in.State.Agents {
			all = append(all, a.Name.Text)
		}
		return all
	}
	const aside = "renamed-59b271ae1bbcb1d31d41929817f4b16f"
	var got []string
	for range 4 {
		p, err := NewPlan(in)
		if err != nil {
			t.Fatalf("NewPlan with %v = %v", names(), err)
		}
		ops := slices.DeleteFunc(slices.Concat(p.Phases...), func(op Operation) bool { return op.Kind != StepAside && op.Kind != UpdateAgent })
		got = append(got, fmt.Sprint(names(), " ", len(ops), " ", p.Counts.Updated))
		if len(ops) == 0 {
			break
		}
		patch, err := p.AgentPatch(ops[0]) // and here it is cut short
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(in.State.Agents, func(a Member) bool { return a.ID == ops[0].Agent })
		former[ops[0].Agent], in.State.Agents[i].Name = in.State.Agents[i].Name.Key, *patch.Name()
		var records []agent.Record
		for k, a := range in.State.Agents {
			records = append(records, recordOf(a.ID, a.Name, in.State.Departments[k].Name, ""))
		}
		in.Agents = func(yield func([]agent.Record, error) bool) { yield(records, nil) }
	}
	want := []string{"[a b] 3 2", "[" + aside + " b] 2 2", "[" + aside + " a] 1 1", "[b a] 0 0"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("names, operations and updates (-want +got):\n%s", diff)
	}
}

// A plan of long agents that change or are deleted keeps nothing of their texts.
func TestPlanKeepsNoText(t *testing.T) {
	const agents, size = 32, 128 << 10
	var changed []string
	for i := range agents / 2 {
		changed = append(changed, fmt.Sprintf(`{"name":"x%02d","role":"other"}`, i))
	}
	in := inputs(t, []string{`{"name":"Low"}`}, changed)
	in.State = state()
	for i := range agents {
		n := fmt.Sprintf("x%02d", i)
		in.State.Agents = append(in.State.Agents, Member{ID: agent.ID("id-" + n), Name: domaintest.Name(n), OrderKey: agent.OrderKey("00" + n), Department: "low"})
	}
	in.State.Departments[0].Name = domaintest.Name("Low")
	long := strings.Repeat("x", size)
	in.Agents = func(yield func([]agent.Record, error) bool) {
		for _, a := range in.State.Agents {
			if !yield([]agent.Record{record(a.Name.Text, domaintest.Name("Low"), long)}, nil) {
				return
			}
		}
	}
	in.Department = func(name.Key) (department.Department, error) { return in.State.Departments[0], nil }
	heap := func() int {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int(m.HeapAlloc)
	}
	before := heap()
	p, err := NewPlan(in)
	if err != nil {
		t.Fatalf("NewPlan = %v", err)
	}
	if want := (Counts{Updated: agents / 2, Deleted: agents / 2}); p.Counts != want {
		t.Errorf("Counts = %+v, want %+v", p.Counts, want)
	}
	if kept := heap() - before; kept > agents*size/8 {
		t.Errorf("the plan keeps %d bytes of %d agents of %d bytes each", kept, agents, size)
	}
	runtime.KeepAlive(p)
}

// What was deleted after the state was read makes a plan fail.
func TestPlanOfAnotherState(t *testing.T) {
	for what, change := range map[string]func(*Inputs){
		"department": func(in *Inputs) {
			in.Department = func(name.Key) (department.Department, error) { return department.Department{}, department.ErrNotFound }
		},
		"agent": func(in *Inputs) { in.Agents = func(func([]agent.Record, error) bool) {} },
	} {
		in := inputs(t, []string{`{"name":"Low"}`}, []string{`{"name":"a"}`})
		change(&in)
		if _, err := NewPlan(in); !errors.Is(err, ErrChanged) {
			t.Errorf("NewPlan without its %s = %v, want ErrChanged", what, err)
		}
	}
}

// A plan is refused with everything that is in its way.
func TestPlanRefuses(t *testing.T) {
	in := inputs(t, []string{`{"name":"Low","budget_percent":61}`}, []string{`{"name":"a"}`, `{"name":"c","role":"r"}`})
	in.Prune = false
	euro := domaintest.Read(t, func(v jsondoc.Value) (company.Patch, error) { return company.ParseEntry(FieldCompany, v) }, `{"currency":"EUR"}`)
	in.Document.Company = &euro
	const want = "company.currency: cannot change once costs are recorded; " +
		"departments[0].budget_percent: the departments would have 101 in all, which exceeds 100; agents[1].department: is required"
	if _, err := NewPlan(in); domaintest.Code(err) != fault.Validation || err.Error() != want {
		t.Errorf("NewPlan = %v, want %s", err, want)
	}
}

func TestPlace(t *testing.T) {
	now := []agent.Member{{ID: "a", OrderKey: "1"}, {ID: "b", OrderKey: "2"}, {ID: "c", OrderKey: "3"}}
	op := Operation{Moves: []Move{{ID: "a", From: "1", To: "3"}, {ID: "c", From: "3", To: "1"}}}
	want := []agent.Member{{ID: "c", OrderKey: "1"}, {ID: "b", OrderKey: "2"}, {ID: "a", OrderKey: "3"}}
	if next, err := op.Place(now); err != nil || !slices.Equal(next, want) || now[0].OrderKey != "1" {
		t.Errorf("Place = %v, %v, want %v", next, err, want)
	}
	for _, others := range [][]agent.Member{now[1:], {{ID: "a", OrderKey: "2"}, {ID: "c", OrderKey: "3"}}} {
		if _, err := op.Place(others); !errors.Is(err, ErrChanged) {
			t.Errorf("Place of %v = %v, want ErrChanged", others, err)
		}
	}
}
