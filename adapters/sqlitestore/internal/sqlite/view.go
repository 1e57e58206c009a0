// Package sqlite reads and writes the rows of a SQLite database: connections with their prepared
// statements, one state to read, the forms in which values are stored, and what errors mean.
package sqlite

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
	Ctx  context.Context
	conn *Conn
}

// NewView returns a view of what a connection sees.
func NewView(ctx context.Context, c *Conn) View { return View{ctx, c} }

// Context is that of the caller.
func (v *View) Context() context.Context { return v.Ctx }

// Row runs a query for at most one row; scanning it answers [sql.ErrNoRows] if
// there is none. Scan it before anything else is asked. The query is not
// stopped when the caller's context ends, so it must find its row by a key.
func (v *View) Row(query string, args ...any) *sql.Row { return v.conn.Row(query, args...) }

// Each calls row for every row of a result and returns its first error, or
// that of the query; errFull ends the reading without one. In a read, the end of
// the caller's context stops it.
func (v *View) Each(query string, args []any, row func(Row) error) error {
	if err := v.conn.each(v.Ctx, query, args, row); !errors.Is(err, ErrFull) {
		return err
	}
	return nil
}

// Rows returns what scan makes of each row of a query.
func Rows[T any](v *View, query string, args []any, scan func(Row) (T, error)) (found []T, err error) {
	err = v.Each(query, args, func(r Row) error {
		row, err := scan(r)
		found = append(found, row)
		return err
	})
	return found, err
}

// ErrFull says that a page is full, so that no more rows are read.
var ErrFull = errors.New("sqlitestore: the page is full")

// Fill counts a row of a size that was read. It returns errFull if the row is behind its
// page, and page.ErrLarge if there is no turn for it.
func Fill(ctx context.Context, f *page.Filling, size int) error {
	if f.Add(size) {
		return ErrFull
	}
	return page.Allow(ctx, int(*f))
}

// EachOf calls row for every row of a query that has a list of keys for its first
// argument, in JSON.
func EachOf[K any](v *View, query string, keys []K, args []any, row func(Row) error) error {
	list, err := json.Marshal(keys)
	if err != nil {
		return err
	}
	return v.Each(query, append([]any{string(list)}, args...), row)
}

// MapOf does the same and returns what scan makes of each row, by its key.
func MapOf[L ~string, K comparable, V any](v *View, query string, list []L, args []any, scan func(Row) (K, V, error)) (map[K]V, error) {
	found := make(map[K]V, len(list))
	err := EachOf(v, query, list, args, func(r Row) error {
		key, value, err := scan(r)
		found[key] = value
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Changed returns how many rows a statement has changed.
func Changed(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Snapshot runs fn on one state, in a transaction that it ends however fn ends.
func (c *Conn) Snapshot(ctx context.Context, fn func(*View) error) (err error) {
	if _, err := c.Exec("BEGIN"); err != nil {
		return err
	}
	defer func() {
		_, end := c.Exec("ROLLBACK") // nothing to commit
		err = errors.Join(err, end)
	}()
	v := NewView(ctx, c)
	return fn(&v)
}
