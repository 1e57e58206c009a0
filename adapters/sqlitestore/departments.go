package sqlitestore

import (
	"context"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/ports"
)

// Departments keeps departments.
type Departments struct{ db *DB }

// Department implements [ports.DepartmentStore].
func (s *Departments) Department(ctx context.Context, key name.Key) (_ department.Department, err error) {
	defer s.db.observer.Begin(&ctx, "departments.get").End(&err)
	return sqlite.Ask(ctx, s.db, func(v *sqlite.View) (department.Department, error) { return findDepartment(v, key) })
}

const selectDepartmentName = "SELECT name FROM departments WHERE name_key = ?"

// Name implements [ports.DepartmentStore].
func (s *Departments) Name(ctx context.Context, key name.Key) (_ name.Name, err error) {
	defer s.db.observer.Begin(&ctx, "departments.name").End(&err)
	return departmentName(ctx, s.db, key)
}

// departmentName returns the name of a department as it writes it.
func departmentName(ctx context.Context, db *DB, key name.Key) (name.Name, error) {
	if n, ok := db.Records.Department(key); ok {
		return n, db.Refused()
	}
	n := name.Name{Key: key}
	since := db.Records.Now()
	err := db.Ask(ctx, func(v *sqlite.View) error {
		err := v.Row(selectDepartmentName, string(key)).Scan(&n.Text)
		return sqlite.NotFound(err, "department", string(key), department.ErrNotFound)
	})
	if err != nil {
		return name.Name{}, err
	}
	db.Records.PutDepartment(since, n)
	return n, nil
}

const selectDepartments = "SELECT " + departmentColumns + ` FROM departments
WHERE order_key > ? ORDER BY order_key LIMIT (? + 0)`

// Departments implements [ports.DepartmentStore].
func (s *Departments) Departments(ctx context.Context, after company.OrderKey, limit int) (_ []department.Department, err error) {
	defer s.db.observer.Begin(&ctx, "departments.list").End(&err)
	return sqlite.ReadPage(ctx, s.db, "list departments", selectDepartments, []any{string(after), limit},
		func(r sqlite.Row) (department.Department, error) { return scanDepartment(ctx, r) })
}

// Create implements [ports.DepartmentStore].
func (s *Departments) Create(ctx context.Context, key name.Key, found func(c company.Company, shares money.Percent) (ports.DepartmentChange, error)) (_ department.Department, err error) {
	defer s.db.observer.Begin(&ctx, "departments.create").End(&err)
	step, err := update(ctx, s.db, func(tx *engine.Tx) (ports.DepartmentChange, ports.Trail, error) {
		step, err := decideNew(tx, key, found)
		return step, step.Trail, err
	}, createDepartment)
	return step.State, err
}

// decideNew makes the change that creates a department.
func decideNew(tx *engine.Tx, key name.Key, found func(company.Company, money.Percent) (ports.DepartmentChange, error)) (step ports.DepartmentChange, err error) {
	if err := mustBeFree(tx, key); err != nil {
		return step, err
	}
	c, _, err := readCompany(&tx.View)
	if err != nil {
		return step, err
	}
	shares, err := otherShares(tx, "")
	if err != nil {
		return step, err
	}
	if step, err = found(c, shares); err == nil {
		step.State.OrderKey = step.Company.OrderKey(step.State.Name.Key, step.State.ID)
	}
	return step, err
}

// mustBeFree returns department.ErrExists if a department has the key.
func mustBeFree(tx *engine.Tx, key name.Key) error {
	var taken string
	err := tx.Row(selectDepartmentName, string(key)).Scan(&taken)
	if err == nil {
		return department.Taken(taken)
	}
	return sqlite.Wrap(sqlite.OrNone(err), "read department", string(key))
}

// Update implements [ports.DepartmentStore].
func (s *Departments) Update(ctx context.Context, key name.Key, change func(d department.Department, others money.Percent) (ports.DepartmentChange, error)) (_ department.Department, err error) {
	defer s.db.observer.Begin(&ctx, "departments.update").End(&err)
	return s.step(ctx, key, func(tx *engine.Tx, d department.Department) (ports.DepartmentChange, error) {
		others, err := otherShares(tx, key)
		if err != nil {
			return ports.DepartmentChange{}, err
		}
		return change(d, others)
	}, putDepartment)
}

// Reorder implements [ports.DepartmentStore].
func (s *Departments) Reorder(ctx context.Context, key name.Key, order func(d department.Department, members []agent.Member) (ports.DepartmentChange, error)) (_ department.Department, err error) {
	defer s.db.observer.Begin(&ctx, "departments.reorder").End(&err)
	if _, err := s.db.agentIndex(ctx); err != nil {
		return department.Department{}, err
	}
	var before []agent.Member
	return s.step(ctx, key, func(tx *engine.Tx, d department.Department) (_ ports.DepartmentChange, err error) {
		before = members(tx, key)
		return order(d, before)
	}, func(tx *engine.Tx, step ports.DepartmentChange) error {
		if err := putOrderKeys(tx, before, step.Members); err != nil {
			return err
		}
		return putDepartment(tx, step)
	})
}

// Delete implements [ports.DepartmentStore].
func (s *Departments) Delete(ctx context.Context, key name.Key, remove func(d department.Department, agents int64, c company.Company) (ports.DepartmentChange, error)) (err error) {
	defer s.db.observer.Begin(&ctx, "departments.delete").End(&err)
	if _, err := s.db.agentIndex(ctx); err != nil {
		return err
	}
	_, err = s.step(ctx, key, func(tx *engine.Tx, d department.Department) (ports.DepartmentChange, error) {
		c, _, err := readCompany(&tx.View)
		if err != nil {
			return ports.DepartmentChange{}, err
		}
		return remove(d, tx.Agents().Counts(string(key)).Total, c)
	}, deleteDepartment)
	return err
}

// step stores what decide makes of a department. put stores an effective step
// beside its trail.
func (s *Departments) step(ctx context.Context, key name.Key,
	decide func(*engine.Tx, department.Department) (ports.DepartmentChange, error),
	put func(*engine.Tx, ports.DepartmentChange) error,
) (department.Department, error) {
	step, err := update(ctx, s.db, func(tx *engine.Tx) (step ports.DepartmentChange, _ ports.Trail, err error) {
		d, err := findDepartment(&tx.View, key)
		if err == nil {
			step, err = decide(tx, d)
		}
		return step, step.Trail, err
	}, put)
	return step.State, err
}

const selectDepartment = "SELECT " + departmentColumns + " FROM departments WHERE name_key = ?"

func findDepartment(v *sqlite.View, key name.Key) (department.Department, error) {
	d, err := scanDepartment(v.Ctx, v.Row(selectDepartment, string(key)))
	return d, sqlite.NotFound(err, "department", string(key), department.ErrNotFound)
}
