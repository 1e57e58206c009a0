package portstest

import (
	"fmt"
	"slices"

	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/ports"
)

// Orders for reordering.

func asTheyAre(members []agent.Member) []agent.Member { return members }

func reversed(members []agent.Member) []agent.Member {
	slices.Reverse(members)
	return members
}

// rotated puts the first member behind the last.
func rotated(members []agent.Member) []agent.Member {
	if len(members) == 0 {
		return members
	}
	return append(members[1:], members[0])
}

// order changes the order of a department's agents.
func (w *world) order(department string, arrange func([]agent.Member) []agent.Member) {
	w.Helper()
	_, err := w.Departments.Reorder(w.Context(), key(department), w.reordering(arrange, nil))
	w.wantNil("Reorder", err)
}

func departmentReorder(w *world) {
	w.createDepartment("Sales")
	var members []agent.Member
	for i := range 5 {
		a := w.hire(fmt.Sprint("a", 9-i), "Sales")
		members = append(members, agent.Member{ID: a.ID(), Name: a.Name().Key, OrderKey: a.OrderKey})
	}
	for _, arrange := range []func([]agent.Member) []agent.Member{reversed, rotated, rotated, asTheyAre, reversed} {
		do := w.reordering(arrange, nil)
		before := w.department("Sales")
		want := must(do(before, members))
		got, err := w.Departments.Reorder(w.Context(), "sales", func(d department.Department, now []agent.Member) (ports.DepartmentChange, error) {
			w.want("the department given to order", d, before)
			w.want("the members given to order", now, members)
			return do(d, now)
		})
		w.wantNil("Reorder", err)
		w.want("Reorder", got, want.State)
		w.wantDepartment(want.State)
		members = want.Members
		w.wantOrderKeys("Sales", members)
	}
	w.order("Sales", asTheyAre)
	w.createDepartment("Empty")
	w.order("Empty", asTheyAre)
	w.wantTrail(audit.Department("Empty"), 1, false)
}

// wantOrderKeys checks order and order keys of a department's agents.
func (w *world) wantOrderKeys(department string, want []agent.Member) {
	w.Helper()
	var got []agent.Member
	for _, a := range w.agents(agent.Query{Department: key(department)}, 2) {
		got = append(got, agent.Member{ID: a.ID(), Name: a.Name().Key, OrderKey: a.OrderKey})
	}
	w.want("the agents of "+department, got, want)
}

func departmentReorderOthers(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	var ids []agent.ID
	for i := range 6 {
		ids = append(ids, w.hire(fmt.Sprint("a", i), []string{"Sales", "Ops"}[i%2]).ID())
	}
	w.order("Sales", reversed)
	want := []agent.ID{ids[4], ids[1], ids[2], ids[3], ids[0], ids[5]}
	w.want("all agents", idsOf(w.agents(agent.Query{}, 2)), want)
	last := w.hire("last", "Sales").ID()
	w.change(ids[4], `{"department":"Ops"}`) // with its place
	w.want("all agents", idsOf(w.agents(agent.Query{}, 2)), append(want, last))
	w.want("Ops", w.members("Ops"), []agent.ID{ids[4], ids[1], ids[3], ids[5]})
}

// departmentReorderRevisions checks what a reorder leaves behind: one revision
// of the department, none of its agents.
func departmentReorderRevisions(w *world) {
	w.createDepartment("Sales")
	a, b := w.hire("a", "Sales"), w.hire("b", "Sales")
	w.order("Sales", reversed)
	got := w.agent(a.ID())
	got.OrderKey = a.OrderKey
	w.want("an agent after the reorder", got, a)
	w.want("the number of its versions", len(w.versions(b.ID())), 1)
	w.want("the revision of the department", w.department("Sales").Revision, int64(2))
	w.wantTrail(audit.Department("Sales"), 2, false)
	w.wantTrail(audit.Agent(string(b.ID())), 1, false)
	w.want("the revision of the company", w.company().Revision, int64(2))
}

func departmentReorderFailed(w *world) {
	w.createDepartment("Sales")
	w.hire("a", "Sales")
	w.hire("b", "Sales")
	w.wantNothingStored("Reorder", errRefused, func(r *idempotency.Record) error {
		_, err := w.Departments.Reorder(w.Context(), "sales", failing(w.reordering(reversed, r)))
		return err
	})
	w.wantNothingStored("Reorder of a part", agent.ErrPermutation, func(r *idempotency.Record) error {
		first := func(m []agent.Member) []agent.Member { return m[:1] }
		_, err := w.Departments.Reorder(w.Context(), "sales", w.reordering(first, r))
		return err
	})
}

func departmentReorderMany(w *world) {
	const many = 1500
	w.createDepartment("Sales")
	errs := atOnce(crowd, func(i int) error {
		for j := range many / crowd {
			if err := Hire(w.Context(), w.Agents, w.hiring(fmt.Sprint(i, ".", j), "Sales")); err != nil {
				return err
			}
		}
		return nil
	})
	w.wantEach("Create", errs)
	want := w.members("Sales")
	w.order("Sales", reversed)
	slices.Reverse(want)
	got := idsOf(w.agents(agent.Query{Department: "sales"}, 100))
	w.want("the number of agents", len(got), many)
	w.want("the order of many agents", slices.Equal(got, want), true)
	w.reorderManyBesideOthers(got)
}

// reorderManyBesideOthers reorders the many agents of a department, and two of another,
// while some come, go and move between the two.
func (w *world) reorderManyBesideOthers(there []agent.ID) {
	w.Helper()
	w.createDepartment("Ops")
	moving, gone, stay := there[:4], there[len(there)-4:], there[:len(there)-4]
	var hires []ports.AgentChange
	hired := slices.Clone(there)
	for i := range 8 {
		hires = append(hires, w.hiring(fmt.Sprint("late ", i), []string{"Sales", "Ops"}[i%2]))
		hired = append(hired, hires[i].Agent.ID())
	}
	errs := atOnce(8, func(i int) (err error) {
		for j := range 4 {
			switch {
			case err != nil:
			case i < 2:
				_, err = w.Departments.Reorder(w.Context(), "sales", w.reordering(reversed, nil))
			case i == 2:
				_, err = w.Departments.Reorder(w.Context(), "ops", w.reordering(rotated, nil))
			case i < 5:
				err = Hire(w.Context(), w.Agents, hires[(i-3)*4+j])
			case i == 5:
				_, err = w.Agents.Update(w.Context(), byID(gone[j]), w.firing())
			default: // there and back
				to := []string{"Ops", "Sales"}[j%2]
				_, err = w.Agents.Update(w.Context(), byID(moving[i-6]), w.changing(`{"department":"`+to+`"}`, nil))
			}
		}
		return err
	})
	w.wantEach("reordering many, hiring, firing and moving", errs)
	var late [2][]agent.ID
	for i, h := range hires {
		late[i%2] = append(late[i%2], h.Agent.ID())
	}
	w.wantPermutation("Sales", append(slices.Clone(stay), late[0]...), hired)
	w.wantPermutation("Ops", late[1], hired)
	before := w.members("Sales")
	w.order("Sales", reversed)
	slices.Reverse(before)
	w.want("the order after one more reorder", slices.Equal(w.members("Sales"), before), true)
}

// wantPermutation checks that no order key was lost or given out twice: the agents
// of a department hold different order keys, each the id of an agent that was hired.
func (w *world) wantPermutation(department string, want []agent.ID, hired []agent.ID) {
	w.Helper()
	agents := w.agents(agent.Query{Department: key(department)}, 7)
	places := map[agent.OrderKey]agent.ID{}
	for _, a := range agents {
		if other, ok := places[a.OrderKey]; ok {
			w.Errorf("%s and %s have one place", a.ID(), other)
		}
		places[a.OrderKey] = a.ID()
		if !slices.Contains(hired, agent.ID(a.OrderKey)) {
			w.Errorf("%s has the place %s, which nobody had", a.ID(), a.OrderKey)
		}
	}
	got := idsOf(agents)
	slices.Sort(got)
	slices.Sort(want)
	w.want("the agents of "+department, got, want)
}

func departmentReorderParallel(w *world) {
	w.createDepartment("Sales")
	var hired []agent.ID
	hires := make([]ports.AgentChange, 12)
	for i := range 10 {
		hired = append(hired, w.hire(fmt.Sprint("there ", i), "Sales").ID())
	}
	gone := slices.Clone(hired[:4])
	for i := range hires {
		hires[i] = w.hiring(fmt.Sprint("new ", i), "Sales")
		hired = append(hired, hires[i].Agent.ID())
	}
	arrange := []func([]agent.Member) []agent.Member{reversed, rotated}
	errs := atOnce(8, func(i int) error {
		var err error
		for j := range 6 {
			switch {
			case i < 4 && err == nil:
				_, err = w.Departments.Reorder(w.Context(), "sales", w.reordering(arrange[(i+j)%2], nil))
			case i < 6 && err == nil:
				err = Hire(w.Context(), w.Agents, hires[(i-4)*6+j])
			case j < 2 && err == nil:
				_, err = w.Agents.Update(w.Context(), byID(gone[(i-6)*2+j]), w.firing())
			}
		}
		return err
	})
	w.wantEach("reordering, hiring and firing", errs)
	w.wantPermutation("Sales", slices.Clone(hired[4:]), hired)
	w.want("the revision", w.department("Sales").Revision, int64(1+4*6))
	w.wantTrail(audit.Department("Sales"), 1+4*6, false)
}

// departmentReorderUpdates changes agents while they are reordered: an update
// never brings an old order key back.
func departmentReorderUpdates(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	var ids []agent.ID
	for i := range 8 {
		ids = append(ids, w.hire(fmt.Sprint("a", i), "Sales").ID())
	}
	const each = 6
	errs := atOnce(8, func(i int) error {
		for j := range each {
			var err error
			switch {
			case i < 2:
				_, err = w.Departments.Reorder(w.Context(), "sales", w.reordering(reversed, nil))
			case i < 4: // there and back
				to := []string{"Ops", "Sales"}[j%2]
				_, err = w.Agents.Update(w.Context(), byID(ids[i]), w.changing(`{"department":"`+to+`"}`, nil))
			default:
				_, err = w.Agents.Update(w.Context(), byID(ids[i]), w.changing(fmt.Sprintf(`{"metadata":{"%d":1}}`, j), nil))
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	w.wantEach("reordering and updating", errs)
	w.wantPermutation("Sales", slices.Clone(ids), ids)
	for i, id := range ids {
		if i >= 2 {
			w.wantUnbroken(id, 1+each, false)
		}
	}
	before := w.members("Sales")
	w.order("Sales", reversed)
	slices.Reverse(before)
	w.want("the agents after one more reorder", w.members("Sales"), before)
}
