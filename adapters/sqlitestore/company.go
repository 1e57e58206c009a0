package sqlitestore

import (
	"context"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/company"
	"orgd/ports"
)

// Company keeps the company.
type Company struct{ db *DB }

// Company implements [ports.CompanyStore].
func (s *Company) Company(ctx context.Context) (_ company.Company, err error) {
	defer s.db.observer.Begin(&ctx, "company.get").End(&err)
	return sqlite.Read(ctx, s.db, func(v *sqlite.View) (company.Company, error) {
		c, _, err := readCompany(v)
		return c, err
	})
}

const selectCosts = "SELECT costs_recorded FROM company WHERE id = 1"

// Costs implements [ports.CompanyStore].
func (s *Company) Costs(ctx context.Context) (costs bool, err error) {
	defer s.db.observer.Begin(&ctx, "company.costs").End(&err)
	err = s.db.Ask(ctx, func(v *sqlite.View) error { return v.Row(selectCosts).Scan(&costs) })
	return costs, sqlite.Wrap(err, "read company", "")
}

// Update implements [ports.CompanyStore].
func (s *Company) Update(ctx context.Context, change func(c company.Company, costs bool) (ports.Change[company.Company], error)) (_ company.Company, err error) {
	defer s.db.observer.Begin(&ctx, "company.update").End(&err)
	var before company.Company
	step, err := update(ctx, s.db, func(tx *engine.Tx) (step ports.Change[company.Company], _ ports.Trail, err error) {
		var costs bool
		if before, costs, err = readCompany(&tx.View); err == nil {
			step, err = change(before, costs)
		}
		return step, step.Trail, err
	}, func(tx *engine.Tx, step ports.Change[company.Company]) error {
		if err := moveSlots(tx, before.Slots, step.State.Slots); err != nil {
			return err
		}
		return putCompany(tx, step.State)
	})
	return step.State, err
}

const (
	selectCompany = "SELECT doc, costs_recorded, revision, updated_at FROM company WHERE id = 1"
	selectSlots   = "SELECT order_key, name_key FROM departments ORDER BY order_key, name_key"
)

// readCompany returns the company and whether costs are recorded.
func readCompany(v *sqlite.View) (c company.Company, costs bool, err error) {
	var doc []byte
	var revision, updated int64
	if err = v.Row(selectCompany).Scan(&doc, &costs, &revision, &updated); err == nil {
		c, err = company.Parse(doc)
	}
	if err == nil {
		c.Revision, c.UpdatedAt = revision, sqlite.FromMillis(updated)
		c.Slots, err = sqlite.Rows(v, selectSlots, nil, func(r sqlite.Row) (s company.Slot, err error) {
			err = r.Scan(&s.OrderKey, &s.Department)
			return s, err
		})
	}
	if err != nil {
		return company.Company{}, false, sqlite.Wrap(err, "read company", "")
	}
	return c, costs, nil
}

const updateCompany = "UPDATE company SET doc = ?, revision = ?, updated_at = ? WHERE id = 1"

// putCompany stores the company without its slots.
func putCompany(tx *engine.Tx, c company.Company) error {
	_, err := tx.Exec(updateCompany, string(c.Canonical()), c.Revision, sqlite.Millis(c.UpdatedAt))
	return sqlite.Wrap(err, "write company", "")
}

const moveDepartment = "UPDATE departments SET order_key = ? WHERE name_key = ?"

// moveSlots gives departments that have another slot now their order keys.
func moveSlots(tx *engine.Tx, from, to []company.Slot) error {
	for s := range sqlite.Moved(from, to) {
		if _, err := tx.Exec(moveDepartment, string(s.OrderKey), string(s.Department)); err != nil {
			return sqlite.Wrap(err, "write department", string(s.Department))
		}
	}
	return nil
}
