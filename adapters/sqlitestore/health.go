package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"orgd/adapters/groupcommit"
)

// pingTimeout bounds how long a probe waits.
const pingTimeout = time.Second

// SchemaVersion returns the number of the last migration applied.
func (db *DB) SchemaVersion(ctx context.Context) (version int, err error) {
	err = db.Read(ctx, func(v *View) error { return v.Row("PRAGMA user_version").Scan(&version) })
	return version, err
}

// Ping reports within a second whether the store can serve: the writer takes
// an empty change, the database is still the file that was opened, and a read
// would get a connection.
func (db *DB) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	c, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	db.readers <- c
	return db.Write(ctx, func(*Tx) error { return db.checkFile() })
}

// checkFile notices a database that was moved or deleted under us: what we
// write to it would be gone after a restart.
func (db *DB) checkFile() error {
	now, err := os.Stat(db.path)
	if err == nil && !os.SameFile(now, db.file) {
		err = errors.New("the database file was replaced")
	}
	if err != nil {
		return groupcommit.Unavailable(fmt.Errorf("sqlitestore: ping: %w", err))
	}
	return nil
}
