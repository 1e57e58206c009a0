package sqlitestore

import "context"

// A database that was restored has a table with the name of its incarnation, others have none.
const (
	existsIncarnation = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'incarnation')"
	selectIncarnation = "SELECT name FROM incarnation"
	renewIncarnation  = "DROP TABLE IF EXISTS incarnation; " +
		"CREATE TABLE incarnation (name TEXT NOT NULL) STRICT; " +
		"INSERT INTO incarnation (name) VALUES (lower(hex(randomblob(16))))"
)

// readIncarnation reads it, "" if nothing was restored.
func (db *DB) readIncarnation(ctx context.Context) error {
	restored, name := false, ""
	err := db.Read(ctx, func(v *View) error {
		err := v.Row(existsIncarnation).Scan(&restored)
		if err == nil && restored {
			err = v.Row(selectIncarnation).Scan(&name)
		}
		return err
	})
	db.incarnation.Store(&name)
	return wrap(err, "read the incarnation", "")
}
