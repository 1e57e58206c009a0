package sqlitestore

import (
	"context"

	"orgd/adapters/sqlitestore/internal/sqlite"
)

// A database that was restored has a table with the name of its incarnation, others have none.
const (
	existsIncarnation = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'incarnation')"
	selectIncarnation = "SELECT name FROM incarnation"
)

// readIncarnation reads it, "" if nothing was restored.
func (db *DB) readIncarnation(ctx context.Context) error {
	restored, name := false, ""
	err := db.Read(ctx, func(v *sqlite.View) error {
		err := v.Row(existsIncarnation).Scan(&restored)
		if err == nil && restored {
			err = v.Row(selectIncarnation).Scan(&name)
		}
		return err
	})
	db.incarnation.Store(&name)
	return sqlite.Wrap(err, "read the incarnation", "")
}
