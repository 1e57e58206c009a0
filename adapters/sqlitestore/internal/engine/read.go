package engine

import (
	"context"
	"errors"

	"orgd/adapters/groupcommit"
	"orgd/adapters/sqlitestore/internal/sqlite"
)

// Read calls fn with a view of one state and returns its error. It waits for a free connection
// until ctx ends, which is [ports.ErrUnavailable].
func (db *DB) Read(ctx context.Context, fn func(*sqlite.View) error) error {
	return db.lend(ctx, func(c *sqlite.Conn) error { return c.Snapshot(ctx, fn) })
}

// Ask does the same for a function that asks one query only.
func (db *DB) Ask(ctx context.Context, fn func(*sqlite.View) error) error {
	return db.lend(ctx, func(c *sqlite.Conn) error {
		v := sqlite.NewView(ctx, c)
		return fn(&v)
	})
}

// lend calls fn with a connection that nobody else uses meanwhile.
func (db *DB) lend(ctx context.Context, fn func(*sqlite.Conn) error) error {
	c, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	defer func() { db.readers <- c }()
	return sqlite.Translate(fn(c))
}

// Refused returns an error if the store is closing: then nobody is answered from
// memory either.
func (db *DB) Refused() error {
	select {
	case <-db.closing:
		return groupcommit.Unavailable(groupcommit.ErrClosing)
	default:
		return nil
	}
}

func (db *DB) acquire(ctx context.Context) (*sqlite.Conn, error) {
	if err := db.Refused(); err != nil {
		return nil, err
	}
	select {
	case c := <-db.readers:
		return c, nil
	case <-db.closing:
		return nil, groupcommit.Unavailable(groupcommit.ErrClosing)
	case <-ctx.Done():
		return nil, groupcommit.Unavailable(ctx.Err())
	}
}

// Closing is closed when the database closes.
func (db *DB) Closing() <-chan struct{} { return db.closing }

// ReadApart calls fn with one state, on a connection of its own.
func (db *DB) ReadApart(ctx context.Context, fn func(*sqlite.View) error) (err error) {
	pool, err := sqlite.OpenPool(db.path, 1, sqlite.ReaderParams)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	c, err := sqlite.NewConn(ctx, pool)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	return c.Snapshot(ctx, fn)
}

// Pin makes a view that has read nothing show the last commit, and calls fn before the next one.
func (db *DB) Pin(ctx context.Context, v *sqlite.View, fn func()) error {
	select {
	case db.ending <- struct{}{}:
	case <-ctx.Done():
		return groupcommit.Unavailable(ctx.Err())
	}
	defer func() { <-db.ending }()
	fn()
	return v.Row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)").Scan(new(bool))
}
