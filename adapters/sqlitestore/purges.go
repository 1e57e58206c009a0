package sqlitestore

import (
	"context"
	"time"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
)

// Others wait for the writer while it deletes. So a write deletes a bounded
// number of records of one kind, and begins with no other kind after a while.
const (
	deleteAtOnce = 100
	deleteTime   = 20 * time.Millisecond
)

// What is left of agents that were purged. A version that goes costs a look at every agent,
// which may refer to it.
const (
	deletePurgedEvents = `
DELETE FROM events WHERE seq IN (SELECT e.seq FROM purged_agents AS p CROSS JOIN events AS e ON e.agent_id = p.id LIMIT (? + 0))`
	deletePurgedVersions = `
DELETE FROM versions WHERE seq IN (SELECT v.seq FROM purged_agents AS p CROSS JOIN versions AS v ON v.agent_id = p.id LIMIT (? + 0))`
	deletePurgedMoves = `
DELETE FROM label_moves WHERE (agent_id, label, revision) IN (
	SELECT m.agent_id, m.label, m.revision FROM purged_agents AS p CROSS JOIN label_moves AS m ON m.agent_id = p.id LIMIT (? + 0))`
	deletePurgedDays = `
DELETE FROM agent_days WHERE (owner, day) IN (
	SELECT d.owner, d.day FROM purged_agents AS p CROSS JOIN agent_days AS d ON d.owner = p.id LIMIT (? + 0))`
	deletePurgedTotals = `
DELETE FROM agent_totals WHERE agent_id IN (
	SELECT t.agent_id FROM purged_agents AS p CROSS JOIN agent_totals AS t ON t.agent_id = p.id LIMIT (? + 0))`
	deletePurged = "DELETE FROM purged_agents WHERE at <= ?"
)

// removePurged removes what is left of agents that were purged, for a while.
func (db *DB) removePurged(ctx context.Context) (more bool, err error) {
	err = db.Write(ctx, func(tx *engine.Tx) (err error) {
		more, err = removePurged(tx, time.Now().Add(deleteTime), time.Time{})
		return err
	})
	return more && err == nil, err
}

// purgeAtOnce is how many rows one statement removes: others wait for it.
const purgeAtOnce = 20

// anyPurged reports whether there may be anything left of agents that were purged.
func anyPurged(tx *engine.Tx) (found bool, err error) {
	err = tx.Row("SELECT EXISTS (SELECT 1 FROM purged_agents)").Scan(&found)
	return found, sqlite.Wrap(err, "read purged agents", "")
}

// removePurged does so in a transaction, until a time. For agents that were purged before another time it also removes
// the rows that say so.
func removePurged(tx *engine.Tx, enough, before time.Time) (more bool, err error) {
	if purged, err := anyPurged(tx); !purged {
		return false, err
	}
	tx.Changed.DeletedBefore, tx.Changed.Purged = memory.AnyTime, true
	for _, statement := range []string{deletePurgedEvents, deletePurgedVersions, deletePurgedMoves, deletePurgedDays, deletePurgedTotals} {
		for n := int64(purgeAtOnce); n == purgeAtOnce; {
			if time.Now().After(enough) {
				return true, nil
			}
			if n, err = sqlite.Changed(tx.Exec(statement, purgeAtOnce)); err != nil {
				return false, sqlite.Wrap(err, "purge", "")
			}
		}
	}
	_, err = tx.Exec(deletePurged, max(0, sqlite.Millis(before)))
	return false, sqlite.Wrap(err, "purge", "")
}

// notPurged selects the rows of agents that were not purged.
func notPurged(column string) string {
	return " WHERE " + column + " NOT IN (SELECT id FROM purged_agents)"
}
