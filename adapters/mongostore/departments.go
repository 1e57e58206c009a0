package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

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
	d, err := findDepartment(s.db.ask(ctx), key)
	if err != nil {
		return department.Department{}, err
	}
	return d.department()
}

// Name implements [ports.DepartmentStore].
func (s *Departments) Name(ctx context.Context, key name.Key) (_ name.Name, err error) {
	defer s.db.observer.Begin(&ctx, "departments.name").End(&err)
	d, err := findDepartment(s.db.ask(ctx), key, options.FindOne().SetProjection(by("name")))
	return d.name(), err
}

// Departments implements [ports.DepartmentStore].
func (s *Departments) Departments(ctx context.Context, after company.OrderKey, limit int) (_ []department.Department, err error) {
	defer s.db.observer.Begin(&ctx, "departments.list").End(&err)
	return list(s.db.ask(ctx), departmentsColl, bson.D{is("order_key", bson.D{is("$gt", string(after))})},
		options.Find().SetSort(by("order_key", "_id")).SetLimit(int64(limit)), departmentDoc.department)
}

// Create implements [ports.DepartmentStore].
func (s *Departments) Create(ctx context.Context, key name.Key, create func(company.Company, money.Percent) (ports.DepartmentChange, error)) (_ department.Department, err error) {
	defer s.db.observer.Begin(&ctx, "departments.create").End(&err)
	var d department.Department
	err = s.db.write(ctx, func(t *tx) error {
		if err := mustBeFree(t, key); err != nil {
			return err
		}
		c, err := readCompany(t)
		if err != nil {
			return err
		}
		step, err := create(c.Company, c.sharesBut(""))
		if err != nil {
			return err
		}
		d = step.State
		d.OrderKey = orderKeyOf(d, step.Company)
		t.addTrail(step.Trail, true)
		t.updateCompany(step.Company) // where two creations conflict
		t.insert(departmentsColl, departmentOf(d), nil)
		t.insertHeadcounts(d.Name.Key)
		return nil
	})
	if err != nil {
		return department.Department{}, err
	}
	return d, nil
}

// mustBeFree returns department.ErrExists if a department has the key.
func mustBeFree(t *tx, key name.Key) error {
	d, err := findDepartment(t, key)
	switch {
	case err == nil:
		return department.ErrExists.With("a department of the name %q exists", d.Name)
	case errors.Is(err, department.ErrNotFound):
		return nil
	default:
		return err
	}
}

// orderKeyOf returns the order key that the company has for a new department.
func orderKeyOf(d department.Department, c company.Company) company.OrderKey {
	for _, s := range c.Seats {
		if s.Department == d.Name.Key {
			return s.OrderKey
		}
	}
	return company.OrderKey(d.ID)
}

// Update implements [ports.DepartmentStore].
func (s *Departments) Update(ctx context.Context, key name.Key, change func(department.Department, money.Percent) (ports.DepartmentChange, error)) (_ department.Department, err error) {
	defer s.db.observer.Begin(&ctx, "departments.update").End(&err)
	return s.step(ctx, key, func(t *tx, d department.Department) (ports.DepartmentChange, error) {
		c, err := readCompany(t)
		if err != nil {
			return ports.DepartmentChange{}, err
		}
		step, err := change(d, c.sharesBut(key))
		if err == nil && step.State.BudgetPercent != d.BudgetPercent {
			t.update(metaColl, companyID, bson.D{is("$inc", bson.D{is("guard", 1)})}, nil)
		}
		return step, err
	}, (*tx).updateDepartment)
}

// Reorder implements [ports.DepartmentStore]. Two reorders conflict in the
// department, a reorder and a change of a member in the member.
func (s *Departments) Reorder(ctx context.Context, key name.Key, order func(department.Department, []agent.Member) (ports.DepartmentChange, error)) (_ department.Department, err error) {
	defer s.db.observer.Begin(&ctx, "departments.reorder").End(&err)
	var members []agent.Member
	return s.step(ctx, key, func(t *tx, d department.Department) (step ports.DepartmentChange, err error) {
		if members, err = readMembers(t, key); err != nil {
			return step, err
		}
		return order(d, members)
	}, func(t *tx, step ports.DepartmentChange) {
		t.updateDepartment(step)
		t.updateOrder(members, step.Members)
	})
}

// Delete implements [ports.DepartmentStore].
func (s *Departments) Delete(ctx context.Context, key name.Key, remove func(department.Department, int64, company.Company) (ports.DepartmentChange, error)) (err error) {
	defer s.db.observer.Begin(&ctx, "departments.delete").End(&err)
	_, err = s.step(ctx, key, func(t *tx, d department.Department) (ports.DepartmentChange, error) {
		n, err := headcounts(t, []name.Key{key})
		if err != nil {
			return ports.DepartmentChange{}, err
		}
		c, err := readCompany(t)
		if err != nil {
			return ports.DepartmentChange{}, err
		}
		return remove(d, n[key].Total, c.Company)
	}, func(t *tx, step ports.DepartmentChange) {
		t.updateCompany(step.Company)
		t.remove(departmentsColl, string(key))
		t.removeHeadcounts(key)
	})
	return err
}

// step stores what decide makes of a department. write writes an effective step
// without its audit entry.
func (s *Departments) step(ctx context.Context, key name.Key,
	decide func(*tx, department.Department) (ports.DepartmentChange, error),
	write func(*tx, ports.DepartmentChange),
) (department.Department, error) {
	var step ports.DepartmentChange
	err := s.db.write(ctx, func(t *tx) error {
		doc, err := findDepartment(t, key)
		if err != nil {
			return err
		}
		d, err := doc.department()
		if err != nil {
			return err
		}
		if step, err = decide(t, d); err != nil {
			return err
		}
		t.addTrail(step.Trail, step.Effective())
		if step.Effective() {
			write(t, step)
		}
		return nil
	}, needByID(departmentsColl, string(key)))
	if err != nil {
		return department.Department{}, err
	}
	return step.State, nil
}

// findDepartment returns a department, or department.ErrNotFound.
func findDepartment(r reader, key name.Key, opts ...options.Lister[options.FindOneOptions]) (departmentDoc, error) {
	d, err := one[departmentDoc](r, departmentsColl, byID(string(key)), opts...)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return d, department.ErrNotFound.With("department %q not found", key)
	}
	return d, err
}
