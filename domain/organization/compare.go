package organization

import (
	"errors"

	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/money"
	"orgd/domain/name"
)

func (p *planner) compareCompany() error {
	patch, co := p.in.Document.Company, p.in.State.Company
	if patch == nil {
		return nil
	}
	next, err := co.Change(*patch, false, p.in.On.At)
	if err != nil {
		p.problems.add(err, Where{Line: p.in.Document.companyLine})
		return nil
	}
	before := AppendCompany(nil, co)
	fields, err := p.update(FieldCompany, before, AppendCompany(nil, next), func() []byte { return before })
	if err != nil || fields == nil {
		return err
	}
	p.add(updateCompany, Operation{Kind: UpdateCompany, Fields: fields, From: co.Revision})
	if !fields.Has("currency") {
		return nil
	}
	costs, err := p.in.Costs()
	if err != nil {
		return err
	}
	if _, err := co.Change(*patch, costs, p.in.On.At); err != nil {
		p.problems.add(err, Where{Line: p.in.Document.companyLine})
	}
	return nil
}

func (p *planner) compareDepartments() error {
	shares := money.Percent(0)
	var more []int // entries that raise the sum of the shares
	for e := range p.in.Document.Departments {
		before, after, err := p.compareDepartment(e)
		if err != nil {
			return err
		}
		if shares += after; after > before {
			more = append(more, e)
		}
	}
	total := shares
	var others []department.Department // that the document does not name
	for i, d := range p.in.State.Departments {
		if p.match.departments.entries[i] == none {
			total, others = total+d.BudgetPercent, append(others, d)
		}
	}
	if !p.in.Prune {
		shares, others = total, nil
	}
	for _, d := range others {
		if err := p.deleteDepartment(d, total > money.Hundred); err != nil {
			return err
		}
	}
	if shares > money.Hundred {
		for _, e := range more {
			p.problems.add(department.ErrBudget.At(Path(FieldDepartments, e)+".budget_percent",
				"the departments would have %s in all, which exceeds 100", shares), p.in.Document.Departments[e].Where)
		}
	}
	return nil
}

// compareDepartment returns the share of the budget that the department of an entry
// has and the one that it will have.
func (p *planner) compareDepartment(e int) (before, after money.Percent, err error) {
	entry := p.in.Document.Departments[e]
	refs := p.match.references(entry.References())
	patch := entry.Resolve(refs)
	if p.match.departments.parts[e] == none {
		after, err = p.createDepartment(e, patch, refs)
		return 0, after, err
	}
	known := p.in.State.Departments[p.match.departments.parts[e]]
	d, err := p.read(known.Name.Key)
	if err != nil {
		return 0, 0, err
	}
	next, err := d.Change(patch, 0, p.in.On.At)
	if err != nil {
		p.problems.add(err, entry.Where)
		next = d
	}
	if next.Revision == d.Revision {
		return d.BudgetPercent, d.BudgetPercent, nil // without the names of the agents that it refers to
	}
	text := func(d department.Department) []byte { return AppendDepartment(nil, d, p.match.futureName) }
	fields, err := p.update(entryPath(FieldDepartments, d.Name.Text), text(d), text(next),
		func() []byte { return AppendDepartment(nil, d, p.currentName) })
	if fields != nil {
		s := updateDepartments
		if next.BudgetPercent < d.BudgetPercent {
			s = lowerShares
		}
		p.addDepartment(s, Operation{Kind: UpdateDepartment, Department: d.Name.Key, Entry: e, Fields: fields, From: known.Revision}, refs)
	}
	return d.BudgetPercent, next.BudgetPercent, err
}

// createDepartment creates the department of an entry, and returns its share of the
// budget.
func (p *planner) createDepartment(e int, patch department.Patch, refs identity.References) (money.Percent, error) {
	var d department.Department
	whole, err := patch.New()
	if err == nil {
		d, err = department.New("", whole, 0, p.in.On.At)
	}
	if err != nil {
		p.problems.add(err, p.in.Document.Departments[e].Where)
		return d.BudgetPercent, nil
	}
	p.addDepartment(createDepartments, Operation{Kind: CreateDepartment, Department: d.Name.Key, Entry: e, Fields: patch.Fields()}, refs)
	text := AppendDepartment(nil, d, p.match.futureName)
	return d.BudgetPercent, p.emit(Change{Path: entryPath(FieldDepartments, d.Name.Text), Action: Create, Old: []byte(null), New: text})
}

func (p *planner) read(key name.Key) (department.Department, error) {
	d, err := p.in.Department(key)
	if errors.Is(err, department.ErrNotFound) {
		err = ErrChanged // it was deleted since
	}
	return d, err
}

// addDepartment adds an operation on a department. If it comes before the agents and
// refers to new ones, it is divided: its references come after the agents.
func (p *planner) addDepartment(s stage, op Operation, refs identity.References) {
	if s < changeAgents && p.hasNew(refs) {
		later := op
		later.Kind, later.From = UpdateDepartment, op.From+1
		later.Fields, op.Fields = op.Fields.divide()
		p.add(updateDepartments, later)
	}
	p.add(s, op)
}

// hasNew reports whether an agent among refs has to be created.
func (p *planner) hasNew(refs identity.References) bool {
	for _, id := range refs {
		if _, exists := p.index[id]; !exists {
			return true
		}
	}
	return false
}

// deleteDepartment deletes a department. release takes its share of the budget from
// it before others get more.
func (p *planner) deleteDepartment(d department.Department, release bool) error {
	op := Operation{Kind: DeleteDepartment, Department: d.Name.Key, From: d.Revision}
	if release && d.BudgetPercent > 0 {
		p.add(releaseShares, Operation{Kind: ReleaseShare, Department: op.Department, From: op.From})
		op.From++
	}
	p.add(deleteDepartments, op)
	d, err := p.read(d.Name.Key)
	if err != nil {
		return err
	}
	return p.emit(Change{Path: entryPath(FieldDepartments, d.Name.Text), Action: Delete, Old: AppendDepartment(nil, d, p.currentName), New: []byte(null)})
}
