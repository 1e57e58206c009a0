package mongostore

import (
	"context"

	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/ports"
)

var _ ports.DepartmentStore = (*Departments)(nil)

// Departments keeps departments. All their changes commit in the company.
type Departments struct{ db *DB }

// NewDepartments returns the departments in db.
func NewDepartments(db *DB) *Departments { return &Departments{db} }

// Create implements [ports.DepartmentStore].
func (s *Departments) Create(ctx context.Context, key name.Key, found func(company.Company, money.Percent) (ports.DepartmentStep, error)) (department.Department, error) {
	return s.change(ctx, func(d companyDoc, c company.Company) (*attempt, department.Department, error) {
		if d.seat(key) != nil {
			return nil, department.Department{}, department.ErrExists
		}
		step, err := found(c, d.shares(""))
		if err != nil {
			return nil, department.Department{}, err
		}
		made := step.Department
		fresh := seat{Key: string(key), Name: made.Name.Text, ID: made.ID, Share: int64(made.BudgetPercent)}
		a := s.db.attempt(companyHome, &d.Head, step.Note)
		seats := d.seatsOf(step.Company, &fresh)
		a.set = append(companyFields(step.Company), is("seats", seats))
		a.debt.Department = departmentOf(made, d)
		made.Place = placeIn(seats, key)
		return a, made, nil
	})
}

func placeIn(seats []seat, key name.Key) company.Place {
	if s := (companyDoc{Seats: seats}).seat(key); s != nil {
		return company.Place(s.Place)
	}
	return ""
}

// change repeats an attempt on the company until it wins. next makes the
// attempt from the company as it is; without one nothing is left to do.
func (s *Departments) change(ctx context.Context, next func(companyDoc, company.Company) (*attempt, department.Department, error)) (result department.Department, err error) {
	err = retry(ctx, func() (bool, error) {
		d, err := s.db.company(ctx)
		if err != nil {
			return false, err
		}
		c, err := d.company()
		if err != nil {
			return false, err
		}
		var a *attempt
		if a, result, err = next(d, c); err != nil || a == nil {
			return err == nil, err
		}
		return s.db.try(ctx, a)
	})
	if err != nil {
		return department.Department{}, err
	}
	return result, nil
}

// on is change for a department that exists. A step without effect leaves only
// its receipt.
func (s *Departments) on(ctx context.Context, key name.Key, next func(companyDoc, department.Department) (ports.DepartmentStep, error)) (department.Department, error) {
	return s.change(ctx, func(d companyDoc, _ company.Company) (*attempt, department.Department, error) {
		before, err := s.at(ctx, d, key)
		if err != nil {
			return nil, before, err
		}
		step, err := next(d, before)
		if err != nil {
			return nil, before, err
		}
		if step.Department.Revision == step.From {
			return nil, step.Department, s.db.leaveReceipt(ctx, step.Receipt)
		}
		d.seat(key).Share = int64(step.Department.BudgetPercent)
		a := s.db.attempt(companyHome, &d.Head, step.Note)
		a.set = append(a.set, is("seats", d.Seats))
		a.debt.Department = departmentOf(step.Department, d)
		a.debt.Order = orderOf(step.Members, d)
		return a, step.Department, nil
	})
}

func (s *Departments) at(ctx context.Context, d companyDoc, key name.Key) (department.Department, error) {
	at := d.seat(key)
	if at == nil {
		return department.Department{}, noDepartment(key)
	}
	return s.db.departmentAt(ctx, *at)
}

// Update implements [ports.DepartmentStore].
func (s *Departments) Update(ctx context.Context, key name.Key, change func(department.Department, money.Percent) (ports.DepartmentStep, error)) (department.Department, error) {
	return s.on(ctx, key, func(d companyDoc, before department.Department) (ports.DepartmentStep, error) {
		return change(before, d.shares(key))
	})
}

// Department implements [ports.DepartmentStore].
func (s *Departments) Department(ctx context.Context, key name.Key) (department.Department, error) {
	d, err := s.db.company(ctx)
	if err != nil {
		return department.Department{}, err
	}
	return s.at(ctx, d, key)
}

// Name implements [ports.DepartmentStore].
func (s *Departments) Name(ctx context.Context, key name.Key) (name.Name, error) {
	at, err := s.db.readSeat(ctx, s.db.coll(companyColl), key)
	if err != nil {
		return name.Name{}, err
	}
	if at == nil {
		return name.Name{}, noDepartment(key)
	}
	return s.db.nameAt(ctx, *at)
}

// Departments implements [ports.DepartmentStore].
func (s *Departments) Departments(ctx context.Context, after company.Place, limit int) ([]department.Department, error) {
	d, err := s.db.company(ctx)
	if err != nil {
		return nil, err
	}
	var found []department.Department
	for rest := d.behind(after); len(rest) > 0 && len(found) < limit; {
		n := min(len(rest), limit-len(found))
		some, err := s.db.departmentsAt(ctx, rest[:n])
		if err != nil {
			return nil, err
		}
		found, rest = append(found, some...), rest[n:]
	}
	return found, nil
}
