package app

import (
	"context"
	"errors"
	"fmt"

	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/fault"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/organization"
	"orgd/ports"
)

// ApplyDocument asks for the organization to become as a document.
type ApplyDocument struct {
	Document *organization.Document
	Entries  organization.Entries
	Prune    bool
	// Hash, unless "", is that of the only plan that may be executed.
	Hash  string
	Reply func(Applied) idempotency.Reply
}

// Applied is the result of an apply.
type Applied struct {
	Hash string // of the plan that was executed
	organization.Counts
}

// Apply makes the organization as a document by atomic operations. If it is
// interrupted, a second apply does the rest. It stops before the next operation when the
// caller's session ends, and the error says how far it came.
//
// It returns organization.ErrRefused with everything that is wrong before anything is
// changed, and organization.ErrStale if the plan has another hash than the one
// given. If others change the organization meanwhile, a new plan is made, a few times; with a
// hash, organization.ErrStale is returned.
func (s *Documents) Apply(ctx context.Context, c Call, in ApplyDocument) (Applied, error) {
	var done Applied
	changes := 0 // of all attempts
	for attempt := 1; ; attempt++ {
		p, err := s.plan(ctx, c, PlanDocument{Document: in.Document, Entries: in.Entries, Prune: in.Prune})
		if isEnded(err) {
			return Applied{}, stopped(err, "%d changes were made before the plan was ready", changes)
		}
		if err == nil && in.Hash != "" && p.Hash != in.Hash {
			return Applied{}, organization.ErrStale
		}
		if err == nil {
			if done.Hash == "" {
				done = Applied{Hash: p.Hash, Counts: p.Counts}
			}
			changes, err = s.execute(ctx, c, p, in, changes)
		}
		switch {
		case err == nil:
			return done, s.keep(ctx, c, func() *idempotency.Reply { r := in.Reply(done); return &r })
		case p == nil && errors.Is(err, organization.ErrChanged), !isConflict(err), attempt == attempts:
			return Applied{}, err
		case in.Hash != "":
			return Applied{}, organization.ErrStale.With("plan_hash: the organization has changed while the plan was carried out")
		}
	}
}

// isConflict reports whether err may be due to a change of the organization since it
// was read.
func isConflict(err error) bool {
	if errors.Is(err, organization.ErrRefused) || errors.Is(err, organization.ErrMalformed) {
		return false
	}
	switch fault.Of(err).Code / 1000 {
	case 2, 3, 4:
		return true
	}
	return false
}

// execution executes a plan.
type execution struct {
	*Documents
	plan   *organization.Plan
	call   Call
	strict bool // fails at another revision than the plan has read
}

// execute returns how many changes are made now; before are those of earlier attempts.
func (s *Documents) execute(ctx context.Context, c Call, p *organization.Plan, in ApplyDocument, before int) (done int, err error) {
	c.Lock = nil // the answer is stored after the last operation
	x := execution{Documents: s, plan: p, call: c, strict: in.Hash != ""}
	all := before
	for _, phase := range p.Phases {
		all += len(phase)
	}
	var next organization.Operation
	for _, phase := range p.Phases {
		n, err := each(phase,
			func(op organization.Operation) error { next = op; return c.live() },
			func(op organization.Operation) error { return x.run(ctx, op) })
		before += n
		if isEnded(err) {
			err = stopped(err, "%d of %d changes were made, and the next is %s", before, all, p.Path(next))
		}
		if err != nil {
			return before, err
		}
	}
	return before, nil
}

func (x execution) run(ctx context.Context, op organization.Operation) error {
	switch op.Kind {
	case organization.UpdateCompany:
		return x.updateCompany(ctx, op)
	case organization.CreateDepartment:
		return x.createDepartment(ctx, op)
	case organization.UpdateDepartment, organization.ReleaseShare:
		return x.updateDepartment(ctx, op)
	case organization.DeleteDepartment:
		return x.deleteDepartment(ctx, op)
	case organization.CreateAgent:
		return x.createAgent(ctx, op)
	case organization.StepAside, organization.UpdateAgent, organization.DeleteAgent:
		return x.updateAgent(ctx, op)
	case organization.ReorderAgents:
		return x.reorderAgents(ctx, op)
	case organization.ReorderDepartments:
		return x.reorderDepartments(ctx)
	}
	return fmt.Errorf("app: unknown kind of operation %d", op.Kind)
}

// check returns err, or organization.ErrChanged for a strict execution at another
// revision.
func (x execution) check(op organization.Operation, now int64, err error) error {
	if x.strict && now != op.From {
		return organization.ErrChanged
	}
	return err
}

func (x execution) updateCompany(ctx context.Context, op organization.Operation) error {
	patch, ch := x.plan.CompanyPatch(op), newChange(x.clock, x.ids, x.call)
	_, err := x.company.Update(ctx, func(co company.Company, costs bool) (ports.Change[company.Company], error) {
		next, err := co.Change(patch, costs, ch.at)
		return ch.companyChange(audit.CompanyUpdated, co, next, noReply), x.check(op, co.Revision, err)
	})
	return err
}

func (x execution) createDepartment(ctx context.Context, op organization.Operation) error {
	patch, err := x.plan.DepartmentPatch(op)
	if err != nil {
		return err
	}
	create := newChange(x.clock, x.ids, x.call).createDepartment(x.ids.NewID(), patch, func(department.Department) idempotency.Reply { return noReply() })
	_, err = x.departments.Create(ctx, op.Department, create)
	return err
}

func (x execution) updateDepartment(ctx context.Context, op organization.Operation) error {
	ch := newChange(x.clock, x.ids, x.call)
	change := func(d department.Department, _ money.Percent) (department.Department, error) {
		return d.WithoutBudget(ch.at), nil
	}
	if op.Kind == organization.UpdateDepartment {
		patch, err := x.plan.DepartmentPatch(op)
		if err != nil {
			return err
		}
		change = func(d department.Department, others money.Percent) (department.Department, error) {
			return d.Change(patch, others, ch.at)
		}
	}
	_, err := x.departments.Update(ctx, op.Department, func(d department.Department, others money.Percent) (ports.DepartmentChange, error) {
		next, err := change(d, others)
		return ch.departmentChange(audit.DepartmentUpdated, d, next, noReply), x.check(op, d.Revision, err)
	})
	return err
}

func (x execution) deleteDepartment(ctx context.Context, op organization.Operation) error {
	ch := newChange(x.clock, x.ids, x.call)
	return x.departments.Delete(ctx, op.Department, func(d department.Department, agents int64, co company.Company) (ports.DepartmentChange, error) {
		step, err := ch.deleteDepartment(d, agents, co)
		return step, x.check(op, d.Revision, err)
	})
}

func (x execution) createAgent(ctx context.Context, op organization.Operation) error {
	patch, err := x.plan.AgentPatch(op)
	if err != nil {
		return err
	}
	as := x.plan.AsOf(op)
	ch := x.change(as)
	events := ch.cause(x.ids)
	_, err = x.agents.Create(ctx, *patch.Department(), func(department name.Name) (ports.AgentChange, error) {
		step, err := agent.Hire(op.Agent, patch.In(department), events)
		return ch.agentChange(asOf(step, as, identity.Version{}), noReply), err
	})
	return err
}

// change begins the change of an agent, for the reason that its entry gives or the caller.
func (x execution) change(as *identity.AsOf) change {
	if as != nil && as.Reason != nil {
		x.call.Reason = as.Reason
	}
	return newChange(x.clock, x.ids, x.call)
}

// asOf returns a step whose version, if it makes one after before, is as the entry says.
func asOf(s agent.Step, as *identity.AsOf, before identity.Version) agent.Step {
	if as != nil && s.Version != nil {
		s.Version = new(s.Version.AsOf(*as, before))
	}
	return s
}

// updateAgent changes or deletes an agent.
func (x execution) updateAgent(ctx context.Context, op organization.Operation) error {
	if op.Kind == organization.DeleteAgent {
		ch := newChange(x.clock, x.ids, x.call)
		events := ch.cause(x.ids)
		return x.writeAgent(ctx, ch, op, func(a agent.Agent) (agent.Step, error) { return a.Fire(events), nil })
	}
	patch, err := x.plan.AgentPatch(op)
	if err != nil {
		return err
	}
	as := x.plan.AsOf(op)
	before, err := x.newest(ctx, op, as)
	if err != nil {
		return err
	}
	ch := x.change(as)
	events := ch.cause(x.ids)
	return x.writeAgent(ctx, ch, op, func(a agent.Agent) (agent.Step, error) {
		if as != nil && a.Version != before.Number {
			return agent.Step{}, organization.ErrChanged
		}
		step, err := a.Change(patch, events)
		return asOf(step, as, before), err
	})
}

// newest returns the newest version of an agent if the next one follows it as of another time.
func (x execution) newest(ctx context.Context, op organization.Operation, as *identity.AsOf) (identity.Version, error) {
	if as == nil {
		return identity.Version{}, nil
	}
	found, err := x.identities.Versions(ctx, op.Agent, 0, 1)
	if err == nil && len(found) == 0 {
		err = identity.ErrRecordMissing
	}
	if err != nil {
		return identity.Version{}, err
	}
	return found[0], nil
}

func (x execution) writeAgent(ctx context.Context, ch change, op organization.Operation, change func(agent.Agent) (agent.Step, error)) error {
	_, err := x.agents.Update(ctx, identity.Ref{ID: op.Agent}, func(a agent.Agent) (ports.AgentChange, error) {
		step, err := change(a)
		return ch.agentChange(step, noReply), x.check(op, a.Revision, err)
	})
	return err
}

func (x execution) reorderAgents(ctx context.Context, op organization.Operation) error {
	ch := newChange(x.clock, x.ids, x.call)
	_, err := x.departments.Reorder(ctx, op.Department, func(d department.Department, now []agent.Member) (ports.DepartmentChange, error) {
		next, err := op.Place(now)
		if err != nil {
			return ports.DepartmentChange{}, err
		}
		step := ch.departmentChange(audit.AgentsReordered, d, d.Touch(ch.at), noReply)
		step.Members = next
		return step, nil
	})
	return err
}

// reorderDepartments runs when there are exactly the departments of the plan.
func (x execution) reorderDepartments(ctx context.Context) error {
	ch := newChange(x.clock, x.ids, x.call)
	_, err := x.company.Update(ctx, func(co company.Company, _ bool) (ports.Change[company.Company], error) {
		keys := make([]name.Key, len(co.Slots))
		for i, s := range co.Slots {
			keys[i] = s.Department
		}
		order, expected := x.plan.Order(keys)
		if x.strict && !expected {
			return ports.Change[company.Company]{}, organization.ErrChanged
		}
		next, err := co.Reorder(order, ch.at)
		return ch.companyChange(audit.DepartmentsReordered, co, next, noReply), err
	})
	return err
}
