package sqlitestore

import (
	"context"

	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/ports"
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

const existsRestoring = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'restoring')"

// CheckLoaded returns [ports.ErrRestoring] if an archive has been restored in part.
func (db *DB) CheckLoaded(ctx context.Context) error { return db.Ask(ctx, checkLoaded) }

func checkLoaded(v *sqlite.View) error {
	restoring, err := isRestoring(v)
	if err == nil && restoring {
		err = ports.ErrRestoring
	}
	return err
}

func isRestoring(v *sqlite.View) (is bool, err error) {
	err = v.Row(existsRestoring).Scan(&is)
	return is, sqlite.Wrap(err, "look for a restore", "")
}
