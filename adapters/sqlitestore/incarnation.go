package sqlitestore

// A database that was restored has a table with the name of its incarnation, others have none.
const (
	existsIncarnation = "SELECT EXISTS (SELECT 1 FROM sqlite_schema WHERE name = 'incarnation')"
	selectIncarnation = "SELECT name FROM incarnation"
	renewIncarnation  = "DROP TABLE IF EXISTS incarnation; " +
		"CREATE TABLE incarnation (name TEXT NOT NULL) STRICT; " +
		"INSERT INTO incarnation (name) VALUES (lower(hex(randomblob(16))))"
)

// Incarnation implements [ports.Storage].
func (s *Storage) Incarnation() string { return *s.db.incarnation.Load() }

// readIncarnation reads it with a connection, "" if nothing was restored.
func (db *DB) readIncarnation(c *conn) error {
	restored, name := false, ""
	err := c.row(existsIncarnation).Scan(&restored)
	if err == nil && restored {
		err = c.row(selectIncarnation).Scan(&name)
	}
	db.incarnation.Store(&name)
	return wrap(err, "read the incarnation", "")
}
