package sqlitestore

import (
	"database/sql"
	"errors"
	"fmt"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
)

const selectHeadcount = "SELECT total, active FROM headcounts WHERE department_key = ?"

// headcount counts the agents of a department; an unknown one has none.
func headcount(v *View, department name.Key) (n agent.Counts, err error) {
	err = v.Row(selectHeadcount, string(department)).Scan(&n.Total, &n.Active)
	if errors.Is(err, sql.ErrNoRows) {
		return agent.Counts{}, nil
	}
	if err != nil {
		return agent.Counts{}, fmt.Errorf("sqlitestore: count agents of %s: %w", department, err)
	}
	return n, nil
}

// countIn counts an agent in where it is from now on.
func countIn(tx *Tx, c identity.Content) error {
	return count(tx, c.Department.Key, agent.Counts{Total: 1, Active: active(c)})
}

// countOut stops counting an agent where it was.
func countOut(tx *Tx, c identity.Content) error {
	return count(tx, c.Department.Key, agent.Counts{Total: -1, Active: -active(c)})
}

// recount follows a change of an agent's department or status.
func recount(tx *Tx, from, to identity.Content) error {
	if from.Department.Key == to.Department.Key && active(from) == active(to) {
		return nil
	}
	if err := countOut(tx, from); err != nil {
		return err
	}
	return countIn(tx, to)
}

func active(c identity.Content) int64 {
	if c.Status == identity.Active {
		return 1
	}
	return 0
}

const addHeadcount = "UPDATE headcounts SET total = total + ?, active = active + ? WHERE department_key = ?"

// count adds to the headcount of a department.
func count(tx *Tx, department name.Key, n agent.Counts) error {
	if _, err := tx.Exec(addHeadcount, n.Total, n.Active, string(department)); err != nil {
		return fmt.Errorf("sqlitestore: count agents of %s: %w", department, err)
	}
	return nil
}
