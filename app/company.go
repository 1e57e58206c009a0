package app

import (
	"context"
	"errors"
	"slices"

	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/domain/receipt"
	"orgd/ports"
)

// Organization is the company with its departments in order.
type Organization struct {
	company.Company
	Departments []Department
}

// Company are the use cases on the company.
type Company struct {
	kit         Kit
	company     ports.CompanyStore
	departments ports.DepartmentStore
	agents      ports.AgentStore
}

// NewCompany returns the use cases on the company.
func NewCompany(kit Kit, company ports.CompanyStore, departments ports.DepartmentStore, agents ports.AgentStore) *Company {
	return &Company{kit: kit, company: company, departments: departments, agents: agents}
}

// Company returns the company.
func (s *Company) Company(ctx context.Context) (company.Company, error) {
	return s.company.Company(ctx)
}

// Departments returns a page of departments in the company's order, beginning
// behind the place after; "" begins with the first.
func (s *Company) Departments(ctx context.Context, after company.Place, limit int) ([]Department, error) {
	return listDepartments(ctx, s.departments, s.agents, after, limit)
}

// Change merges a patch into the company.
func (s *Company) Change(ctx context.Context, c Call, p company.Patch) (company.Company, error) {
	o := s.kit.occasion(c)
	return s.company.Update(ctx, func(co company.Company, costs bool) (ports.CompanyStep, error) {
		if err := c.If.Check(co.Tag()); err != nil {
			return ports.CompanyStep{}, err
		}
		next, err := co.Change(p, costs, o.at)
		return o.companyStep(next, co.Revision, noReply), err
	})
}

// ReorderDepartments asks for an order of the departments. Reply makes the
// answer from the company and its departments in their new order.
type ReorderDepartments struct {
	Order []name.Key
	Reply func(Organization) receipt.Reply
}

// Reorder changes the order of the departments and returns them in it. The
// answer is made inside the commit, so the departments are read before; if one
// is founded meanwhile, they are read again.
func (s *Company) Reorder(ctx context.Context, c Call, in ReorderDepartments) (Organization, error) {
	o := s.kit.occasion(c)
	for {
		departments, err := s.all(ctx)
		if err != nil {
			return Organization{}, err
		}
		var org Organization
		_, err = s.company.Update(ctx, func(co company.Company, _ bool) (step ports.CompanyStep, err error) {
			org, step, err = o.reorder(co, departments, in)
			return step, err
		})
		if err == nil {
			return org, nil
		}
		if !errors.Is(err, errRead) {
			// A store that gave up waiting may still be running the step.
			return Organization{}, err
		}
	}
}

// reorder is the step of a reorder, or errRead if the company has a department
// that is not among those read before.
func (o occasion) reorder(co company.Company, departments []Department, in ReorderDepartments) (Organization, ports.CompanyStep, error) {
	if err := o.call.If.Check(co.Tag()); err != nil {
		return Organization{}, ports.CompanyStep{}, err
	}
	next, err := co.Reorder(in.Order, o.at)
	if err != nil {
		return Organization{}, ports.CompanyStep{}, err
	}
	list, err := seated(next, departments)
	if err != nil {
		return Organization{}, ports.CompanyStep{}, err
	}
	org := Organization{next, list}
	return org, o.companyStep(next, co.Revision, func() receipt.Reply { return in.Reply(org) }), nil
}

// seated returns the departments in the company's order.
func seated(co company.Company, departments []Department) ([]Department, error) {
	list := make([]Department, len(co.Seats))
	for i, seat := range co.Seats {
		at := slices.IndexFunc(departments, func(d Department) bool { return d.Name.Key == seat.Department })
		if at < 0 {
			return nil, errRead
		}
		list[i] = departments[at]
	}
	return list, nil
}

// all returns all departments in order.
func (s *Company) all(ctx context.Context) ([]Department, error) {
	var all []Department
	var after company.Place
	for {
		found, err := s.Departments(ctx, after, departmentsAtOnce)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
		if page.IsLast(found, departmentsAtOnce) {
			return all, nil
		}
		after = found[len(found)-1].Place
	}
}

func (o occasion) companyStep(co company.Company, from int64, reply func() receipt.Reply) ports.CompanyStep {
	return ports.CompanyStep{
		Company: co,
		From:    from,
		Note:    o.note(audit.Company, from, co.Revision, reply),
	}
}
