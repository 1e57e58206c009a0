package sqlitestore

import (
	"context"

	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/ports"
)

const departmentColumns = "id, name, name_key, order_key, doc, revision, created_at, updated_at"

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
INSERT INTO departments (name_key, name, id, order_key, budget_percent, doc, revision, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`
	insertHeadcount = "INSERT INTO headcounts (department_key, total, active) VALUES (?, 0, 0)"
)

func createDepartment(tx *Tx, step ports.DepartmentChange) error {
	if err := insertDepartment(tx, step.State); err != nil {
		return err
	}
	return putCompany(tx, step.Company)
}

func insertDepartment(tx *Tx, d department.Department) error {
	key := string(d.Name.Key)
	_, err := tx.Exec(insertDepartmentRow, key, d.Name.Text, d.ID, string(d.OrderKey), int64(d.BudgetPercent),
		string(d.Canonical()), d.Revision, millis(d.CreatedAt), millis(d.UpdatedAt))
	if err == nil {
		_, err = tx.Exec(insertHeadcount, key)
	}
	return wrap(err, "write department", key)
}

const updateDepartment = `
UPDATE departments SET budget_percent = ?, doc = ?, revision = ?, updated_at = ? WHERE name_key = ?`

func putDepartment(tx *Tx, step ports.DepartmentChange) error {
	d := step.State
	_, err := tx.Exec(updateDepartment, int64(d.BudgetPercent), string(d.Canonical()), d.Revision,
		millis(d.UpdatedAt), string(d.Name.Key))
	return wrap(err, "write department", string(d.Name.Key))
}

// The headcount goes with its department; an agent would keep it from going.
const deleteDepartmentRow = "DELETE FROM departments WHERE name_key = ?"

func deleteDepartment(tx *Tx, step ports.DepartmentChange) error {
	key := step.State.Name.Key
	tx.changed.departments = append(tx.changed.departments, key)
	if _, err := tx.Exec(deleteDepartmentRow, string(key)); err != nil {
		return wrap(err, "delete department", string(key))
	}
	return putCompany(tx, step.Company)
}

const selectOtherShares = "SELECT coalesce(sum(budget_percent), 0) FROM departments WHERE name_key <> ?"

// otherShares sums up the shares of the budget of all departments but one.
func otherShares(tx *Tx, key name.Key) (sum money.Percent, err error) {
	err = tx.Row(selectOtherShares, string(key)).Scan(&sum)
	return sum, wrap(err, "read budget shares", "")
}

const selectMembers = "SELECT id, name_key, order_key FROM agents WHERE department_key = ? ORDER BY order_key, id"

// readMembers returns the agents of a department in their order.
func readMembers(tx *Tx, key name.Key) ([]agent.Member, error) {
	members, err := rows(&tx.View, selectMembers, []any{string(key)}, func(r Row) (m agent.Member, err error) {
		var id, orderKey []byte
		err = r.Scan(&id, &m.Name, &orderKey)
		m.ID, m.OrderKey = agent.ID(unpackID(id)), agent.OrderKey(unpackID(orderKey))
		return m, err
	})
	return members, wrap(err, "read agents of", string(key))
}

const moveAgent = "UPDATE agents SET order_key = ? WHERE id = ?"

// putOrderKeys gives agents that have another order key now that order key.
func putOrderKeys(tx *Tx, from, to []agent.Member) error {
	for m := range moved(from, to) {
		if err := tx.change(m.ID, moveAgent, packID(m.OrderKey), packID(m.ID)); err != nil {
			return wrap(err, "write order key of agent", string(m.ID))
		}
	}
	return nil
}

const selectHeadcounts = `
SELECT department_key, total, active FROM headcounts WHERE department_key IN (SELECT value FROM json_each(?))`

// headcounts counts the agents of departments; unknown ones have none.
func headcounts(v *View, departments []name.Key) (map[name.Key]agent.Counts, error) {
	counts, err := mapOf(v, selectHeadcounts, departments, nil, func(r Row) (key name.Key, n agent.Counts, err error) {
		err = r.Scan(&key, &n.Total, &n.Active)
		return key, n, err
	})
	return counts, wrap(err, "count agents of departments", "")
}

// recount follows a change of an agent's department or status.
func recount(tx *Tx, from, to identity.Content) error {
	if from.Department.Key == to.Department.Key && active(from) == active(to) {
		return nil
	}
	if err := count(tx, from, -1); err != nil {
		return err
	}
	return count(tx, to, 1)
}

func active(c identity.Content) int64 {
	if c.Status == identity.Active {
		return 1
	}
	return 0
}

const addHeadcount = "UPDATE headcounts SET total = total + ?, active = active + ? WHERE department_key = ?"

// count adds n times an agent to the headcount of its department.
func count(tx *Tx, c identity.Content, n int64) error {
	key := string(c.Department.Key)
	_, err := tx.Exec(addHeadcount, n, n*active(c), key)
	return wrap(err, "count agents of", key)
}
