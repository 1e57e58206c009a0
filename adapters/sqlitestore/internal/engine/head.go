package engine

import (
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
)

// selectHead reads the greatest number that an event or an entry of the audit trail ever had.
const selectHead = `
SELECT max(coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'events'), 0),
	coalesce((SELECT max(seq) FROM changes), 0), coalesce((SELECT max(seq) FROM audit), 0),
	coalesce((SELECT max(last) FROM audit_blocks), 0))`

// Head returns the greatest number that was ever given.
func Head(v *sqlite.View) (head activity.Seq, err error) {
	err = v.Row(selectHead).Scan(&head)
	return head, sqlite.Wrap(err, "read the end of the log", "")
}
