package sqlitestore

import (
	"time"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/ports"
)

// markEvery spaces the marks of the log.
const markEvery = time.Hour

const (
	insertMark = `
INSERT INTO log_marks (at, seq)
SELECT ?1, seq FROM sqlite_sequence
WHERE name = 'events' AND NOT EXISTS (SELECT 1 FROM log_marks WHERE at > ?2)`
	raiseSeq   = "UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'events'"
	beginSeq   = "INSERT INTO sqlite_sequence (name, seq) SELECT 'events', 0 WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'events')"
	raiseBegin = `
INSERT INTO log_marks (at, seq)
SELECT 0, max(seq) FROM log_marks WHERE at < ? HAVING max(seq) NOT NULL
ON CONFLICT (at) DO UPDATE SET seq = excluded.seq`
	deleteExpiredMarks = "DELETE FROM log_marks WHERE at > 0 AND at < ?"
)

// markLog notes how far the log has come now, and moves its beginning to where
// it was when the oldest events that are kept entered it.
func markLog(tx *engine.Tx, e ports.Expiry) error {
	head, err := engine.Head(&tx.View)
	if err == nil {
		_, err = tx.Exec(beginSeq) // there was never an event
	}
	if err == nil {
		_, err = tx.Exec(raiseSeq, head) // for entries that are deleted later
	}
	if err != nil || e.Now.IsZero() || e.Events.IsZero() {
		return sqlite.Wrap(err, "mark the log", "")
	}
	now, kept := sqlite.Millis(e.Now), sqlite.Millis(e.Events)
	_, err = tx.Exec(insertMark, now, sqlite.Millis(e.Now.Add(-markEvery)))
	if err == nil {
		_, err = tx.Exec(raiseBegin, kept)
	}
	if err == nil {
		_, err = tx.Exec(deleteExpiredMarks, kept)
	}
	return sqlite.Wrap(err, "mark the log", "")
}
