package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
)

// maxStatements bounds the prepared statements of one connection. Queries are
// constants of this package, so it is a fence and not a working size.
const maxStatements = 512

// conn is one SQLite connection with its prepared statements. One goroutine at
// a time uses it.
type conn struct {
	sql   *sql.Conn
	stmts map[string]*statement
}

// statement is a prepared statement. It has one cursor, so while its rows are
// read it cannot start again.
type statement struct {
	*sql.Stmt
	reading bool
}

func newConn(ctx context.Context, db *sql.DB) (*conn, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &conn{sql: c, stmts: map[string]*statement{}}, nil
}

// statement returns the prepared statement of a query, or nil if the query has
// to run without: it does not compile, its rows are being read further up, or
// too many others are kept. Running it then says what is wrong, if anything.
func (c *conn) statement(query string) *statement {
	if s := c.stmts[query]; s != nil {
		if s.reading {
			return nil
		}
		return s
	}
	if len(c.stmts) >= maxStatements {
		return nil
	}
	prepared, err := c.sql.PrepareContext(context.Background(), query)
	if err != nil {
		return nil
	}
	s := &statement{Stmt: prepared}
	c.stmts[query] = s
	return s
}

func (c *conn) exec(query string, args ...any) (sql.Result, error) {
	if s := c.statement(query); s != nil {
		return s.ExecContext(context.Background(), args...)
	}
	return c.sql.ExecContext(context.Background(), query, args...)
}

func (c *conn) row(query string, args ...any) *sql.Row {
	if s := c.statement(query); s != nil {
		return s.QueryRowContext(context.Background(), args...)
	}
	return c.sql.QueryRowContext(context.Background(), query, args...)
}

func (c *conn) each(ctx context.Context, query string, args []any, row func(Row) error) (err error) {
	var rows *sql.Rows
	if s := c.statement(query); s != nil {
		s.reading = true
		defer func() { s.reading = false }()
		rows, err = s.QueryContext(ctx, args...)
	} else {
		rows, err = c.sql.QueryContext(ctx, query, args...)
	}
	if err != nil {
		return err
	}
	defer rows.Close() // says nothing that rows.Err has not said
	for rows.Next() {
		if err := row(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// close frees the statements and hands the connection back.
func (c *conn) close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.sql.Close())...)
}

// openPool prepares up to n connections to a database file.
func openPool(path string, n int, params string) (*sql.DB, error) {
	path = filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		path = "/" + path // as in file:///C:/data/orgd.db
	}
	uri := url.URL{Scheme: "file", Path: path, RawQuery: params}
	db, err := sql.Open("sqlite", uri.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(n)
	db.SetMaxIdleConns(n)
	return db, nil
}
