package sqlitestore

import (
	"fmt"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
)

const selectHeadcounts = `
SELECT department_key, total, active FROM headcounts WHERE department_key IN (SELECT value FROM json_each(?))`

// headcounts counts the agents of departments; unknown ones have none.
func headcounts(v *View, departments []name.Key) (map[name.Key]agent.Counts, error) {
	counts := make(map[name.Key]agent.Counts, len(departments))
	err := eachOf(v, selectHeadcounts, departments, nil, func(r Row) error {
		var key name.Key
		var n agent.Counts
		err := r.Scan(&key, &n.Total, &n.Active)
		counts[key] = n
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: count agents of departments: %w", err)
	}
	return counts, nil
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
