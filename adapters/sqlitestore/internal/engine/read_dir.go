package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"orgd/adapters/sqlitestore/internal/sqlite"
)

// ReadDir calls fn with one state of the database in a directory, which has the schema of this
// program. A service may have the directory open, and is not held up.
func ReadDir(ctx context.Context, dir string, fn func(*sqlite.View) error) error {
	if err := viewAbs(ctx, dir, fn); err != nil {
		return fmt.Errorf("sqlitestore: read %s: %w", dir, sqlite.Translate(err))
	}
	return nil
}

func viewAbs(ctx context.Context, dir string, fn func(*sqlite.View) error) (err error) {
	dir, err = filepath.Abs(dir) // SQLite would take a relative name for a part of a URI
	if err != nil {
		return err
	}
	if err := checkRestored(dir); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, databaseName)); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no database: %w", err)
	} else if err != nil {
		return err
	}
	pool, err := sqlite.OpenPool(filepath.Join(dir, databaseName), 1, copyParams)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	c, err := sqlite.NewConn(ctx, pool)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return c.Snapshot(ctx, func(v *sqlite.View) error {
		if err := checkCurrent(c); err != nil {
			return err
		}
		return fn(v)
	})
}

// checkCurrent makes sure that a database has the schema of this program.
func checkCurrent(c *sqlite.Conn) error {
	own, err := OwnSchema()
	if err != nil {
		return err
	}
	version, err := checkSchema(c, own)
	if err == nil && version < own.Version() {
		err = fmt.Errorf("the database has schema version %d and this program needs %d: stop the service and run orgd migrate", version, own.Version())
	}
	return err
}
