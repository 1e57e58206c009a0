package app

import (
	"context"
	"maps"

	"orgd/domain/access"
	"orgd/domain/audit"
	"orgd/domain/ceremony"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/ports"
)

// Department is a department with the current names of the agents that it
// refers to. They are read while it is rendered: check Names.Err afterwards.
type Department struct {
	department.Department
	Names *Lookup
}

// Departments are the use cases on departments and their ceremony policies.
type Departments struct {
	clock       ports.Clock
	ids         ports.IDs
	departments ports.DepartmentStore
	agents      ports.AgentReader
	company     ports.CompanyStore
}

// NewDepartments returns the use cases on departments.
func NewDepartments(clock ports.Clock, ids ports.IDs, departments ports.DepartmentStore, agents ports.AgentReader, company ports.CompanyStore) *Departments {
	return &Departments{clock: clock, ids: ids, departments: departments, agents: agents, company: company}
}

// Department returns one department.
func (s *Departments) Department(ctx context.Context, key name.Key) (Department, error) {
	d, err := s.departments.Department(ctx, key)
	return Department{d, newLookup(ctx, s.agents, d)}, err
}

// List returns a page of departments in the company's order, beginning behind
// the order key after; "" begins with the first.
func (s *Departments) List(ctx context.Context, after company.OrderKey, limit int) ([]Department, error) {
	return listDepartments(ctx, s.departments, s.agents, after, limit)
}

func listDepartments(ctx context.Context, store ports.DepartmentStore, agents ports.AgentReader, after company.OrderKey, limit int) ([]Department, error) {
	found, err := store.Departments(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	names := newLookup(ctx, agents, found...)
	view := make([]Department, len(found))
	for i, d := range found {
		view[i] = Department{Department: d, Names: names}
	}
	return view, nil
}

// CreateDepartment is what a new department is made from. Reply makes the answer that is
// kept for an idempotency key; one that is not short is kept without its body.
type CreateDepartment struct {
	Patch department.Patch
	Reply func(d Department, short bool) idempotency.Reply
}

// Create creates a department at the end of the company's order.
func (s *Departments) Create(ctx context.Context, c Call, in CreateDepartment) (Department, error) {
	refs, names, err := resolve(ctx, s.agents, in.Patch.References())
	if err != nil {
		return Department{}, err
	}
	patch := in.Patch.Resolve(refs)
	view := func(d department.Department) Department { return Department{d, &Lookup{names: names}} }
	create := newChange(s.clock, s.ids, c).createDepartment(s.ids.NewID(), patch, func(d department.Department) idempotency.Reply {
		short := d.Size() <= page.LongBytes
		return kept(in.Reply(view(d), short), short)
	})
	d, err := s.departments.Create(ctx, patch.Name().Key, create)
	return view(d), err
}

// ChangeDepartment is a change of one department.
type ChangeDepartment struct {
	Key   name.Key
	Patch department.Patch
}

// Change merges a patch into a department.
func (s *Departments) Change(ctx context.Context, c Call, in ChangeDepartment) (Department, error) {
	if in.Patch.SetsBudget() {
		if err := access.CheckBudgetShare(c.Actor); err != nil {
			return Department{}, err
		}
	}
	refs, names, err := resolve(ctx, s.agents, in.Patch.References())
	if err != nil {
		return Department{}, err
	}
	patch := in.Patch.Resolve(refs)
	d, err := s.update(ctx, c, audit.DepartmentUpdated, in.Key, func(d department.Department, others money.Percent, ch change) (department.Department, error) {
		return d.Change(patch, others, ch.at)
	})
	view := newLookup(ctx, s.agents, d)
	maps.Copy(view.names, names)
	return Department{d, view}, err
}

// SetCeremonyPolicy replaces a department's ceremony policy; nil makes it
// inherit the company's again.
func (s *Departments) SetCeremonyPolicy(ctx context.Context, c Call, key name.Key, p *ceremony.Policy) (department.Department, error) {
	action := audit.CeremonySet
	if p == nil {
		action = audit.CeremonyRemoved
	}
	return s.update(ctx, c, action, key, func(d department.Department, _ money.Percent, ch change) (department.Department, error) {
		if err := c.If.CheckAbsent(d.CeremonyPolicy != nil); err != nil {
			return d, err
		}
		return d.SetCeremonyPolicy(p, ch.at), nil
	})
}

// update changes a department under the caller's condition.
func (s *Departments) update(ctx context.Context, c Call, action audit.Action, key name.Key,
	change func(department.Department, money.Percent, change) (department.Department, error),
) (department.Department, error) {
	ch := newChange(s.clock, s.ids, c)
	return s.departments.Update(ctx, key, func(d department.Department, others money.Percent) (ports.DepartmentChange, error) {
		if err := c.If.Check(d.Tag()); err != nil {
			return ports.DepartmentChange{}, err
		}
		next, err := change(d, others, ch)
		return ch.departmentChange(action, d, next, noReply), err
	})
}

// Delete deletes a department, which must have no agents.
func (s *Departments) Delete(ctx context.Context, c Call, key name.Key) error {
	ch := newChange(s.clock, s.ids, c)
	return s.departments.Delete(ctx, key, func(d department.Department, agents int64, co company.Company) (ports.DepartmentChange, error) {
		if err := c.If.Check(d.Tag()); err != nil {
			return ports.DepartmentChange{}, err
		}
		return ch.deleteDepartment(d, agents, co)
	})
}

// ResolvedCeremonyPolicy returns every key of the policy in force in a
// department, and where each comes from.
func (s *Departments) ResolvedCeremonyPolicy(ctx context.Context, key name.Key) ([]ceremony.Resolved, error) {
	d, err := s.departments.Department(ctx, key)
	if err != nil {
		return nil, err
	}
	co, err := s.company.Company(ctx)
	if err != nil {
		return nil, err
	}
	return ceremony.Resolve(d.CeremonyPolicy, co.CeremonyPolicy()), nil
}

// createDepartment makes a department at the end of the company's order. The patch refers
// to agents by their ids.
func (ch change) createDepartment(id string, patch department.Patch, reply func(department.Department) idempotency.Reply) func(company.Company, money.Percent) (ports.DepartmentChange, error) {
	return func(co company.Company, shares money.Percent) (ports.DepartmentChange, error) {
		d, err := department.New(id, patch, shares, ch.at)
		if err != nil {
			return ports.DepartmentChange{}, err
		}
		step := ch.departmentChange(audit.DepartmentCreated, department.Department{}, d, func() idempotency.Reply { return reply(d) })
		step.Company = co.WithDepartment(company.Slot{OrderKey: company.OrderKey(id), Department: d.Name.Key}, ch.at)
		return step, nil
	}
}

// deleteDepartment deletes a department, which must have no agents.
func (ch change) deleteDepartment(d department.Department, agents int64, co company.Company) (ports.DepartmentChange, error) {
	if err := d.CheckEmpty(agents); err != nil {
		return ports.DepartmentChange{}, err
	}
	c := audit.New(audit.DepartmentDeleted, d.Name.Text).In(d.Name)
	step := ports.DepartmentChange{Change: deletionOf(ch, audit.Department(d.Name.Text), c, d)}
	step.Company = co.WithoutDepartment(d.Name.Key, ch.at)
	return step, nil
}

func (ch change) departmentChange(action audit.Action, before, after department.Department, reply func() idempotency.Reply) ports.DepartmentChange {
	c := audit.New(action, after.Name.Text).In(after.Name)
	return ports.DepartmentChange{Change: changeOf(ch, audit.Department(after.Name.Text), c, before, after, reply)}
}
