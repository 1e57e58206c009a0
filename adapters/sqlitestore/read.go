package sqlitestore

import (
	"context"
	"errors"

	"orgd/adapters/groupcommit"
)

// Read calls fn with a view of the database and returns its error. It waits
// for a free connection until ctx ends, which is [ports.ErrUnavailable].
func (db *DB) Read(ctx context.Context, fn func(*View) error) error {
	return db.Ask(ctx, func(v *View) error { return v.conn.snapshot(v, fn) })
}

// Ask does the same for a function that asks one query only. That sees one state
// by itself: a transaction around it would be half of the work.
func (db *DB) Ask(ctx context.Context, fn func(*View) error) error {
	c, err := db.acquire(ctx)
	if err != nil {
		return err
	}
	defer func() { db.readers <- c }()
	return translate(fn(&View{ctx, c}))
}

// refused returns an error if the store is closing: then nobody is answered from
// memory either.
func (db *DB) refused() error {
	select {
	case <-db.closing:
		return groupcommit.Unavailable(groupcommit.ErrClosing)
	default:
		return nil
	}
}

func (db *DB) acquire(ctx context.Context) (*conn, error) {
	if err := db.refused(); err != nil {
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

// snapshot runs fn inside a transaction that it ends however fn ends.
func (c *conn) snapshot(v *View, fn func(*View) error) (err error) {
	if _, err := c.exec("BEGIN"); err != nil {
		return err
	}
	defer func() {
		_, end := c.exec("ROLLBACK") // nothing to commit
		err = errors.Join(err, end)
	}()
	return fn(v)
}
