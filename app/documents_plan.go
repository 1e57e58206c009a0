package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"orgd/domain/access"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/organization"
	"orgd/ports"
)

// attempts is how often a plan is made while others change the organization.
const attempts = 4

// PlanDocument asks what has to change for the organization to become as a document.
type PlanDocument struct {
	Document *organization.Document
	Entries  organization.Entries
	Prune    bool // delete what the document does not name
	// Incarnation names the history that revisions count in.
	Incarnation string
	// Emit gets the changes in order. Their texts are valid until it returns. If Plan
	// fails, they do not count.
	Emit func(organization.Change) error
	// Restart discards the changes so far, because the organization has changed and
	// is read again.
	Restart func() error
	// Reply makes the answer from the plan's hash; nil if it is too long to be
	// kept for an idempotency key.
	Reply func(hash string) *idempotency.Reply
}

// Plan returns the hash of the plan. It returns organization.ErrRefused with
// everything that keeps the document from being applied, and organization.ErrChanged if others
// keep changing the organization while it is planned.
func (s *Documents) Plan(ctx context.Context, c Call, in PlanDocument) (string, error) {
	p, err := s.plan(ctx, c, in)
	if isEnded(err) {
		return "", stopped(err, "the plan was not ready, and nothing was changed")
	}
	if err != nil {
		return "", err
	}
	return p.Hash, s.keep(ctx, c, func() *idempotency.Reply { return in.Reply(p.Hash) })
}

// keep stores the answer to a request with an idempotency key, beside a change
// without effect. An answer that is too long is not kept: the plan is made again.
func (s *Documents) keep(ctx context.Context, c Call, reply func() *idempotency.Reply) error {
	if c.Lock == nil {
		return nil
	}
	r := reply()
	if r == nil || len(r.Body) > idempotency.MaxReply {
		return nil
	}
	ch := newChange(s.clock, s.ids, c)
	_, err := s.company.Update(ctx, func(co company.Company, _ bool) (ports.Change[company.Company], error) {
		return ch.companyChange(audit.CompanyUpdated, co, co, func() idempotency.Reply { return *r }), nil
	})
	return err
}

// plan reads and compares the organization again, a few times, if it changes
// meanwhile.
func (s *Documents) plan(ctx context.Context, c Call, in PlanDocument) (*organization.Plan, error) {
	if in.Document.Imports() {
		if err := access.CheckImport(c.Actor); err != nil {
			return nil, err
		}
	}
	for attempt := 1; ; attempt++ {
		p, err := s.planOnce(ctx, c, in)
		if !errors.Is(err, organization.ErrChanged) {
			return p, err
		}
		if attempt == attempts {
			return nil, err
		}
		if in.Restart != nil {
			if err := in.Restart(); err != nil {
				return nil, err
			}
		}
	}
}

func (s *Documents) planOnce(ctx context.Context, c Call, in PlanDocument) (*organization.Plan, error) {
	state, err := s.state(ctx, c.live)
	if err != nil {
		return nil, err
	}
	return organization.NewPlan(organization.Inputs{
		Document: in.Document, Entries: liveEntries{in.Entries, c}, State: state, Prune: in.Prune, Incarnation: in.Incarnation,
		Department: func(key name.Key) (department.Department, error) { return s.departments.Department(ctx, key) },
		Agents:     s.agentPages(ctx, c.live),
		Former:     func(id agent.ID) (name.Key, error) { return s.formerName(ctx, id) },
		Costs:      func() (bool, error) { return s.company.Costs(ctx) },
		NewID:      s.ids.NewID, On: activity.Cause{At: s.clock.Now()}, Emit: in.Emit,
	})
}

// formerName returns the name that an agent had before the one that it has, "" if it had no other.
func (s *Documents) formerName(ctx context.Context, id agent.ID) (name.Key, error) {
	var is name.Key
	read := func(last *identity.Version) ([]identity.Version, error) {
		var before int64
		if last != nil {
			before = last.Number
		}
		return s.identities.Versions(ctx, id, before, RowsAtOnce)
	}
	for found, err := range pages(read) {
		if err != nil {
			return "", err
		}
		for _, v := range found {
			if is = cmp.Or(is, v.Content.Name.Key); v.Content.Name.Key != is {
				return v.Content.Name.Key, nil
			}
		}
	}
	return "", nil
}

// liveEntries are entries that are read as long as the caller's session goes on.
type liveEntries struct {
	organization.Entries
	call Call
}

// Agent implements [organization.Entries].
func (e liveEntries) Agent(i int) (jsondoc.Value, error) {
	if err := e.call.live(); err != nil {
		return jsondoc.Value{}, err
	}
	return e.Entries.Agent(i)
}

// state reads what a plan keeps of an organization.
func (s *Documents) state(ctx context.Context, live func() error) (*organization.State, error) {
	co, err := s.company.Company(ctx)
	if err != nil {
		return nil, err
	}
	state, keys := &organization.State{Company: co}, map[name.Key]name.Key{} // each key is in memory once
	read := func(last *department.Department) ([]department.Department, error) {
		var after company.OrderKey
		if last != nil {
			after = last.OrderKey
		}
		return s.departments.Departments(ctx, after, RowsAtOnce)
	}
	for found, err := range pages(read) {
		if err != nil {
			return nil, err
		}
		for _, d := range found {
			keys[d.Name.Key] = d.Name.Key
			state.Departments = append(state.Departments, department.Department{ // without its contents
				ID: d.ID, Name: d.Name, BudgetPercent: d.BudgetPercent, Revision: d.Revision,
			})
		}
	}
	for found, err := range s.agentPages(ctx, live) {
		if err != nil {
			return nil, err
		}
		for _, r := range found {
			n, err := name.Parse(r.Name)
			if err != nil {
				return nil, fmt.Errorf("agent %s: %w", r.ID, err)
			}
			in, err := r.Department()
			if err != nil {
				return nil, err
			}
			key, known := keys[in.Key]
			if !known { // created since the departments were read
				key = in.Key.Clone()
			}
			state.Agents = append(state.Agents, organization.Member{ID: r.ID, Name: n.Clone(), Department: key, OrderKey: r.OrderKey, Revision: r.Revision})
		}
	}
	return state, nil
}
