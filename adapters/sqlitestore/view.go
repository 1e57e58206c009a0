package sqlitestore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"

	"orgd/domain/page"
)

// View reads one state of the database: between two of its queries no other
// change becomes visible. It is valid inside the function it was given to and
// for one goroutine.
type View struct {
	ctx  context.Context
	conn *conn
}

// newView returns a view of what a connection sees.
func newView(ctx context.Context, c *conn) View { return View{ctx, c} }

// Context is that of the caller.
func (v *View) Context() context.Context { return v.ctx }

// Row is a row of a result: a *sql.Row or the current one of several.
type Row interface {
	// Scan copies the columns into dest, as [sql.Rows.Scan] does.
	Scan(dest ...any) error
}

// Row runs a query for at most one row; scanning it answers [sql.ErrNoRows] if
// there is none. Scan it before anything else is asked. The query is not
// stopped when the caller's context ends, so it must find its row by a key.
func (v *View) Row(query string, args ...any) *sql.Row { return v.conn.row(query, args...) }

// Each calls row for every row of a result and returns its first error, or
// that of the query; errFull ends the reading without one. In a read, the end of
// the caller's context stops it.
func (v *View) Each(query string, args []any, row func(Row) error) error {
	if err := v.conn.each(v.ctx, query, args, row); !errors.Is(err, errFull) {
		return err
	}
	return nil
}

// rows returns what scan makes of each row of a query.
func rows[T any](v *View, query string, args []any, scan func(Row) (T, error)) (found []T, err error) {
	err = v.Each(query, args, func(r Row) error {
		row, err := scan(r)
		found = append(found, row)
		return err
	})
	return found, err
}

// errFull says that a page is full, so that no more rows are read.
var errFull = errors.New("sqlitestore: the page is full")

// fill counts a row of a size that was read. It returns errFull if the row is behind its
// page, and page.ErrLarge if there is no turn for it.
func fill(ctx context.Context, f *page.Filling, size int) error {
	if f.Add(size) {
		return errFull
	}
	return page.Allow(ctx, int(*f))
}

// eachOf calls row for every row of a query that has a list of keys for its first
// argument, in JSON.
func eachOf[K any](v *View, query string, keys []K, args []any, row func(Row) error) error {
	list, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	return v.Each(query, append([]any{string(list)}, args...), row)
}

// mapOf does the same and returns what scan makes of each row, by its key.
func mapOf[L ~string, K comparable, V any](v *View, query string, list []L, args []any, scan func(Row) (K, V, error)) (map[K]V, error) {
	found := make(map[K]V, len(list))
	err := eachOf(v, query, list, args, func(r Row) error {
		key, value, err := scan(r)
		found[key] = value
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// changed returns how many rows a statement has changed.
func changed(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// snapshot runs fn on one state, in a transaction that it ends however fn ends.
func (c *conn) snapshot(ctx context.Context, fn func(*View) error) (err error) {
	if _, err := c.exec("BEGIN"); err != nil {
		return err
	}
	defer func() {
		_, end := c.exec("ROLLBACK") // nothing to commit
		err = errors.Join(err, end)
	}()
	v := newView(ctx, c)
	return fn(&v)
}
