package sqlitestore

import (
	"context"
	"fmt"

	"orgd/domain/company"
	"orgd/domain/name"
	"orgd/ports"
)

var _ ports.CompanyStore = (*Company)(nil)

// Company keeps the company.
type Company struct{ db *DB }

// Company implements [ports.CompanyStore].
func (s *Company) Company(ctx context.Context) (_ company.Company, err error) {
	defer s.db.observer.Begin(&ctx, "company.get").End(&err)
	var c company.Company
	err = s.db.Read(ctx, func(v *View) (err error) {
		c, _, err = readCompany(v)
		return err
	})
	return c, err
}

// Update implements [ports.CompanyStore].
func (s *Company) Update(ctx context.Context, change func(c company.Company, costs bool) (ports.Change[company.Company], error)) (_ company.Company, err error) {
	defer s.db.observer.Begin(&ctx, "company.update").End(&err)
	var step ports.Change[company.Company]
	err = s.db.Write(ctx, func(tx *Tx) error {
		before, costs, err := readCompany(&tx.View)
		if err != nil {
			return err
		}
		if step, err = change(before, costs); err != nil {
			return err
		}
		if err := putTrail(tx, step.Trail, step.Effective()); err != nil || !step.Effective() {
			return err
		}
		if err := reseat(tx, before.Seats, step.State.Seats); err != nil {
			return err
		}
		return putCompany(tx, step.State)
	})
	if err != nil {
		return company.Company{}, err
	}
	return step.State, nil
}

const (
	selectCompany = "SELECT doc, costs_recorded, revision, updated_at FROM company WHERE id = 1"
	selectSeats   = "SELECT place, name_key FROM departments ORDER BY place, name_key"
)

// readCompany returns the company and whether costs are recorded.
func readCompany(v *View) (c company.Company, costs bool, err error) {
	if c, costs, err = scanCompany(v.Row(selectCompany)); err == nil {
		err = v.Each(selectSeats, nil, func(r Row) error {
			var s company.Slot
			err := r.Scan(&s.OrderKey, &s.Department)
			c.Seats = append(c.Seats, s)
			return err
		})
	}
	if err != nil {
		return company.Company{}, false, fmt.Errorf("sqlitestore: read company: %w", err)
	}
	return c, costs, nil
}

func scanCompany(r Row) (c company.Company, costs bool, err error) {
	var doc []byte
	var revision, updated int64
	if err := r.Scan(&doc, &costs, &revision, &updated); err != nil {
		return company.Company{}, false, err
	}
	if c, err = company.Parse(doc); err != nil {
		return company.Company{}, false, err
	}
	c.Revision, c.UpdatedAt = revision, fromMillis(updated)
	return c, costs, nil
}

const updateCompany = "UPDATE company SET doc = ?, revision = ?, updated_at = ? WHERE id = 1"

// putCompany stores the company without its seats.
func putCompany(tx *Tx, c company.Company) error {
	if _, err := tx.Exec(updateCompany, string(c.Canonical()), c.Revision, millis(c.UpdatedAt)); err != nil {
		return fmt.Errorf("sqlitestore: write company: %w", err)
	}
	return nil
}

const moveDepartment = "UPDATE departments SET place = ? WHERE name_key = ?"

// reseat gives departments that have another seat now their order keys.
func reseat(tx *Tx, from, to []company.Slot) error {
	places := make(map[name.Key]company.OrderKey, len(from))
	for _, s := range from {
		places[s.Department] = s.OrderKey
	}
	for _, s := range to {
		if places[s.Department] == s.OrderKey {
			continue
		}
		if _, err := tx.Exec(moveDepartment, string(s.OrderKey), string(s.Department)); err != nil {
			return fmt.Errorf("sqlitestore: write department %s: %w", s.Department, err)
		}
	}
	return nil
}
