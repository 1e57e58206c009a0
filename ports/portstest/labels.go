package portstest

import (
	"fmt"
	"slices"

	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/label"
	"orgd/domain/revision"
	"orgd/ports"
)

// placing returns what has a label name a version, under a condition.
func (w *world) placing(p agent.Placing, cond revision.Condition) ports.LabelChange {
	on, trail := w.cause(), w.trailOf(nil)
	return func(a agent.Agent, d department.Department, below bool) (ports.AgentChange, error) {
		if err := cond.Check(a.Tag()); err != nil {
			return ports.AgentChange{}, err
		}
		s, err := a.Place(p, agent.LabelRule{Protected: d.Policies.Protects(p.Label), Below: below}, on)
		return agentStep(s, trail), err
	}
}

func (w *world) place(id agent.ID, label string, version int64) error {
	_, err := w.Agents.Label(w.Context(), byID(id), label, version, w.placing(agent.Placing{Label: label, Version: version}, revision.Condition{}))
	return err
}

func (w *world) unplace(id agent.ID, label string) error {
	on, trail := w.cause(), w.trailOf(nil)
	_, err := w.Agents.Label(w.Context(), byID(id), label, 0, func(a agent.Agent, d department.Department, below bool) (ports.AgentChange, error) {
		w.want("whether a label may go back to no version", below, false)
		s, err := a.Unplace(label, agent.LabelRule{}, on)
		return agentStep(s, trail), err
	})
	return err
}

// moves are the entries of the history of a label, the newest first.
func (w *world) moves(id agent.ID, label string) []agent.Move {
	w.Helper()
	return walk(w, 3, func(last *agent.Move) ([]agent.Move, error) {
		q := agent.Moves{Agent: id, Label: label, Limit: 3}
		if last != nil {
			q.Before = last.Revision
		}
		return w.Agents.Moves(w.Context(), q)
	})
}

// labeled are the agents that have a label, read in small pages.
func (w *world) labeled(q agent.LabelQuery) (found []string) {
	w.Helper()
	q.Limit = 2
	rows := walk(w, q.Limit, func(last *agent.Resolved) ([]agent.Resolved, error) {
		if last != nil {
			q.After = new(last.Position())
		}
		return w.Agents.Labeled(w.Context(), q)
	})
	for _, r := range rows {
		v, err := w.Identities.Version(w.Context(), r.ID, r.Version)
		w.wantNil("Version", err)
		w.want("the content", r.Content, identity.Stored{Text: v.Text, Hash: v.Hash})
		a := w.agent(r.ID)
		w.want("the agent", []any{r.Name, r.Department, r.Status, r.OrderKey, r.Label},
			[]any{a.Name().Text, a.Department().Text, a.Identity.Status, a.OrderKey, q.Label})
		found = append(found, fmt.Sprint(r.Name, " ", r.Version))
	}
	return found
}

func labelsAreStored(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	w.change(id, `{"description":"two"}`)
	w.wantNil("Label", w.place(id, "production", 1))
	w.wantNil("Label", w.place(id, "canary", 2))
	w.wantNil("Label", w.place(id, "production", 2))
	w.wantNil("Label without effect", w.place(id, "production", 2))
	a := w.agent(id)
	w.want("revision and version", []int64{a.Revision, a.Version}, []int64{5, 2})
	w.want("the number of labels", len(a.Labels), 2)
	rec, err := w.Agents.Record(w.Context(), byID(id))
	w.wantNil("Record", err)
	w.want("the record", rec, a.Record())
	version, err := rec.VersionOf("production")
	w.wantNil("VersionOf", err)
	w.want("the version of the label", version, int64(2))

	after := w.change(id, `{"description":"three","tier":"large"}`)
	w.want("the labels after a change", after.Labels, a.Labels)
	w.want("the labels after a change, as stored", w.agent(id).Labels, a.Labels)

	w.wantNil("Label", w.unplace(id, "canary"))
	w.wantErr("Label", w.unplace(id, "canary"), agent.ErrNoLabel)
	w.want("the number of labels", len(w.agent(id).Labels), 1)
	w.want("the history of canary", numbers(w.moves(id, "canary")), []string{"2-0", "0-2"})
	w.want("the history of production", numbers(w.moves(id, "production")), []string{"1-2", "0-1"})
	w.want("the history of none", w.moves(id, "x"), nil)
	w.want("the audit trail", len(w.entries(audit.Agent(string(id)))), 7)

	w.wantErr("Label of nobody", w.place(agent.ID(w.id()), "production", 1), agent.ErrNotFound)
	w.update(id, w.firing())
	w.wantErr("Label of a deleted agent", w.place(id, "production", 1), agent.ErrNotFound)
	w.want("the history after the agent", numbers(w.moves(id, "production")), []string{"2-0", "1-2", "0-1"})
	w.want("the agents of the label", w.labeled(agent.LabelQuery{Label: "production"}), nil)
	next := w.hire("Bob", "Sales").ID()
	w.want("the labels of another one of the name", len(w.agent(next).Labels), 0)
	w.want("their history", w.moves(next, "production"), nil)
}

func numbers(moves []agent.Move) (all []string) {
	for _, m := range moves {
		all = append(all, fmt.Sprint(m.From, "-", m.To))
	}
	return all
}

// labelWayBack tells which versions a label may go back to, whoever has moved it.
func labelWayBack(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	for i := range 4 {
		w.change(id, fmt.Sprintf(`{"description":"%d"}`, i))
	}
	w.wantNil("Label", w.place(id, "b", 1))
	for _, step := range []struct {
		to   int64 // 0 removes the label
		want []int64
	}{{2, nil}, {4, []int64{2}}, {3, []int64{2, 4}}, {4, []int64{2}}, {5, []int64{2, 4}}, {2, nil}, {0, nil}, {1, nil}} {
		if step.to == 0 {
			w.wantNil("Label", w.unplace(id, "a"))
		} else {
			w.wantNil("Label", w.place(id, "a", step.to))
		}
		var got []int64
		for version := range int64(6) {
			_, err := w.Agents.Label(w.Context(), byID(id), "a", version, func(a agent.Agent, d department.Department, below bool) (ports.AgentChange, error) {
				if below {
					got = append(got, version)
				}
				w.want("the department", d.Name.Text, "Sales")
				return ports.AgentChange{}, agent.ErrProtected
			})
			w.wantErr("Label", err, agent.ErrProtected)
		}
		w.want(fmt.Sprint("what a may go back to after ", step.to), got, step.want)
	}
}

// labelOrder lists agents by label in the organization's order, wherever they are.
func labelOrder(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	var ids []agent.ID
	for i := range 6 {
		id := w.hire(fmt.Sprint("a", i), []string{"Sales", "Ops"}[i%2]).ID()
		ids = append(ids, id)
		w.change(id, `{"description":"two"}`)
		if i != 3 {
			w.wantNil("Label", w.place(id, "production", int64(1+i%2)))
		}
	}
	for range 2 { // what was read is remembered
		w.want("all", w.labeled(agent.LabelQuery{Label: "production"}), []string{"a0 1", "a1 2", "a2 1", "a4 1", "a5 2"})
		w.want("of a department", w.labeled(agent.LabelQuery{Label: "production", Department: key("Ops")}), []string{"a1 2", "a5 2"})
		w.want("the latest", w.labeled(agent.LabelQuery{Label: label.Latest, Department: key("Ops")}), []string{"a1 2", "a3 2", "a5 2"})
		w.want("of no label", w.labeled(agent.LabelQuery{Label: "x"}), nil)
	}
	w.change(ids[2], `{"status":"on_leave","tags":["a","b"]}`)
	w.change(ids[1], `{"owner":"ann","tags":["a"]}`)
	w.change(ids[3], `{"owner":"ann","tags":["b","a"]}`)
	w.change(ids[4], `{"department":"Ops","name":"b4"}`)
	_, err := w.Departments.Reorder(w.Context(), key("Sales"), w.reordering(func(m []agent.Member) []agent.Member {
		slices.Reverse(m)
		return m
	}, nil))
	w.wantNil("Reorder", err)
	w.want("all", w.labeled(agent.LabelQuery{Label: "production"}), []string{"a2 1", "a1 2", "a0 1", "b4 1", "a5 2"})
	w.want("of a department", w.labeled(agent.LabelQuery{Label: "production", Department: key("Ops")}), []string{"a1 2", "b4 1", "a5 2"})
	w.want("of a status", w.labeled(agent.LabelQuery{Label: "production", Status: identity.OnLeave}), []string{"a2 1"})
	w.want("of an owner", w.labeled(agent.LabelQuery{Label: "production", Owner: "ann"}), []string{"a1 2"})
	w.want("with a tag", w.labeled(agent.LabelQuery{Label: "production", Tags: []string{"a"}}), []string{"a2 1", "a1 2"})
	w.want("with tags", w.labeled(agent.LabelQuery{Label: "production", Tags: []string{"a", "b"}}), []string{"a2 1"})
	w.want("the latest of an owner, with a tag", w.labeled(agent.LabelQuery{Label: label.Latest, Owner: "ann", Tags: []string{"b"}}), []string{"a3 2"})
	w.change(ids[1], `{"owner":null,"tags":[]}`)
	w.want("of an owner", w.labeled(agent.LabelQuery{Label: "production", Owner: "ann"}), nil)
	w.want("with a tag", w.labeled(agent.LabelQuery{Label: "production", Tags: []string{"a"}}), []string{"a2 1"})
	w.wantNil("Label", w.unplace(ids[1], "production"))
	w.wantNil("Label", w.place(ids[3], "production", 1)) // which has an owner and tags already
	w.want("of an owner, with a tag", w.labeled(agent.LabelQuery{Label: "production", Owner: "ann", Tags: []string{"b"}}), []string{"a3 1"})
	w.wantNil("Label", w.unplace(ids[3], "production"))
	w.wantNil("Label", w.place(ids[5], "production", 1))
	w.update(ids[0], w.firing())
	w.want("all", w.labeled(agent.LabelQuery{Label: "production"}), []string{"a2 1", "b4 1", "a5 1"})
}

// labelParallel moves one label of one agent many times at once, with and without a
// condition: no move is lost.
func labelParallel(w *world) {
	const each = 6
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	for i := range crowd - 1 {
		w.change(id, fmt.Sprintf(`{"description":"%d"}`, i))
	}
	first := w.agent(id)
	errs := atOnce(crowd, func(i int) error {
		for range each {
			for _, version := range []int64{int64(i) + 1, int64(i+1)%crowd + 1} {
				if err := w.place(id, fmt.Sprint("l", i%3), version); err != nil {
					return err
				}
			}
		}
		return nil
	})
	w.wantEach("Label", errs)
	a := w.agent(id)
	total := 0
	for _, l := range a.Labels {
		moves := w.moves(id, l.Name)
		slices.Reverse(moves)
		total += len(moves)
		at := int64(0)
		for _, m := range moves {
			w.want("what a move begins with", m.From, at)
			at = m.To
		}
		w.want("what the label names", l.Version, at)
	}
	w.want("the revision", a.Revision, first.Revision+int64(total))
	w.want("the entries of the trail", len(w.entries(audit.Agent(string(id)))), int(a.Revision))

	cond := revision.OneOf(a.Tag())
	errs = atOnce(crowd, func(i int) error {
		p := agent.Placing{Label: "new", Version: int64(i) + 1}
		_, err := w.Agents.Label(w.Context(), byID(id), p.Label, p.Version, w.placing(p, cond))
		return err
	})
	if n := w.wantEach("Label under a condition", errs, revision.ErrStale); n != 1 {
		w.Errorf("%d changes under one condition, want 1", n)
	}
	w.want("the revision", w.agent(id).Revision, a.Revision+1)
}

// labelRule changes the rule of a department beside moves: whoever is told of the change
// first finds it.
func labelRule(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	var ids []agent.ID
	for i := range crowd {
		ids = append(ids, w.hire(fmt.Sprint("a", i), "Sales").ID())
	}
	revisions := make([]int64, crowd)
	errs := atOnce(crowd+1, func(i int) error {
		if i == crowd {
			_, err := w.Departments.Update(w.Context(), key("Sales"), w.amending(`{"policies":{"protected_labels":["production"]}}`, nil))
			return err
		}
		on, trail := w.cause(), w.trailOf(nil)
		_, err := w.Agents.Label(w.Context(), byID(ids[i]), "production", 1, func(a agent.Agent, d department.Department, _ bool) (ports.AgentChange, error) {
			revisions[i] = d.Revision
			s, err := a.Place(agent.Placing{Label: "production", Version: 1}, agent.LabelRule{Protected: d.Policies.Protects("production")}, on)
			return agentStep(s, trail), err
		})
		return err
	})
	w.wantEach("Label beside the rule", errs, agent.ErrProtected)
	for i, err := range errs[:crowd] {
		w.want("what was decided by the rule", err != nil, revisions[i] == 2)
		w.want("whether there is a label", len(w.agent(ids[i]).Labels) == 0, err != nil)
	}
	w.wantErr("Label after the rule", w.place(w.hire("z", "Sales").ID(), "production", 1), agent.ErrProtected)
	moved := w.hire("y", "Sales").ID()
	w.change(moved, `{"department":"Ops"}`)
	w.wantNil("Label in another department", w.place(moved, "production", 1))
}

// labelBesideMove moves agents into a department that protects a label, beside changes of
// the label: it is set before an agent is there, or not at all.
func labelBesideMove(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	_, err := w.Departments.Update(w.Context(), key("Ops"), w.amending(`{"policies":{"protected_labels":["production"]}}`, nil))
	w.wantNil("Update", err)
	var ids []agent.ID
	for i := range crowd {
		ids = append(ids, w.hire(fmt.Sprint("a", i), "Sales").ID())
	}
	errs := atOnce(2*crowd, func(i int) error {
		if i >= crowd {
			_, err := w.Agents.Update(w.Context(), byID(ids[i-crowd]), w.changing(`{"department":"Ops"}`, nil))
			return err
		}
		return w.place(ids[i], "production", 1)
	})
	w.wantEach("Label beside a move", errs, agent.ErrProtected)
	for i, err := range errs[:crowd] {
		a := w.agent(ids[i])
		w.want("the department", a.Department().Text, "Ops")
		w.want("whether there is a label", len(a.Labels) == 0, err != nil)
		for _, m := range w.moves(ids[i], "production") {
			w.want("the revision that the label was set with, before the move", m.Revision, int64(2))
		}
	}
}
