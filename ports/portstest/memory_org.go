package portstest

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/project"
	"orgd/ports"
)

type memoryDepartments struct{ *memory }

type memoryCompany struct{ *memory }

type memoryProjects struct{ *memory }

// department returns a department with its order key.
func (m *memory) department(key name.Key) (department.Department, error) {
	d, ok := m.departments[key]
	if !ok {
		return department.Department{}, department.ErrNotFound
	}
	for _, s := range m.company.Slots {
		if s.Department == key {
			d.OrderKey = s.OrderKey
		}
	}
	return d, nil
}

// shares sums up the shares of all departments but one.
func (m *memory) shares(but name.Key) (sum money.Percent) {
	for key, d := range m.departments {
		if key != but {
			sum += d.BudgetPercent
		}
	}
	return sum
}

// storeDepartment is one step of a department.
func (m *memory) storeDepartment(s ports.DepartmentChange, err error) (department.Department, error) {
	if err == nil {
		err = m.free(s.Idempotency)
	}
	if err != nil {
		return department.Department{}, err
	}
	m.putTrail(s.Trail, s.Effective())
	if !s.Effective() {
		return s.State, nil
	}
	m.departments[s.State.Name.Key] = s.State
	if s.Deleted {
		delete(m.departments, s.State.Name.Key)
	}
	if s.Deleted || s.From == 0 {
		m.company = s.Company
	}
	for _, member := range s.Members {
		a := m.agents[member.ID]
		a.OrderKey = member.OrderKey
		m.agents[member.ID] = a
	}
	return s.State, nil
}

func (m memoryDepartments) Create(_ context.Context, key name.Key, do creation) (department.Department, error) {
	defer m.lock()()
	if d, ok := m.departments[key]; ok {
		return department.Department{}, department.Taken(d.Name.Text)
	}
	return m.storeDepartment(do(m.company, m.shares("")))
}

func (m memoryDepartments) Update(_ context.Context, key name.Key, do func(department.Department, money.Percent) (ports.DepartmentChange, error)) (department.Department, error) {
	defer m.lock()()
	d, err := m.department(key)
	if err != nil {
		return d, err
	}
	return m.storeDepartment(do(d, m.shares(key)))
}

func (m memoryDepartments) Reorder(_ context.Context, key name.Key, do func(department.Department, []agent.Member) (ports.DepartmentChange, error)) (department.Department, error) {
	defer m.lock()()
	d, err := m.department(key)
	if err != nil {
		return d, err
	}
	var members []agent.Member
	for _, a := range m.agents {
		if a.Department().Key == key {
			members = append(members, agent.Member{ID: a.ID(), Name: a.Name().Key, OrderKey: a.OrderKey})
		}
	}
	slices.SortFunc(members, func(a, b agent.Member) int {
		return cmp.Or(cmp.Compare(a.OrderKey, b.OrderKey), cmp.Compare(a.ID, b.ID))
	})
	return m.storeDepartment(do(d, members))
}

func (m memoryDepartments) Delete(_ context.Context, key name.Key, do func(department.Department, int64, company.Company) (ports.DepartmentChange, error)) error {
	defer m.lock()()
	d, err := m.department(key)
	if err != nil {
		return err
	}
	_, err = m.storeDepartment(do(d, m.counts(key).Total, m.company))
	return err
}

func (m memoryDepartments) Department(_ context.Context, key name.Key) (department.Department, error) {
	defer m.lock()()
	return m.department(key)
}

func (m memoryDepartments) Name(ctx context.Context, key name.Key) (name.Name, error) {
	d, err := m.Department(ctx, key)
	return d.Name, err
}

func (m memoryDepartments) Departments(ctx context.Context, after company.OrderKey, limit int) ([]department.Department, error) {
	defer m.lock()()
	var found []department.Department
	for _, s := range m.company.Slots {
		if s.OrderKey > after {
			d, err := m.department(s.Department)
			if err != nil {
				return nil, err
			}
			found = append(found, d)
		}
	}
	return firstPage(ctx, found, limit)
}

func (m memoryCompany) Company(context.Context) (company.Company, error) {
	defer m.lock()()
	return m.company, nil
}

func (m memoryCompany) Costs(context.Context) (bool, error) {
	defer m.lock()()
	return m.costs(), nil
}

// costs reports whether any was ever recorded.
func (m memoryCompany) costs() bool {
	return slices.ContainsFunc(m.counted, func(r ports.Report) bool {
		return r.Measures.Cost != nil || r.Measures.Incurred != nil
	})
}

func (m memoryCompany) Update(_ context.Context, do companyChange) (company.Company, error) {
	defer m.lock()()
	s, err := do(m.company, m.costs())
	if err == nil {
		err = m.free(s.Idempotency)
	}
	if err != nil {
		return company.Company{}, err
	}
	m.putTrail(s.Trail, s.Effective())
	m.company = s.State
	return s.State, nil
}

func (m *memory) storeProject(s ports.Change[project.Project], err error) (project.Project, error) {
	if err == nil {
		err = m.free(s.Idempotency)
	}
	if err != nil {
		return project.Project{}, err
	}
	m.putTrail(s.Trail, s.Effective())
	m.projects[s.State.ID] = s.State
	if s.Deleted {
		delete(m.projects, s.State.ID)
	}
	return s.State, nil
}

func (m memoryProjects) Create(_ context.Context, s ports.Change[project.Project]) error {
	defer m.lock()()
	if _, ok := m.projects[s.State.ID]; ok {
		return project.ErrExists
	}
	_, err := m.storeProject(s, nil)
	return err
}

func (m memoryProjects) Update(_ context.Context, id project.ID, do func(project.Project) (ports.Change[project.Project], error)) (project.Project, error) {
	defer m.lock()()
	p, ok := m.projects[id]
	if !ok {
		return p, project.ErrNotFound
	}
	return m.storeProject(do(p))
}

func (m memoryProjects) Project(_ context.Context, id project.ID) (project.Project, error) {
	defer m.lock()()
	p, ok := m.projects[id]
	if !ok {
		return p, project.ErrNotFound
	}
	return p, nil
}

func (m memoryProjects) Projects(ctx context.Context, q project.Query) ([]project.Project, error) {
	defer m.lock()()
	found := sorted(slices.Collect(maps.Values(m.projects)), func(p project.Project) bool {
		return p.ID > q.After && (q.Status == "" || q.Status == p.Status) &&
			(q.Lead == nil || p.Lead != nil && *p.Lead == string(*q.Lead))
	}, func(a, b project.Project) int { return cmp.Compare(a.ID, b.ID) })
	return firstPage(ctx, found, q.Limit)
}
