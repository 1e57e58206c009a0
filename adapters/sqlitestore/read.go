package sqlitestore

import (
	"context"
	"errors"

	"orgd/adapters/groupcommit"
	"orgd/domain/page"
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

// read returns what fn finds in one state of the database.
func read[T any](ctx context.Context, db *DB, fn func(*View) (T, error)) (found T, err error) {
	err = db.Read(ctx, func(v *View) (err error) {
		found, err = fn(v)
		return err
	})
	return found, err
}

// ask does the same for a function that asks one query only.
func ask[T any](ctx context.Context, db *DB, fn func(*View) (T, error)) (found T, err error) {
	err = db.Ask(ctx, func(v *View) (err error) {
		found, err = fn(v)
		return err
	})
	return found, err
}

// all returns what scan makes of each row of a query. what is what an error says of it.
func all[T any](ctx context.Context, db *DB, what, query string, args []any, scan func(Row) (T, error)) ([]T, error) {
	found, err := ask(ctx, db, func(v *View) ([]T, error) { return rows(v, query, args, scan) })
	if err != nil {
		return nil, wrap(err, what, "")
	}
	return found, nil
}

// readPage does the same for rows that may be large. It ends with the first row that is
// behind its page, or with page.ErrLarge.
func readPage[T page.Row](ctx context.Context, db *DB, what, query string, args []any, scan func(Row) (T, error)) ([]T, error) {
	var filling page.Filling
	return all(ctx, db, what, query, args, func(r Row) (row T, err error) {
		if row, err = scan(r); err == nil {
			err = fill(ctx, &filling, row.Size())
		}
		return row, err
	})
}
