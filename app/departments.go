package app

import (
	"context"
	"maps"

	"orgd/domain/access"
	"orgd/domain/audit"
	"orgd/domain/ceremony"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/domain/receipt"
	"orgd/ports"
)

// Department is a department with the current names of the agents that it
// refers to. They are read while it is shown: check Names.Err afterwards.
type Department struct {
	department.Department
	Names *Lookup
}

// Departments are the use cases on departments and their ceremony policies.
type Departments struct {
	kit         Kit
	departments ports.DepartmentStore
	agents      ports.AgentStore
	company     ports.CompanyStore
}

// NewDepartments returns the use cases on departments.
func NewDepartments(kit Kit, departments ports.DepartmentStore, agents ports.AgentStore, company ports.CompanyStore) *Departments {
	return &Departments{kit: kit, departments: departments, agents: agents, company: company}
}

// Department returns one department.
func (s *Departments) Department(ctx context.Context, key name.Key) (Department, error) {
	d, err := s.departments.Department(ctx, key)
	return Department{d, newLookup(ctx, s.agents, d)}, err
}

// List returns a page of departments in the company's order, beginning behind
// the place after; "" begins with the first.
func (s *Departments) List(ctx context.Context, after company.Place, limit int) ([]Department, error) {
	return listDepartments(ctx, s.departments, s.agents, after, limit)
}

func listDepartments(ctx context.Context, store ports.DepartmentStore, agents ports.AgentStore, after company.Place, limit int) ([]Department, error) {
	found, err := store.Departments(ctx, after, limit)
	if err != nil {
		return nil, err
	}
	names := newLookup(ctx, agents, found...)
	shown := make([]Department, len(found))
	for i, d := range found {
		shown[i] = Department{Department: d, Names: names}
	}
	return shown, nil
}

// FoundDepartment is what a new department is made from. Reply makes the answer that is
// kept for an idempotency key; one that is not short is kept without its body.
type FoundDepartment struct {
	Patch department.Patch
	Reply func(d Department, short bool) receipt.Reply
}

// Found creates a department at the end of the company's order.
func (s *Departments) Found(ctx context.Context, c Call, in FoundDepartment) (Department, error) {
	refs, names, err := resolve(ctx, s.agents, in.Patch.References())
	if err != nil {
		return Department{}, err
	}
	patch := in.Patch.Resolve(refs)
	shown := func(d department.Department) Department { return Department{d, &Lookup{names: names}} }
	found := s.kit.occasion(c).founding(s.kit.IDs.NewID(), patch, func(d department.Department) receipt.Reply {
		short := d.Size() <= page.LongBytes
		return kept(in.Reply(shown(d), short), short)
	})
	d, err := s.departments.Create(ctx, patch.Name().Key, found)
	return shown(d), err
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
	d, err := s.update(ctx, c, in.Key, func(d department.Department, others money.Percent, o occasion) (department.Department, error) {
		return d.Change(patch, others, o.at)
	})
	shown := newLookup(ctx, s.agents, d)
	maps.Copy(shown.names, names)
	return Department{d, shown}, err
}

// SetCeremonyPolicy replaces a department's ceremony policy; nil makes it
// inherit the company's again.
func (s *Departments) SetCeremonyPolicy(ctx context.Context, c Call, key name.Key, p *ceremony.Policy) (department.Department, error) {
	return s.update(ctx, c, key, func(d department.Department, _ money.Percent, o occasion) (department.Department, error) {
		if err := c.If.CheckAbsent(d.CeremonyPolicy != nil); err != nil {
			return d, err
		}
		return d.SetCeremonyPolicy(p, o.at), nil
	})
}

// update changes a department under the caller's condition.
func (s *Departments) update(ctx context.Context, c Call, key name.Key,
	change func(department.Department, money.Percent, occasion) (department.Department, error),
) (department.Department, error) {
	o := s.kit.occasion(c)
	return s.departments.Update(ctx, key, func(d department.Department, others money.Percent) (ports.DepartmentStep, error) {
		if err := c.If.Check(d.Tag()); err != nil {
			return ports.DepartmentStep{}, err
		}
		next, err := change(d, others, o)
		return o.departmentStep(next, d.Revision, noReply), err
	})
}

// Dissolve deletes a department, which must have no agents.
func (s *Departments) Dissolve(ctx context.Context, c Call, key name.Key) error {
	o := s.kit.occasion(c)
	return s.departments.Delete(ctx, key, func(d department.Department, agents int64, co company.Company) (ports.DepartmentStep, error) {
		if err := c.If.Check(d.Tag()); err != nil {
			return ports.DepartmentStep{}, err
		}
		return o.dissolution(d, agents, co)
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

// founding makes a department at the end of the company's order. The patch refers
// to agents by their ids.
func (o occasion) founding(id string, patch department.Patch, reply func(department.Department) receipt.Reply) func(company.Company, money.Percent) (ports.DepartmentStep, error) {
	return func(co company.Company, shares money.Percent) (ports.DepartmentStep, error) {
		d, err := department.New(id, patch, shares, o.at)
		if err != nil {
			return ports.DepartmentStep{}, err
		}
		step := o.departmentStep(d, 0, func() receipt.Reply { return reply(d) })
		step.Company = co.WithDepartment(company.Seat{Place: company.Place(id), Department: d.Name.Key}, o.at)
		return step, nil
	}
}

// dissolution deletes a department, which must have no agents.
func (o occasion) dissolution(d department.Department, agents int64, co company.Company) (ports.DepartmentStep, error) {
	if err := d.CheckEmpty(agents); err != nil {
		return ports.DepartmentStep{}, err
	}
	step := o.departmentStep(d, d.Revision, noReply)
	step.Deleted, step.Audit.To = true, 0
	step.Company = co.WithoutDepartment(d.Name.Key, o.at)
	return step, nil
}

func (o occasion) departmentStep(d department.Department, from int64, reply func() receipt.Reply) ports.DepartmentStep {
	return ports.DepartmentStep{
		Department: d,
		From:       from,
		Note:       o.note(audit.Department(d.Name.Text), from, d.Revision, reply),
	}
}
