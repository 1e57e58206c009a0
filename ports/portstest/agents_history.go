package portstest

import (
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
)

func agentDelete(w *world) {
	w.createDepartment("Sales")
	first := w.hire("Bob", "Sales")
	gone, err := w.Agents.Update(w.Context(), byName("BOB"), w.firing())
	w.wantNil("Update", err)
	w.want("the deleted agent", gone, first)
	for _, ref := range []identity.Ref{byID(first.ID()), byName("Bob")} {
		_, err := w.Agents.Agent(w.Context(), ref)
		w.wantErr("Agent", err, agent.ErrNotFound)
		_, err = w.Agents.Update(w.Context(), ref, w.firing())
		w.wantErr("Update", err, agent.ErrNotFound)
	}
	w.want("the agents of Sales", w.members("Sales"), nil)

	second := w.hire("bob", "Sales")
	got, err := w.Agents.Agent(w.Context(), byName("Bob"))
	w.wantNil("Agent", err)
	w.want("the agent of the freed name", got, second)
	_, err = w.Agents.Agent(w.Context(), byID(first.ID()))
	w.wantErr("Agent by the old id", err, agent.ErrNotFound)
}

func agentHistory(w *world) {
	w.createDepartment("Sales")
	a := w.hire("Bob", "Sales", rich)
	w.change(a.ID(), `{"level":"vp","name":"Bobby"}`)
	before := w.versions(a.ID())
	career := w.career(a.ID())
	on := must(w.firing()(w.agent(a.ID())))
	w.update(a.ID(), fixed(on))
	w.hire("Bobby", "Sales") // somebody else now

	w.want("Versions of a deleted agent", w.versions(a.ID()), before)
	w.want("Career of a deleted agent", w.career(a.ID()), append(career, on.Events...))
	events, err := Events(w.Context(), w.Activities, activity.Query{AgentID: string(a.ID()), Limit: 1})
	w.wantNil("Events", err)
	w.want("the newest event of a deleted agent", events, on.Events)
	active, err := w.Activities.LastActive(w.Context(), []agent.ID{a.ID()})
	w.wantNil("LastActive", err)
	w.want("LastActive of a deleted agent", active, map[agent.ID]time.Time{a.ID(): on.Events[0].At})
}

func agentTrace(w *world) {
	w.createDepartment("Sales")
	a := w.hire("Bob", "Sales")
	trace := func(ref identity.Ref, want string) {
		id, n, err := w.Agents.Resolve(w.Context(), ref)
		w.wantNil("Resolve", err)
		w.want("Resolve", id, a.ID())
		w.want("Resolve", n, name.Name{Text: want, Key: key(want)})
	}
	trace(byName("bob"), "Bob")
	trace(byID(a.ID()), "Bob")
	w.change(a.ID(), `{"name":"BOBBY"}`)
	trace(byName("bobby"), "BOBBY")
	trace(byID(a.ID()), "BOBBY")

	w.fire(a.ID())
	trace(byID(a.ID()), "BOBBY")
	_, _, err := w.Agents.Resolve(w.Context(), byName("Bobby"))
	w.wantErr("Resolve of a free name", err, agent.ErrNotFound)
	w.hire("Bobby", "Sales")
	trace(byID(a.ID()), "BOBBY")
}

func agentFind(w *world) {
	sales, ops := w.createDepartment("Sales").ID, w.createDepartment("Ops").ID
	a, b, gone := w.hire("Bob", "Sales"), w.hire("Ann", "Ops"), w.hire("Gone", "Ops")
	w.fire(gone.ID())
	refs := []identity.Ref{
		byID(a.ID()), byName("BOB"), byID(a.ID()), byName("ann"), byName("An"), byName("$ne"),
		byID(gone.ID()), byName("Gone"), byID("0190a5c4-0000-7000-8000-ffffffffffff"),
	}
	got, err := w.Agents.Find(w.Context(), refs)
	w.wantNil("Find", err)
	w.want("Find", got, map[identity.Ref]agent.Profile{
		byID(a.ID()): a.Profile(sales), byName("Bob"): a.Profile(sales), byName("Ann"): b.Profile(ops),
	})
	got, err = w.Agents.Find(w.Context(), nil)
	w.wantNil("Find(nil)", err)
	w.want("Find(nil)", got, map[identity.Ref]agent.Profile{})

	moved := w.change(a.ID(), `{"name":"Bobby","department":"Ops"}`)
	got, err = w.Agents.Find(w.Context(), refs[:2])
	w.wantNil("Find", err)
	w.want("Find after a change", got, map[identity.Ref]agent.Profile{byID(a.ID()): moved.Profile(ops)})

	w.wantNil("Delete", w.deleteDepartment("Sales"))
	again := w.createDepartment("Sales").ID
	w.want("the new department has the old id", again == sales, false)
	moved = w.change(a.ID(), `{"department":"Sales"}`)
	got, err = w.Agents.Find(w.Context(), refs[:1])
	w.wantNil("Find", err)
	w.want("Find in a department made again", got, map[identity.Ref]agent.Profile{byID(a.ID()): moved.Profile(again)})
}

func namesByID(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	a, b, gone := w.hire("Bob", "Sales"), w.hire("Ann", "Ops"), w.hire("Gone", "Ops")
	w.fire(gone.ID())
	for what, tt := range map[string]struct {
		ids  []agent.ID
		want map[agent.ID]string
	}{
		"of nobody":          {nil, map[agent.ID]string{}},
		"of one":             {[]agent.ID{b.ID()}, map[agent.ID]string{b.ID(): "Ann"}},
		"of who is gone":     {[]agent.ID{gone.ID(), "0190a5c4-0000-7000-8000-ffffffffffff", "none"}, map[agent.ID]string{}},
		"in any order twice": {[]agent.ID{b.ID(), gone.ID(), a.ID(), b.ID()}, map[agent.ID]string{a.ID(): "Bob", b.ID(): "Ann"}},
	} {
		got, err := w.Agents.Names(w.Context(), tt.ids)
		w.wantNil("Names "+what, err)
		w.want("Names "+what, got, tt.want)
	}
	w.change(a.ID(), `{"name":"Bobby"}`)
	got, err := w.Agents.Names(w.Context(), []agent.ID{a.ID()})
	w.wantNil("Names", err)
	w.want("Names after a change", got, map[agent.ID]string{a.ID(): "Bobby"})
}

// agentFindMany asks for more references than one department can hold.
func agentFindMany(w *world) {
	const many = 40_000
	sales := w.createDepartment("Sales").ID
	a := w.hire("Bob", "Sales")
	refs := make([]identity.Ref, 0, many)
	for len(refs) < many-2 {
		refs = append(refs, byID(agent.ID(w.id())), identity.Ref{Name: name.Key(w.id())})
	}
	refs = append(refs, byID(a.ID()), byName("Bob"))
	got, err := w.Agents.Find(w.Context(), refs)
	w.wantNil("Find", err)
	w.want("Find", got, map[identity.Ref]agent.Profile{byID(a.ID()): a.Profile(sales), byName("Bob"): a.Profile(sales)})
}

// counts counts the agents of a department.
func (w *world) counts(department name.Key) agent.Counts {
	w.Helper()
	got, err := w.Agents.Counts(w.Context(), []name.Key{department})
	w.wantNil("Counts", err)
	return got[department]
}

func agentCounts(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	want := func(department string, total, active int64) {
		w.Helper()
		got, err := w.Agents.Counts(w.Context(), []name.Key{"nobody's", key(department), "ops"})
		w.wantNil("Counts", err)
		w.want("Counts("+department+")", got[key(department)], agent.Counts{Total: total, Active: active})
		w.want("Counts of no department", got["nobody's"], agent.Counts{})
	}
	want("Sales", 0, 0)
	want("Never", 0, 0)
	a := w.hire("a", "Sales")
	w.hire("b", "Sales", `"status":"onboarding"`)
	w.hire("c", "Sales", `"status":"terminated"`)
	d := w.hire("d", "Sales")
	want("Sales", 4, 2)
	w.change(a.ID(), `{"status":"on_leave"}`)
	want("Sales", 4, 1)
	w.change(d.ID(), `{"department":"Ops"}`)
	want("Sales", 3, 0)
	want("Ops", 1, 1)
	w.fire(d.ID())
	want("Ops", 0, 0)
}
