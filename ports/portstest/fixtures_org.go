package portstest

import (
	"time"

	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/project"
	"orgd/ports"
)

// creation is what the creation of a department is given.
type creation = func(company.Company, money.Percent) (ports.DepartmentChange, error)

func departmentStep(d department.Department, from int64, trail func(audit.Resource, int64, int64) ports.Trail) ports.DepartmentChange {
	return ports.DepartmentChange{Change: ports.Change[department.Department]{
		State: d, From: from, Trail: trail(audit.Department(d.Name.Text), from, d.Revision),
	}}
}

// creating returns what creates a department, with an idempotency record or nil. Members
// are more of its fields.
func (w *world) creating(title string, r *idempotency.Record, members ...string) creation {
	p := must(department.ParseNew(doc(title, members...)))
	p = p.Resolve(known(p.References()))
	id, at, trail := w.id(), w.now(), w.trailOf(r)
	return func(c company.Company, shares money.Percent) (ports.DepartmentChange, error) {
		d, err := department.New(id, p, shares, at)
		s := departmentStep(d, 0, trail)
		s.Company = c.WithDepartment(company.Slot{OrderKey: company.OrderKey(id), Department: p.Name().Key}, at)
		return s, err
	}
}

// createDepartment stores a new department.
func (w *world) createDepartment(title string, members ...string) department.Department {
	w.Helper()
	d, err := w.Departments.Create(w.Context(), key(title), w.creating(title, nil, members...))
	w.wantNil("Create("+title+")", err)
	return d
}

// amending returns what applies a patch to a department.
func (w *world) amending(patch string, r *idempotency.Record) func(department.Department, money.Percent) (ports.DepartmentChange, error) {
	p, at, trail := must(department.ParsePatch(value(patch))), w.now(), w.trailOf(r)
	return func(d department.Department, others money.Percent) (ports.DepartmentChange, error) {
		next, err := d.Change(p, others, at)
		return departmentStep(next, d.Revision, trail), err
	}
}

// reordering returns what puts the members of a department into the order that
// arrange makes of theirs.
func (w *world) reordering(arrange func([]agent.Member) []agent.Member, r *idempotency.Record) func(department.Department, []agent.Member) (ports.DepartmentChange, error) {
	at, trail := w.now(), w.trailOf(r)
	return func(d department.Department, members []agent.Member) (ports.DepartmentChange, error) {
		var asked []identity.Ref
		changed := false
		for i, m := range arrange(append([]agent.Member(nil), members...)) {
			asked = append(asked, byID(m.ID))
			changed = changed || m.ID != members[i].ID
		}
		next, err := agent.Reorder(members, asked)
		after := d
		if changed {
			after = d.Touch(at)
		}
		s := departmentStep(after, d.Revision, trail)
		s.Members = next
		return s, err
	}
}

// deleting returns what deletes a department that has no agents.
func (w *world) deleting(r *idempotency.Record) func(department.Department, int64, company.Company) (ports.DepartmentChange, error) {
	at, trail := w.now(), w.trailOf(r)
	return func(d department.Department, agents int64, c company.Company) (ports.DepartmentChange, error) {
		s := departmentStep(d, d.Revision, trail)
		s.Deleted, s.Audit.To = true, 0
		s.Company = c.WithoutDepartment(d.Name.Key, at)
		return s, d.CheckEmpty(agents)
	}
}

func (w *world) deleteDepartment(title string) error {
	return w.Departments.Delete(w.Context(), key(title), w.deleting(nil))
}

// department reads a department that has to exist.
func (w *world) department(title string) department.Department {
	w.Helper()
	d, err := w.Departments.Department(w.Context(), key(title))
	w.wantNil("Department("+title+")", err)
	return d
}

// departments returns the names of all departments in their order, read in
// pages of limit.
func (w *world) departments(limit int) []name.Key {
	w.Helper()
	var keys []name.Key
	for _, d := range walk(w, limit, func(last *department.Department) ([]department.Department, error) {
		var after company.OrderKey
		if last != nil {
			after = last.OrderKey
		}
		return w.Departments.Departments(w.Context(), after, limit)
	}) {
		keys = append(keys, d.Name.Key)
	}
	return keys
}

func (w *world) company() company.Company {
	w.Helper()
	c, err := w.Company.Company(w.Context())
	w.wantNil("Company", err)
	return c
}

// companyChange is what an update of the company is given.
type companyChange = func(company.Company, bool) (ports.Change[company.Company], error)

// companyStep wraps a change of the company that knows its time.
func (w *world) companyStep(r *idempotency.Record, next func(c company.Company, costs bool, at time.Time) (company.Company, error)) companyChange {
	at, trail := w.now(), w.trailOf(r)
	return func(c company.Company, costs bool) (ports.Change[company.Company], error) {
		after, err := next(c, costs, at)
		return ports.Change[company.Company]{
			State: after, From: c.Revision,
			Trail: trail(audit.Company, c.Revision, after.Revision),
		}, err
	}
}

// directing returns what applies a patch to the company.
func (w *world) directing(patch string, r *idempotency.Record) companyChange {
	p := must(company.ParsePatch(value(patch)))
	return w.companyStep(r, func(c company.Company, costs bool, at time.Time) (company.Company, error) {
		return c.Change(p, costs, at)
	})
}

// arranging returns what puts the departments into an order.
func (w *world) arranging(order []name.Key, r *idempotency.Record) companyChange {
	return w.companyStep(r, func(c company.Company, _ bool, at time.Time) (company.Company, error) {
		return c.Reorder(order, at)
	})
}

func projectStep(p project.Project, from int64, trail func(audit.Resource, int64, int64) ports.Trail) ports.Change[project.Project] {
	return ports.Change[project.Project]{
		State: p, From: from,
		Trail: trail(audit.Project(string(p.ID)), from, p.Revision),
	}
}

// starting returns the step that creates a project under an id.
func (w *world) starting(id project.ID, title string, members ...string) ports.Change[project.Project] {
	patch := must(project.ParseNew(doc(title, members...)))
	p := must(project.New(id, patch.Resolve(known(patch.References())), w.now()))
	return projectStep(p, 0, w.trailOf(nil))
}

// start stores a new project.
func (w *world) start(title string, members ...string) project.Project {
	w.Helper()
	n := w.made.Add(1)
	s := w.starting(project.NewID(epoch.Add(time.Duration(n)*time.Second), uint16(n)), title, members...)
	w.wantNil("Create("+title+")", w.Projects.Create(w.Context(), s))
	return s.State
}

// steering returns what applies a patch to a project.
func (w *world) steering(patch string, r *idempotency.Record) func(project.Project) (ports.Change[project.Project], error) {
	p, at, trail := must(project.ParsePatch(value(patch))), w.now(), w.trailOf(r)
	p = p.Resolve(known(p.References()))
	return func(before project.Project) (ports.Change[project.Project], error) {
		next, err := before.Change(p, at)
		return projectStep(next, before.Revision, trail), err
	}
}

func (w *world) dropping() func(project.Project) (ports.Change[project.Project], error) {
	trail := w.trailOf(nil)
	return func(p project.Project) (ports.Change[project.Project], error) {
		s := projectStep(p, p.Revision, trail)
		s.Deleted, s.Audit.To = true, 0
		return s, nil
	}
}
