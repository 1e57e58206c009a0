package sqlitestore

import (
	"context"

	"go.uber.org/zap"

	"orgd/adapters/sqlitestore/internal/engine"
)

// LockName is the file on which the process that uses a data directory holds a lock.
const LockName = engine.LockName

// Errors of data directories and backups.
var (
	ErrInUse    = engine.ErrInUse    // another process has the data directory open
	ErrExists   = engine.ErrExists   // the file to write exists
	ErrNotEmpty = engine.ErrNotEmpty // a restore would replace a database
)

// Restoration says what to restore and where.
type Restoration = engine.Restoration

// Exists reports whether a data directory holds a database.
func Exists(dir string) (bool, error) { return engine.Exists(dir) }

// Backup writes the database and the key files of a data directory to a file, see [engine.Backup].
func Backup(ctx context.Context, dir, dst string) error { return engine.Backup(ctx, dir, dst) }

// Restore puts the files of a backup into a data directory, see [engine.Restore].
func Restore(ctx context.Context, in Restoration, log *zap.Logger) error {
	return engine.Restore(ctx, in, log)
}
