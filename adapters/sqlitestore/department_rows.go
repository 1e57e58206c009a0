package sqlitestore

import (
	"context"

	"orgd/adapters/agentindex"
	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/money"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/ports"
)

const departmentColumns = "id, name, name_key, order_key, doc, revision, created_at, updated_at"

// scanDepartment reads a row, or returns page.ErrLarge if ctx has no turn for it.
func scanDepartment(ctx context.Context, r sqlite.Row) (department.Department, error) {
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
	d.CreatedAt, d.UpdatedAt = sqlite.FromMillis(created), sqlite.FromMillis(updated)
	return d, nil
}

const insertDepartmentRow = `
INSERT INTO departments (name_key, name, id, order_key, budget_percent, doc, revision, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`

func createDepartment(tx *engine.Tx, step ports.DepartmentChange) error {
	if err := insertDepartment(tx, step.State); err != nil {
		return err
	}
	return putCompany(tx, step.Company)
}

func insertDepartment(tx *engine.Tx, d department.Department) error {
	key := string(d.Name.Key)
	_, err := tx.Exec(insertDepartmentRow, key, d.Name.Text, d.ID, string(d.OrderKey), int64(d.BudgetPercent),
		string(d.Canonical()), d.Revision, sqlite.Millis(d.CreatedAt), sqlite.Millis(d.UpdatedAt))
	return sqlite.Wrap(err, "write department", key)
}

const updateDepartment = `
UPDATE departments SET budget_percent = ?, doc = ?, revision = ?, updated_at = ? WHERE name_key = ?`

func putDepartment(tx *engine.Tx, step ports.DepartmentChange) error {
	d := step.State
	_, err := tx.Exec(updateDepartment, int64(d.BudgetPercent), string(d.Canonical()), d.Revision,
		sqlite.Millis(d.UpdatedAt), string(d.Name.Key))
	return sqlite.Wrap(err, "write department", string(d.Name.Key))
}

// A department that goes costs a look at every agent, which may refer to it: 0.1 s for 300 000.
const deleteDepartmentRow = "DELETE FROM departments WHERE name_key = ?"

func deleteDepartment(tx *engine.Tx, step ports.DepartmentChange) error {
	key := step.State.Name.Key
	tx.Changed.Departments = append(tx.Changed.Departments, key)
	if _, err := tx.Exec(deleteDepartmentRow, string(key)); err != nil {
		return sqlite.Wrap(err, "delete department", string(key))
	}
	return putCompany(tx, step.Company)
}

const selectOtherShares = "SELECT coalesce(sum(budget_percent), 0) FROM departments WHERE name_key <> ?"

// otherShares sums up the shares of the budget of all departments but one.
func otherShares(tx *engine.Tx, key name.Key) (sum money.Percent, err error) {
	err = tx.Row(selectOtherShares, string(key)).Scan(&sum)
	return sum, sqlite.Wrap(err, "read budget shares", "")
}

// members returns the agents of a department in their order.
func members(tx *engine.Tx, key name.Key) (found []agent.Member) {
	for e := range tx.Agents().Select(agentindex.Query{Department: string(key)}) {
		found = append(found, memberOf(e))
	}
	return found
}

const moveAgent engine.OnAgent = "UPDATE agents SET order_key = ? WHERE id = ?"

// putOrderKeys gives agents that have another order key now that order key.
func putOrderKeys(tx *engine.Tx, from, to []agent.Member) error {
	was := make(map[agent.ID]agent.OrderKey, len(from))
	for _, m := range from {
		was[m.ID] = m.OrderKey
	}
	for m := range sqlite.Moved(from, to) {
		orderKey := sqlite.PackID(m.OrderKey)
		c := agentindex.Change{ID: string(sqlite.PackID(m.ID)), Was: string(sqlite.PackID(was[m.ID]))}
		if e := tx.Agents().Get(c.Was, c.ID); e != nil {
			c.Now = e.Moved(string(orderKey))
		}
		if err := tx.ChangeAgent(memory.AgentChange{Change: c}, moveAgent, orderKey); err != nil {
			return sqlite.Wrap(err, "write order key of agent", string(m.ID))
		}
	}
	return nil
}
