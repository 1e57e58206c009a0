package portstest

import (
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/project"
	"orgd/domain/webhook"
)

// state is all that a small storage shows of itself.
type state struct {
	Company     company.Company
	Departments []department.Department
	Agents      []agent.Agent
	Versions    map[agent.ID][]identity.Version
	Events      []activity.Event
	Projects    []project.Project
	Webhooks    []webhook.Webhook
	Deliveries  [][]webhook.Delivery // of each of the webhooks
	Audit       []audit.Entry
}

// everything reads the whole storage. gone are agents that do not exist.
func (w *world) everything(gone ...agent.ID) state {
	w.Helper()
	const most = 10_000
	ctx := w.Context()
	s := state{Company: w.company(), Versions: map[agent.ID][]identity.Version{}}
	var err error
	s.Departments, err = w.Departments.Departments(ctx, "", most)
	w.wantNil("Departments", err)
	s.Agents = w.agents(agent.Query{}, most)
	for _, id := range append(idsOf(s.Agents), gone...) {
		s.Versions[id] = w.versions(id)
	}
	s.Events, err = Events(ctx, w.Activities, activity.Query{Limit: most})
	w.wantNil("Events", err)
	s.Projects, err = w.Projects.Projects(ctx, project.Query{Limit: most})
	w.wantNil("Projects", err)
	s.Webhooks = w.webhooks(most)
	for _, h := range s.Webhooks {
		s.Deliveries = append(s.Deliveries, w.deliveries(h.ID, most))
	}
	s.Audit, err = w.Audit.Entries(ctx, audit.Query{Limit: most})
	w.wantNil("Entries", err)
	return s
}

// wantNothingStored checks that do, which gets an idempotency record, ends with the error
// want and leaves the storage as it was, without the idempotency record too. gone are
// agents that the step would have made.
func (w *world) wantNothingStored(call string, want error, do func(*idempotency.Record) error, gone ...agent.ID) {
	w.Helper()
	before := w.everything(gone...)
	r := w.newRecord("of a refused step " + w.id())
	w.wantErr(call, do(r), want)
	w.want("the storage after "+call, w.everything(gone...), before)
	if got := w.kept(r); got != nil {
		w.Errorf("%s stored the record %+v, want none", call, got)
	}
}

// wantOnlyRecord checks that do, a step without effect, stores its idempotency record and
// nothing else.
func (w *world) wantOnlyRecord(call string, do func(*idempotency.Record) error) {
	w.Helper()
	before := w.everything()
	w.wantNil(call+" without a record", do(nil))
	r := w.newRecord("of a step without effect " + w.id())
	w.wantNil(call, do(r))
	w.want("the storage after "+call, w.everything(), before)
	w.want("the record of "+call, w.kept(r), r)
}

// wantRecordOnce checks that do stores the idempotency record that it gets, and that a
// second step with it is refused and stores nothing.
func (w *world) wantRecordOnce(call string, do func(*idempotency.Record) error) {
	w.Helper()
	first := w.newRecord("of " + call)
	w.wantNil(call, do(first))
	before := w.everything()
	second := w.newRecord("of " + call)
	w.wantErr(call+" with a used key", do(second), idempotency.ErrRunning)
	w.want("the storage after a second "+call, w.everything(), before)
	w.want("the record of "+call, w.kept(first), first)
}

// wantUnbroken checks that the versions and the audit trail of an agent have no
// gaps and no repeats. It returns the number of versions.
func (w *world) wantUnbroken(id agent.ID, steps int, deleted bool) int {
	w.Helper()
	versions := w.versions(id)
	for i, v := range versions {
		if want := int64(len(versions) - i); v.Number != want || v.Hash != v.Content.Hash() {
			w.Errorf("version %d has number %d and hash %s, want its own", want, v.Number, v.Hash)
		}
	}
	w.wantTrail(audit.Agent(string(id)), steps, deleted)
	return len(versions)
}

// wantTrail checks that a resource was created and then changed in steps of one
// revision, and deleted in the last one if deleted is set.
func (w *world) wantTrail(of audit.Resource, steps int, deleted bool) {
	w.Helper()
	entries := w.entries(of)
	if len(entries) != steps {
		w.Errorf("%s has %d audit entries, want %d", of, len(entries), steps)
	}
	to := map[int64]int64{}
	for _, e := range entries {
		to[e.From] = e.To
	}
	for i := range steps {
		from, want := int64(i), int64(i+1)
		if deleted && i == steps-1 {
			want = 0
		}
		if got, ok := to[from]; !ok || got != want {
			w.Errorf("audit entry of %s from revision %d: %d (%t), want %d", of, from, got, ok, want)
		}
	}
}

// wantNever checks that nothing is known of an agent that was refused.
func (w *world) wantNever(id agent.ID) {
	w.Helper()
	_, _, err := w.Agents.Resolve(w.Context(), byID(id))
	w.wantErr("Resolve of a refused agent", err, agent.ErrNotFound)
	w.want("Versions of a refused agent", w.versions(id), nil)
	w.want("Career of a refused agent", w.career(id), nil)
	w.want("Entries of a refused agent", w.entries(audit.Agent(string(id))), nil)
}
