package sqlitestore

import (
	"context"
	"errors"

	"orgd/adapters/groupcommit"
)

// Read calls fn with a view of the database and returns its error. It waits
// for a free connection until ctx ends, which is [ports.ErrUnavailable].
func (db *engine) Read(ctx context.Context, fn func(*View) error) error {
	return db.Ask(ctx, func(v *View) error { return v.conn.snapshot(ctx, fn) })
}

// Ask does the same for a function that asks one query only.
func (db *engine) Ask(ctx context.Context, fn func(*View) error) error {
	c, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	defer func() { db.readers <- c }()
	v := newView(ctx, c)
	return translate(fn(&v))
}

// Refused returns an error if the store is closing: then nobody is answered from
// memory either.
func (db *engine) Refused() error {
	select {
	case <-db.closing:
		return groupcommit.Unavailable(groupcommit.ErrClosing)
	default:
		return nil
	}
}

func (db *engine) acquire(ctx context.Context) (*conn, error) {
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
func (db *engine) Closing() <-chan struct{} { return db.closing }

// ReadApart calls fn with one state, on a connection of its own.
func (db *engine) ReadApart(ctx context.Context, fn func(*View) error) (err error) {
	pool, err := openPool(db.path, 1, readerParams)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	c, err := newConn(ctx, pool)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.close()) }()
	return c.snapshot(ctx, fn)
}

// Pin makes a view that has read nothing show the last commit, and calls fn before the next one.
func (db *engine) Pin(ctx context.Context, v *View, fn func()) error {
	select {
	case db.ending <- struct{}{}:
	case <-ctx.Done():
		return groupcommit.Unavailable(ctx.Err())
	}
	defer func() { <-db.ending }()
	fn()
	return v.Row("SELECT EXISTS (SELECT 1 FROM sqlite_schema)").Scan(new(bool))
}
