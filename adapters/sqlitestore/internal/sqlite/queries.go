package sqlite

import (
	"context"

	"orgd/domain/page"
)

// source is a database that is read.
type source interface {
	// Read calls fn with a view of one state and returns its error.
	Read(ctx context.Context, fn func(*View) error) error
	// Ask does the same for a function that asks one query only. That sees one state by
	// itself: a transaction around it would be half of the work.
	Ask(ctx context.Context, fn func(*View) error) error
}

// Read returns what fn finds in one state of the database.
func Read[T any](ctx context.Context, db source, fn func(*View) (T, error)) (found T, err error) {
	err = db.Read(ctx, func(v *View) (err error) {
		found, err = fn(v)
		return err
	})
	return found, err
}

// Ask does the same for a function that asks one query only.
func Ask[T any](ctx context.Context, db source, fn func(*View) (T, error)) (found T, err error) {
	err = db.Ask(ctx, func(v *View) (err error) {
		found, err = fn(v)
		return err
	})
	return found, err
}

// All returns what scan makes of each row of a query. what is what an error says of it.
func All[T any](ctx context.Context, db source, what, query string, args []any, scan func(Row) (T, error)) ([]T, error) {
	found, err := Ask(ctx, db, func(v *View) ([]T, error) { return Rows(v, query, args, scan) })
	if err != nil {
		return nil, Wrap(err, what, "")
	}
	return found, nil
}

// ReadPage does the same for rows that may be large. It ends with the first row that is
// behind its page, or with page.ErrLarge.
func ReadPage[T page.Row](ctx context.Context, db source, what, query string, args []any, scan func(Row) (T, error)) ([]T, error) {
	var filling page.Filling
	return All(ctx, db, what, query, args, func(r Row) (row T, err error) {
		if row, err = scan(r); err == nil {
			err = Fill(ctx, &filling, row.Size())
		}
		return row, err
	})
}
