package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"orgd/adapters/groupcommit"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/adapters/telemetry"
)

// pingTimeout bounds how long a probe waits.
const pingTimeout = time.Second

// SchemaVersion returns the number of the last migration applied.
func (db *DB) SchemaVersion(ctx context.Context) (version int, err error) {
	err = db.Ask(ctx, func(v *sqlite.View) error { return v.Row("PRAGMA user_version").Scan(&version) })
	return version, err
}

// Ping reports within a second whether the store can serve: the writer takes
// an empty change, the database is still the file that was opened, a read
// would get a connection, and reading the agents has not failed.
func (db *DB) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	c, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	db.readers <- c
	if err := db.index.Err(); err != nil {
		return groupcommit.Unavailable(err)
	}
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

// Files returns the sizes of the data directory as they are now.
func (db *DB) Files() (telemetry.Files, error) {
	database, err := size(db.path)
	if err != nil {
		return telemetry.Files{}, fmt.Errorf("sqlitestore: size of the database: %w", err)
	}
	log, err := size(db.path + "-wal")
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return telemetry.Files{}, fmt.Errorf("sqlitestore: size of the log: %w", err)
	}
	free, total, err := room(filepath.Dir(db.path))
	if err != nil {
		return telemetry.Files{}, fmt.Errorf("sqlitestore: room on the disk: %w", err)
	}
	return telemetry.Files{Database: database, Log: log, DiskFree: free, DiskSize: total}, nil
}
