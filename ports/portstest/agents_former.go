package portstest

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/ports"
)

type formerChange = func(agent.Former) (ports.AgentChange, error)

func (w *world) restoring(in agent.Restoring, r *idempotency.Record) formerChange {
	on, trail := w.cause(), w.trailOf(r)
	return func(f agent.Former) (ports.AgentChange, error) {
		s, err := f.Restore(in, on)
		return agentStep(s, trail), err
	}
}

func (w *world) purging() formerChange {
	on, trail := w.cause(), w.trailOf(nil)
	return func(f agent.Former) (ports.AgentChange, error) { return agentStep(f.Purge(on), trail), nil }
}

func (w *world) restore(id agent.ID, in agent.Restoring) (agent.Agent, error) {
	return w.Agents.Restore(w.Context(), id, w.restoring(in, nil))
}

// deletedAgents are all deleted agents, read in small pages.
func (w *world) deletedAgents() []agent.Deletion {
	w.Helper()
	return walk(w, 2, func(last *agent.Deletion) ([]agent.Deletion, error) {
		q := agent.Deletions{Limit: 2}
		if last != nil {
			at := last.Position()
			q.After = &at
		}
		return w.Agents.Deleted(w.Context(), q)
	})
}

// agentDeleted deletes several at one time and at others.
func agentDeleted(w *world) {
	w.createDepartment("Sales")
	w.want("Deleted of an empty storage", w.deletedAgents(), nil)
	at := w.now()
	var want []agent.Deletion
	for i, title := range []string{"Ann", "Bob", "Cid", "Dan", "Eve"} {
		a := w.hire(title, "Sales")
		on := w.cause()
		on.At, on.By = at.Add(time.Duration(i/2)*time.Hour+time.Minute), "fred"
		s := agentStep(a.Fire(on), w.trailOf(nil))
		w.update(a.ID(), fixed(s))
		want = append(want, agent.Deletion{ID: a.ID(), Name: title, Department: "Sales", At: on.At, By: "fred"})
	}
	slices.SortFunc(want, func(a, b agent.Deletion) int { return cmp.Or(b.At.Compare(a.At), cmp.Compare(b.ID, a.ID)) })
	w.want("Deleted", w.deletedAgents(), want)
}

// agentRestore deletes an agent that has all that one can have, and brings it back.
func agentRestore(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	a, other := w.hire("Bob", "Sales", rich), w.hire("Ann", "Sales")
	w.change(a.ID(), `{"tier":"large","description":"two"}`)
	_, err := w.Departments.Reorder(w.Context(), key("Sales"), w.reordering(func(m []agent.Member) []agent.Member {
		slices.Reverse(m)
		return m
	}, nil))
	w.wantNil("Reorder", err)
	w.wantNil("Label", w.place(a.ID(), "production", 1))
	report := w.reporting(a.ID(), epoch, measuring(largest))
	w.report(report)
	last, career, counts := w.agent(a.ID()), w.career(a.ID()), w.counts(key("Sales"))
	w.fire(a.ID())
	fired := w.career(a.ID())[len(career):]

	former := agent.Former{Last: withoutLabels(last), Deletion: w.deletedAgents()[0]}
	s := must(w.restoring(agent.Restoring{}, nil)(former))
	got, err := w.Agents.Restore(w.Context(), a.ID(), func(f agent.Former) (ports.AgentChange, error) {
		w.want("what Restore loads", f, former)
		return s, nil
	})
	w.wantNil("Restore", err)
	w.want("Restore", got, s.Agent)
	w.want("the agent", w.agent(a.ID()), s.Agent)
	w.want("its place", s.Agent.OrderKey, last.OrderKey)
	w.want("the order of the organization", w.members("Sales"), []agent.ID{other.ID(), a.ID()})
	w.want("the agents that have the label", w.labeled(agent.LabelQuery{Label: "production"}), nil)
	w.want("Deleted", w.deletedAgents(), nil)
	w.want("the newest version", w.versions(a.ID())[0], *s.Version)
	w.want("the career", w.career(a.ID()), slices.Concat(career, fired, s.Events))
	w.wantAgentDays(a.ID(), 0, []ports.Report{report})
	w.want("the headcount", w.counts(key("Sales")), counts)

	w.wantNil("Label", w.place(a.ID(), "production", 2)) // its history has its own revisions
	w.want("the history of the label", len(w.moves(a.ID(), "production")), 3)
	w.fire(a.ID())
	n, d := must(name.Parse("Bobby")), must(name.Parse("Ops"))
	got, err = w.restore(a.ID(), agent.Restoring{Name: &n, Department: &d})
	w.wantNil("Restore", err)
	w.want("the agent", w.agent(a.ID()), got)
	w.want("its department", w.members("Ops"), []agent.ID{a.ID()})
	w.change(a.ID(), `{"description":"three"}`)
}

func withoutLabels(a agent.Agent) agent.Agent {
	a.Labels = nil
	return a
}

// agentRestoreRefused has everything in the way that can be.
func agentRestoreRefused(w *world) {
	w.createDepartment("Sales")
	w.createDepartment("Ops")
	id := w.hire("Bob", "Ops").ID()
	never := agent.ID("0190a5c4-0000-7000-8000-ffffffffffff")
	refuse := func(what string, of agent.ID, want error) {
		w.wantNothingStored("Restore "+what, want, func(r *idempotency.Record) error {
			_, err := w.Agents.Restore(w.Context(), of, w.restoring(agent.Restoring{}, r))
			return err
		}, id)
	}
	refuse("of an agent that exists", id, agent.ErrNotFound)
	refuse("of nobody", never, agent.ErrNotFound)
	w.wantErr("Purge of an agent that exists", w.Agents.Purge(w.Context(), id, w.purging()), agent.ErrNotFound)
	w.wantErr("Purge of nobody", w.Agents.Purge(w.Context(), never, w.purging()), agent.ErrNotFound)
	w.fire(id)
	holder := w.hire("BOB", "Sales")
	refuse("while the name is taken", id, agent.ErrExists)
	w.fire(holder.ID())
	w.wantNil("Delete", w.deleteDepartment("Ops"))
	refuse("while the department is gone", id, agent.ErrDepartment)
	w.createDepartment("Ops")
	failed := errors.New("no")
	w.wantNothingStored("Restore that fails", failed, func(*idempotency.Record) error {
		_, err := w.Agents.Restore(w.Context(), id, func(agent.Former) (ports.AgentChange, error) { return ports.AgentChange{}, failed })
		return err
	}, id)
	next := []agent.ID{id, holder.ID()}
	w.wantRecordOnce("Restore", func(r *idempotency.Record) error {
		id, n := next[0], must(name.Parse(string("n"+next[0][30:])))
		next = next[1:]
		_, err := w.Agents.Restore(w.Context(), id, w.restoring(agent.Restoring{Name: &n}, r))
		return err
	})
	w.want("the agents", idsOf(w.agents(agent.Query{}, 10)), []agent.ID{id})
}

// agentRestoreParallel restores one agent many times at once, and has a name that many want.
func agentRestoreParallel(w *world) {
	w.createDepartment("Sales")
	id := w.hire("Bob", "Sales").ID()
	w.fire(id)
	errs := atOnce(crowd, func(int) error {
		_, err := w.restore(id, agent.Restoring{})
		return err
	})
	if n := w.wantEach("Restore at once", errs, agent.ErrNotFound); n != 1 {
		w.Errorf("%d of %d restored the agent, want 1", n, crowd)
	}
	w.want("the number of versions", len(w.versions(id)), 2)
	w.want("the headcount", w.counts(key("Sales")).Total, int64(1))

	var ids []agent.ID
	w.fire(id)
	for range crowd {
		ids = append(ids, w.hire("Ann", "Sales").ID())
		w.fire(ids[len(ids)-1])
	}
	errs = atOnce(crowd, func(i int) error {
		_, err := w.restore(ids[i], agent.Restoring{})
		return err
	})
	if n := w.wantEach("Restore of one name at once", errs, agent.ErrExists); n != 1 {
		w.Errorf("%d of %d got the name, want 1", n, crowd)
	}
	w.want("the headcount", w.counts(key("Sales")).Total, int64(1))

	errs = atOnce(2, func(i int) error {
		if i == 0 {
			_, err := w.restore(id, agent.Restoring{})
			return err
		}
		return w.Agents.Purge(w.Context(), id, w.purging())
	})
	if n := w.wantEach("Restore and Purge at once", errs, agent.ErrNotFound); n != 1 {
		w.Errorf("%d of a restore and a purge at once took effect, want 1", n)
	}
}

// agentPurge purges one of two agents that have the same things.
func agentPurge(w *world) {
	const many = 700 // more than one step removes
	w.createDepartment("Sales")
	gone, stays := w.hire("Bob", "Sales").ID(), w.hire("Ann", "Sales").ID()
	var reports []ports.Report
	for _, id := range []agent.ID{gone, stays} {
		for i := range 30 {
			w.change(id, `{"description":`+quote(time.Duration(i).String())+`}`)
		}
		w.wantNil("Label", w.place(id, "production", 2))
		var batch []ports.Report
		for i := range many {
			batch = append(batch, w.reporting(id, epoch.Add(time.Duration(i)*time.Hour), measuring(smallest)))
		}
		w.report(batch...)
		reports = append(reports, batch...)
	}
	_, err := w.Identities.Content(w.Context(), gone, 2) // is remembered
	w.wantNil("Content", err)
	w.fire(gone)
	kept, versions, career := reports[many:], w.versions(stays), w.career(stays)
	trail := w.entries(audit.Agent(string(gone)))

	w.wantNil("Purge", w.Agents.Purge(w.Context(), gone, w.purging()))
	_, _, err = w.Agents.Resolve(w.Context(), byID(gone))
	w.wantErr("Resolve", err, agent.ErrNotFound)
	w.want("its versions", w.versions(gone), nil)
	w.want("Deleted", w.deletedAgents(), nil)
	for number := range int64(3) {
		_, err := w.Identities.Version(w.Context(), gone, number+1)
		w.wantErr("Version", err, identity.ErrVersionNotFound)
		_, err = w.Identities.Content(w.Context(), gone, number+1)
		w.wantErr("Content", err, identity.ErrVersionNotFound)
	}
	w.want("the history of its label", w.moves(gone, "production"), nil)
	w.want("its events", w.feed(activity.Query{AgentID: string(gone)}, 10), nil)
	w.want("its career", w.career(gone), nil)
	w.wantAgentDays(gone, 0, nil)
	w.wantDepartmentDays(salesID, 0, reports)
	w.want("the number of entries of the trail", len(w.entries(audit.Agent(string(gone)))), len(trail)+1)
	_, err = w.restore(gone, agent.Restoring{})
	w.wantErr("Restore", err, agent.ErrNotFound)
	w.wantErr("a second Purge", w.Agents.Purge(w.Context(), gone, w.purging()), agent.ErrNotFound)
	late := []ports.Report{w.reporting(stays, epoch), w.reporting(gone, epoch)}
	_, err = w.Activities.Append(w.Context(), late, w.sealed(nil))
	w.wantErr("Append of what another has begun before", err, agent.ErrNotFound)
	w.want("its events", w.feed(activity.Query{AgentID: string(gone)}, 10), nil)

	w.want("the versions of the other", w.versions(stays), versions)
	w.want("the career of the other", w.career(stays), career)
	w.want("the label of the other", w.labeled(agent.LabelQuery{Label: "production"}), []string{"Ann 2"})
	w.wantAgentDays(stays, 0, kept)
	before := w.everything(gone)
	w.deleteExpired(ports.Expiry{})
	w.want("the storage after the next upkeep", w.everything(gone), before)
}
