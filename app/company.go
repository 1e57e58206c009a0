package app

import (
	"context"
	"errors"
	"slices"

	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/idempotency"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/ports"
)

// Company are the use cases on the company.
type Company struct {
	clock       ports.Clock
	ids         ports.IDs
	company     ports.CompanyStore
	departments ports.DepartmentStore
	agents      ports.AgentReader
}

// NewCompany returns the use cases on the company.
func NewCompany(clock ports.Clock, ids ports.IDs, company ports.CompanyStore, departments ports.DepartmentStore, agents ports.AgentReader) *Company {
	return &Company{clock: clock, ids: ids, company: company, departments: departments, agents: agents}
}

// Company returns the company.
func (s *Company) Company(ctx context.Context) (company.Company, error) {
	return s.company.Company(ctx)
}

// Departments returns at most [RowsAtOnce] departments in the company's order,
// beginning behind last; nil begins with the first.
func (s *Company) Departments(ctx context.Context, last *Department) ([]Department, error) {
	return departmentsBehind(ctx, s.departments, s.agents, last)
}

// Change merges a patch into the company.
func (s *Company) Change(ctx context.Context, c Call, p company.Patch) (company.Company, error) {
	ch := newChange(s.clock, s.ids, c)
	return s.company.Update(ctx, func(co company.Company, costs bool) (ports.Change[company.Company], error) {
		if err := c.If.Check(co.Tag()); err != nil {
			return ports.Change[company.Company]{}, err
		}
		next, err := co.Change(p, costs, ch.at)
		return ch.companyChange(audit.CompanyUpdated, co, next, noReply), err
	})
}

// ReorderDepartments asks for an order of the departments. Reply makes the
// answer that is kept for an idempotency key from the company and its departments
// in their new order.
type ReorderDepartments struct {
	Order []name.Key
	Reply func(company.Company, []Department) idempotency.Reply
}

// Reorder changes the order of the departments. An answer that is kept is made
// inside the commit, so the departments for it are read before; if one is founded
// meanwhile, they are read again. Then Reorder returns them in their order, else nil:
// [Company.Departments] has them.
func (s *Company) Reorder(ctx context.Context, c Call, in ReorderDepartments) (company.Company, []Department, error) {
	ch := newChange(s.clock, s.ids, c)
	for {
		// The size of a department is that of the longest names that it may show.
		departments, short, err := readShort(c, page.LongBytes, func(last *Department) ([]Department, error) {
			return s.Departments(ctx, last)
		})
		for _, d := range departments {
			err = errors.Join(err, d.Names.readAll()) // before the commit, which must not wait for reads
		}
		if err != nil {
			return company.Company{}, nil, err
		}
		var ordered []Department
		co, err := s.company.Update(ctx, func(co company.Company, _ bool) (step ports.Change[company.Company], err error) {
			ordered, step, err = ch.reorder(co, departments, short, in)
			return step, err
		})
		if err == nil {
			return co, ordered, nil
		}
		if !errors.Is(err, errRead) {
			// A store that gave up waiting may still be running the step.
			return company.Company{}, nil, err
		}
	}
}

// reorder is the step of a reorder. If its answer is short, it returns errRead if
// the company has a department that is not among those read before.
func (ch change) reorder(co company.Company, departments []Department, short bool, in ReorderDepartments) ([]Department, ports.Change[company.Company], error) {
	if err := ch.call.If.Check(co.Tag()); err != nil {
		return nil, ports.Change[company.Company]{}, err
	}
	next, err := co.Reorder(in.Order, ch.at)
	if err != nil {
		return nil, ports.Change[company.Company]{}, err
	}
	var list []Department
	if short {
		if list, err = slotted(next, departments); err != nil {
			return nil, ports.Change[company.Company]{}, err
		}
	}
	return list, ch.companyChange(audit.DepartmentsReordered, co, next, func() idempotency.Reply { return kept(in.Reply(next, list), short) }), nil
}

func (ch change) companyChange(action audit.Action, before, after company.Company, reply func() idempotency.Reply) ports.Change[company.Company] {
	return changeOf(ch, audit.Company, audit.New(action, after.Name), before, after, reply)
}

// slotted returns the departments in the company's order.
func slotted(co company.Company, departments []Department) ([]Department, error) {
	list := make([]Department, len(co.Slots))
	for i, slot := range co.Slots {
		at := slices.IndexFunc(departments, func(d Department) bool { return d.Name.Key == slot.Department })
		if at < 0 {
			return nil, errRead
		}
		list[i] = departments[at]
	}
	return list, nil
}
