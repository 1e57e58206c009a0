package mongostore

import (
	"context"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/groupcommit"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/company"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/ports"
)

// Company keeps the one company.
type Company struct{ db *DB }

// companyDoc is the company without the order of its departments, which is in their
// order keys.
type companyDoc struct {
	ID       string `bson:"_id"`
	Doc      string `bson:"doc"`
	Costs    bool   `bson:"costs"` // whether any was ever recorded
	Revision int64  `bson:"revision"`
	Updated  int64  `bson:"updated"`
	// Guard counts changes of shares of the budget: two at once conflict here.
	Guard int64 `bson:"guard"`
}

// departmentOrderDoc is what the company needs of a department.
type departmentOrderDoc struct {
	Key      string `bson:"_id"`
	OrderKey string `bson:"order_key"`
	Share    int64  `bson:"share"`
}

// state is the company and what is read with it.
type state struct {
	company.Company
	costs  bool
	shares map[name.Key]money.Percent
}

func readCompany(r reader) (s state, err error) {
	d, err := singleton[companyDoc](r, companyID)
	if err != nil {
		return s, err
	}
	rows, err := all[departmentOrderDoc](r, departmentsColl, bson.D{},
		options.Find().SetSort(mongodb.By("order_key", "_id")).SetProjection(mongodb.By("order_key", "share")))
	if err != nil {
		return s, err
	}
	if s.Company, err = company.Parse([]byte(d.Doc)); err != nil {
		return s, fmt.Errorf("mongostore: read company: %w", err)
	}
	s.costs, s.shares = d.Costs, map[name.Key]money.Percent{}
	s.Revision, s.UpdatedAt = d.Revision, mongodb.FromMillis(d.Updated)
	for _, d := range rows {
		s.Slots = append(s.Slots, company.Slot{OrderKey: company.OrderKey(d.OrderKey), Department: name.Key(d.Key)})
		s.shares[name.Key(d.Key)] = money.Percent(d.Share)
	}
	return s, nil
}

// singleton reads a document that a migration makes.
func singleton[T any](r reader, id string, opts ...options.Lister[options.FindOneOptions]) (T, error) {
	d, err := one[T](r, metaColl, mongodb.ByID(id), opts...)
	if err != nil && !mongodb.IsFault(err) && !mongodb.IsLost(err) {
		err = groupcommit.Unavailable(fmt.Errorf("mongostore: read %s: %w", id, err))
	}
	return d, err
}

// sharesBut is the sum of all departments' shares but that of one.
func (s state) sharesBut(key name.Key) (sum money.Percent) {
	for k, share := range s.shares {
		if k != key {
			sum += share
		}
	}
	return sum
}

// Company implements [ports.CompanyStore].
func (s *Company) Company(ctx context.Context) (_ company.Company, err error) {
	defer s.db.observer.Begin(&ctx, "company.get").End(&err)
	found, err := view(ctx, s.db.engine, readCompany)
	return found.Company, err
}

// Costs implements [ports.CompanyStore].
func (s *Company) Costs(ctx context.Context) (_ bool, err error) {
	defer s.db.observer.Begin(&ctx, "company.costs").End(&err)
	d, err := singleton[companyDoc](s.db.ask(ctx), companyID, options.FindOne().SetProjection(mongodb.By("costs")))
	return d.Costs, err
}

// Update implements [ports.CompanyStore].
func (s *Company) Update(ctx context.Context, change func(company.Company, bool) (ports.Change[company.Company], error)) (_ company.Company, err error) {
	defer s.db.observer.Begin(&ctx, "company.update").End(&err)
	return finishing(ctx, s.db, departmentsColl, func() (_ company.Company, unfinished bool, err error) {
		step, err := write(ctx, s.db.engine, func(t *tx) (step ports.Change[company.Company], err error) {
			unfinished = false
			before, err := readCompany(t)
			if err != nil {
				return step, err
			}
			if step, err = change(before.Company, before.costs); err != nil {
				return step, err
			}
			slots := moved(before.Slots, step.State.Slots, slotOfDepartment)
			if len(slots) > 0 || !step.Effective() { // else the order of the departments did not matter
				if err := mustBeFinished(t, departmentsColl); err != nil {
					return step, err
				}
			}
			if step.Effective() {
				t.updateCompany(step.State)
				unfinished = t.reorder(departmentsColl, slots)
			}
			t.addTrail(step.Trail, step.Effective())
			return step, nil
		})
		return step.State, unfinished, err
	})
}

func slotOfDepartment(s company.Slot) slot { return slot{string(s.Department), string(s.OrderKey)} }

// updateCompany writes the company without the order of its departments.
func (t *tx) updateCompany(c company.Company) {
	t.update(metaColl, companyID, mongodb.Set(
		mongodb.Is("doc", string(c.Canonical())), mongodb.Is("revision", c.Revision), mongodb.Is("updated", mongodb.Millis(c.UpdatedAt)),
	), nil)
}
