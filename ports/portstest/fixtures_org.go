package portstest

import (
	"time"

	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/project"
	"orgd/domain/receipt"
	"orgd/ports"
)

// found is what the creation of a department is given.
type found = func(company.Company, money.Percent) (ports.DepartmentStep, error)

func departmentStep(d department.Department, from int64, note func(audit.Resource, int64, int64) ports.Note) ports.DepartmentStep {
	return ports.DepartmentStep{
		Department: d, From: from,
		Note: note(audit.Department(d.Name.Text), from, d.Revision),
	}
}

// founding returns what creates a department, with a receipt or nil. Members
// are more of its fields.
func (w *world) founding(title string, r *receipt.Receipt, members ...string) found {
	p := must(department.ParseNew(doc(title, members...)))
	p = p.Resolve(known(p.References()))
	id, at, note := w.id(), w.now(), w.leave(r)
	return func(c company.Company, shares money.Percent) (ports.DepartmentStep, error) {
		d, err := department.New(id, p, shares, at)
		s := departmentStep(d, 0, note)
		s.Company = c.WithDepartment(company.Seat{Place: company.Place(id), Department: p.Name().Key}, at)
		return s, err
	}
}

// found stores a new department.
func (w *world) found(title string, members ...string) department.Department {
	w.Helper()
	d, err := w.Departments.Create(w.Context(), key(title), w.founding(title, nil, members...))
	w.wantNil("Create("+title+")", err)
	return d
}

// amending returns what applies a patch to a department.
func (w *world) amending(patch string, r *receipt.Receipt) func(department.Department, money.Percent) (ports.DepartmentStep, error) {
	p, at, note := must(department.ParsePatch(value(patch))), w.now(), w.leave(r)
	return func(d department.Department, others money.Percent) (ports.DepartmentStep, error) {
		next, err := d.Change(p, others, at)
		return departmentStep(next, d.Revision, note), err
	}
}

// reordering returns what puts the members of a department into the order that
// arrange makes of theirs.
func (w *world) reordering(arrange func([]agent.Member) []agent.Member, r *receipt.Receipt) func(department.Department, []agent.Member) (ports.DepartmentStep, error) {
	at, note := w.now(), w.leave(r)
	return func(d department.Department, members []agent.Member) (ports.DepartmentStep, error) {
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
		s := departmentStep(after, d.Revision, note)
		s.Members = next
		return s, err
	}
}

// dissolving returns what deletes a department that has no agents.
func (w *world) dissolving(r *receipt.Receipt) func(department.Department, int64, company.Company) (ports.DepartmentStep, error) {
	at, note := w.now(), w.leave(r)
	return func(d department.Department, agents int64, c company.Company) (ports.DepartmentStep, error) {
		s := departmentStep(d, d.Revision, note)
		s.Deleted, s.Audit.To = true, 0
		s.Company = c.WithoutDepartment(d.Name.Key, at)
		return s, d.CheckEmpty(agents)
	}
}

func (w *world) dissolve(title string) error {
	return w.Departments.Delete(w.Context(), key(title), w.dissolving(nil))
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
		var after company.Place
		if last != nil {
			after = last.Place
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
type companyChange = func(company.Company, bool) (ports.CompanyStep, error)

// companyStep wraps a change of the company that knows its time.
func (w *world) companyStep(r *receipt.Receipt, next func(c company.Company, costs bool, at time.Time) (company.Company, error)) companyChange {
	at, note := w.now(), w.leave(r)
	return func(c company.Company, costs bool) (ports.CompanyStep, error) {
		after, err := next(c, costs, at)
		return ports.CompanyStep{
			Company: after, From: c.Revision,
			Note: note(audit.Company, c.Revision, after.Revision),
		}, err
	}
}

// directing returns what applies a patch to the company.
func (w *world) directing(patch string, r *receipt.Receipt) companyChange {
	p := must(company.ParsePatch(value(patch)))
	return w.companyStep(r, func(c company.Company, costs bool, at time.Time) (company.Company, error) {
		return c.Change(p, costs, at)
	})
}

// arranging returns what puts the departments into an order.
func (w *world) arranging(order []name.Key, r *receipt.Receipt) companyChange {
	return w.companyStep(r, func(c company.Company, _ bool, at time.Time) (company.Company, error) {
		return c.Reorder(order, at)
	})
}

func projectStep(p project.Project, from int64, note func(audit.Resource, int64, int64) ports.Note) ports.ProjectStep {
	return ports.ProjectStep{
		Project: p, From: from,
		Note: note(audit.Project(string(p.ID)), from, p.Revision),
	}
}

// starting returns the step that creates a project under an id.
func (w *world) starting(id project.ID, title string, members ...string) ports.ProjectStep {
	patch := must(project.ParseNew(doc(title, members...)))
	p := must(project.New(id, patch.Resolve(known(patch.References())), w.now()))
	return projectStep(p, 0, w.leave(nil))
}

// start stores a new project.
func (w *world) start(title string, members ...string) project.Project {
	w.Helper()
	n := w.made.Add(1)
	s := w.starting(project.NewID(epoch.Add(time.Duration(n)*time.Second), uint16(n)), title, members...)
	w.wantNil("Create("+title+")", w.Projects.Create(w.Context(), s))
	return s.Project
}

// steering returns what applies a patch to a project.
func (w *world) steering(patch string, r *receipt.Receipt) func(project.Project) (ports.ProjectStep, error) {
	p, at, note := must(project.ParsePatch(value(patch))), w.now(), w.leave(r)
	p = p.Resolve(known(p.References()))
	return func(before project.Project) (ports.ProjectStep, error) {
		next, err := before.Change(p, at)
		return projectStep(next, before.Revision, note), err
	}
}

func (w *world) dropping() func(project.Project) (ports.ProjectStep, error) {
	note := w.leave(nil)
	return func(p project.Project) (ports.ProjectStep, error) {
		s := projectStep(p, p.Revision, note)
		s.Deleted, s.Audit.To = true, 0
		return s, nil
	}
}
