package portstest

import (
	"context"
	"strings"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/ports"
)

// The one who changes things unless a check says otherwise.
const actor = "ann"

func value(text string) jsondoc.Value { return must(jsondoc.Parse([]byte(text))) }

func key(text string) name.Key { return must(name.Parse(text)).Key }

func byID(id agent.ID) identity.Ref { return identity.Ref{ID: id} }

func byName(text string) identity.Ref { return identity.Ref{Name: key(text)} }

// quote is s as a JSON string.
func quote(s string) string {
	w := jsondoc.NewWriter(nil)
	w.Text(s)
	return string(w.Bytes())
}

// known are references by id, all to agents that exist for the rules.
func known(texts []string) identity.References {
	refs := identity.References{}
	for _, text := range texts {
		refs[text] = agent.ID(text)
	}
	return refs
}

// doc is a JSON object with a name and more members, each as JSON text.
func doc(title string, members ...string) jsondoc.Value {
	return value(`{"name":` + strings.Join(append([]string{quote(title)}, members...), ",") + `}`)
}

// trail returns what makes the trail of one change, the same at every try.
func (w *world) trailOf(r *idempotency.Record) func(of audit.Resource, from, to int64) ports.Trail {
	entry := audit.Entry{
		ID: w.id(), At: w.now(), Actor: actor,
		Route: "PATCH /api/v1/things/{thing_id}", RequestID: "request-" + w.id(),
	}
	return func(of audit.Resource, from, to int64) ports.Trail {
		entry.Resource, entry.From, entry.To = of, from, to
		return ports.Trail{Audit: entry, Idempotency: r}
	}
}

// newRecord returns an idempotency record for the key, made now.
func (w *world) newRecord(key string) *idempotency.Record {
	return &idempotency.Record{
		Key: idempotency.Key(key), Fingerprint: "fingerprint", At: w.now(),
		Reply: &idempotency.Reply{Status: 201, Body: []byte(`{"data":"` + w.id() + `"}`), ETag: `"1"`, Location: "/api/v1/x"},
	}
}

// kept returns the idempotency record under a key as a request sees it that comes right
// after it was made, or nil. The key is free afterwards if it was.
func (w *world) kept(made *idempotency.Record) *idempotency.Record {
	w.Helper()
	c := idempotency.Lock{Key: made.Key, Fingerprint: made.Fingerprint, Owner: w.id(), At: made.At}
	got, err := w.Idempotency.Lock(w.Context(), c)
	w.wantNil("Claim", err)
	w.wantNil("Release", w.Idempotency.Release(w.Context(), c))
	return got
}

// entries returns the audit trail of a resource, the newest first.
func (w *world) entries(of audit.Resource) []audit.Entry {
	w.Helper()
	entries, err := w.Audit.Entries(w.Context(), audit.Query{Resource: of, Limit: 10_000})
	w.wantNil("Entries", err)
	return entries
}

func (w *world) cause() activity.Cause {
	return activity.Cause{At: w.now(), By: actor, IDs: &activity.IDs{New: w.id}}
}

// change is what an update of an agent is given.
type change = func(agent.Agent) (ports.AgentChange, error)

func agentStep(s agent.Step, trail func(audit.Resource, int64, int64) ports.Trail) ports.AgentChange {
	to := s.Agent.Revision
	if s.Deleted {
		to = 0
	}
	return ports.AgentChange{Step: s, Trail: trail(audit.Agent(string(s.Agent.ID())), s.From, to)}
}

// hiring returns the step that hires an agent. Members are more of its fields.
func (w *world) hiring(title, department string, members ...string) ports.AgentChange {
	members = append(members, `"role":"worker"`, `"department":`+quote(department))
	p := must(agent.ParseNew(doc(title, members...)))
	p = p.Resolve(known(p.References()))
	return agentStep(must(agent.Hire(agent.ID(w.id()), p, w.cause())), w.trailOf(nil))
}

// hiringAs returns what makes the agent of an id of its department's name, with an
// idempotency record or nil.
func (w *world) hiringAs(id agent.ID, title string, r *idempotency.Record) func(department name.Name) (ports.AgentChange, error) {
	on, trail := w.cause(), w.trailOf(r)
	return func(department name.Name) (ports.AgentChange, error) {
		p := must(agent.ParseNew(doc(title, `"role":"worker"`, `"department":`+quote(department.Text))))
		return agentStep(must(agent.Hire(id, p, on)), trail), nil
	}
}

// Hire stores the agent of a step that was made before, by the name of the
// department that it has.
func Hire(ctx context.Context, agents ports.AgentStore, s ports.AgentChange) error {
	_, err := agents.Create(ctx, s.Agent.Department(), func(name.Name) (ports.AgentChange, error) { return s, nil })
	return err
}

// hire stores a new agent.
func (w *world) hire(title, department string, members ...string) agent.Agent {
	w.Helper()
	s := w.hiring(title, department, members...)
	w.wantNil("Create("+title+")", Hire(w.Context(), w.Agents, s))
	return s.Agent
}

// changing returns what applies a patch, with an idempotency record or nil.
func (w *world) changing(patch string, r *idempotency.Record) change {
	p, on, trail := must(agent.ParsePatch(value(patch))), w.cause(), w.trailOf(r)
	return func(a agent.Agent) (ports.AgentChange, error) {
		s, err := a.Change(p, on)
		return agentStep(s, trail), err
	}
}

func (w *world) firing() change {
	on, trail := w.cause(), w.trailOf(nil)
	return func(a agent.Agent) (ports.AgentChange, error) { return agentStep(a.Fire(on), trail), nil }
}

func (w *world) rollingBack(target identity.Version, reason *string) change {
	on, trail := w.cause(), w.trailOf(nil)
	on.Reason = reason
	return func(a agent.Agent) (ports.AgentChange, error) {
		s, err := a.Rollback(target, on)
		return agentStep(s, trail), err
	}
}

// update applies a change that has to work.
func (w *world) update(id agent.ID, do change) agent.Agent {
	w.Helper()
	a, err := w.Agents.Update(w.Context(), byID(id), do)
	w.wantNil("Update", err)
	return a
}

func (w *world) change(id agent.ID, patch string) agent.Agent {
	w.Helper()
	return w.update(id, w.changing(patch, nil))
}

func (w *world) fire(id agent.ID) {
	w.Helper()
	w.update(id, w.firing())
}

// agent reads an agent that has to exist.
func (w *world) agent(id agent.ID) agent.Agent {
	w.Helper()
	a, err := w.Agents.Agent(w.Context(), byID(id))
	w.wantNil("Agent", err)
	rec, err := w.Agents.Record(w.Context(), byID(id))
	w.wantNil("Record", err)
	w.want("Record", rec, a.Record())
	return a
}

// records are agents as stores keep them.
func records(agents []agent.Agent) []agent.Record {
	all := make([]agent.Record, len(agents))
	for i, a := range agents {
		all[i] = a.Record()
	}
	return all
}

// agents reads a list of agents in pages of limit.
func (w *world) agents(q agent.Query, limit int) []agent.Agent {
	w.Helper()
	q.Limit = limit
	return walk(w, limit, func(last *agent.Agent) ([]agent.Agent, error) {
		if last != nil {
			at := last.Position()
			q.After = &at
		}
		return w.agentsPage(q), nil
	})
}

// agentsPage reads one page of a list of agents.
func (w *world) agentsPage(q agent.Query) []agent.Agent {
	w.Helper()
	kept, err := w.Agents.Records(w.Context(), q)
	w.wantNil("Records", err)
	var page []agent.Agent
	for _, r := range kept {
		a, err := r.Agent()
		w.wantNil("Agent of a record", err)
		page = append(page, a)
	}
	w.want("Records", kept, records(page))
	return page
}

// members returns the ids of a department's agents in their order.
func (w *world) members(department string) []agent.ID {
	w.Helper()
	return idsOf(w.agents(agent.Query{Department: key(department)}, 1000))
}

func idsOf(agents []agent.Agent) []agent.ID {
	ids := make([]agent.ID, len(agents))
	for i, a := range agents {
		ids[i] = a.ID()
	}
	return ids
}

// versions returns all versions of an agent, the newest first.
func (w *world) versions(id agent.ID) []identity.Version {
	w.Helper()
	versions, err := w.Identities.Versions(w.Context(), id, 0, 10_000)
	w.wantNil("Versions", err)
	return versions
}

// career returns the lifecycle events of an agent, the oldest first.
func (w *world) career(id agent.ID) []activity.Event {
	w.Helper()
	events, err := w.Activities.Career(w.Context(), id)
	w.wantNil("Career", err)
	return events
}

// fixed is a change that is this step, whatever it is given.
func fixed(s ports.AgentChange) change {
	return func(agent.Agent) (ports.AgentChange, error) { return s, nil }
}
