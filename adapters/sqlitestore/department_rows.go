package sqlitestore

import (
	"context"
	"fmt"

	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/ports"
)

const departmentColumns = "id, name, name_key, place, doc, revision, created_at, updated_at"

// scanDepartment reads a row, or returns page.ErrLarge if ctx has no turn for it.
func scanDepartment(ctx context.Context, r Row) (department.Department, error) {
	var row department.Department
	var doc string
	var created, updated int64
	err := r.Scan(&row.ID, &row.Name.Text, &row.Name.Key, &row.OrderKey, &doc, &row.Revision, &created, &updated)
	if err != nil {
		return department.Department{}, err
	}
	if err := page.Allow(ctx, len(doc)); err != nil {
		return department.Department{}, err
	}
	d, err := department.Parse(doc)
	if err != nil {
		return department.Department{}, err
	}
	d.ID, d.Name, d.OrderKey, d.Revision = row.ID, row.Name, row.OrderKey, row.Revision
	d.CreatedAt, d.UpdatedAt = fromMillis(created), fromMillis(updated)
	return d, nil
}

const (
	insertDepartmentRow = `
INSERT INTO departments (name_key, name, id, place, budget_percent, doc, revision, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertHeadcount = "INSERT INTO headcounts (department_key, total, active) VALUES (?, 0, 0)"
)

func insertDepartment(tx *Tx, d department.Department) error {
	key := string(d.Name.Key)
	_, err := tx.Exec(insertDepartmentRow, key, d.Name.Text, d.ID, string(d.OrderKey), int64(d.BudgetPercent),
		string(d.Canonical()), d.Revision, millis(d.CreatedAt), millis(d.UpdatedAt))
	if err == nil {
		_, err = tx.Exec(insertHeadcount, key)
	}
	if err != nil {
		return fmt.Errorf("sqlitestore: write department %s: %w", key, err)
	}
	return nil
}

const updateDepartment = `
UPDATE departments SET budget_percent = ?, doc = ?, revision = ?, updated_at = ? WHERE name_key = ?`

func putDepartment(tx *Tx, step ports.DepartmentChange) error {
	d := step.State
	_, err := tx.Exec(updateDepartment, int64(d.BudgetPercent), string(d.Canonical()), d.Revision,
		millis(d.UpdatedAt), string(d.Name.Key))
	if err != nil {
		return fmt.Errorf("sqlitestore: write department %s: %w", d.Name.Key, err)
	}
	return nil
}

// The headcount goes with its department; an agent would keep it from going.
const deleteDepartmentRow = "DELETE FROM departments WHERE name_key = ?"

func deleteDepartment(tx *Tx, step ports.DepartmentChange) error {
	key := step.State.Name.Key
	tx.changed.departments = append(tx.changed.departments, key)
	if _, err := tx.Exec(deleteDepartmentRow, string(key)); err != nil {
		return fmt.Errorf("sqlitestore: delete department %s: %w", key, err)
	}
	return putCompany(tx, step.Company)
}

const selectOtherShares = "SELECT coalesce(sum(budget_percent), 0) FROM departments WHERE name_key <> ?"

// otherShares sums up the shares of the budget of all departments but one.
func otherShares(tx *Tx, key name.Key) (sum money.Percent, err error) {
	if err := tx.Row(selectOtherShares, string(key)).Scan(&sum); err != nil {
		return 0, fmt.Errorf("sqlitestore: read budget shares: %w", err)
	}
	return sum, nil
}

const selectMembers = "SELECT id, name_key, place FROM agents WHERE department_key = ? ORDER BY place, id"

// readMembers returns the agents of a department in their order.
func readMembers(tx *Tx, key name.Key) (members []agent.Member, err error) {
	err = tx.Each(selectMembers, []any{string(key)}, func(r Row) error {
		var m agent.Member
		var id, place []byte
		err := r.Scan(&id, &m.Name, &place)
		m.ID, m.OrderKey = agent.ID(unpackID(id)), agent.OrderKey(unpackID(place))
		members = append(members, m)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: read agents of %s: %w", key, err)
	}
	return members, nil
}

const moveAgent = "UPDATE agents SET place = ? WHERE id = ?"

// putOrderKeys gives agents that have another order key now that order key.
func putOrderKeys(tx *Tx, from, to []agent.Member) error {
	places := make(map[agent.ID]agent.OrderKey, len(from))
	for _, m := range from {
		places[m.ID] = m.OrderKey
	}
	for _, m := range to {
		if places[m.ID] == m.OrderKey {
			continue
		}
		if err := tx.change(m.ID, moveAgent, packID(m.OrderKey), packID(m.ID)); err != nil {
			return fmt.Errorf("sqlitestore: write place of agent %s: %w", m.ID, err)
		}
	}
	return nil
}
