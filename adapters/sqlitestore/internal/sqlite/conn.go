package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"net/url"
	"path/filepath"
)

// What every connection gets: text in double quotes is never a string, SQL
// cannot damage the file on purpose. But for a restore nothing is spilled to temporary files.
const (
	safeParams = "_busy_timeout=" + busyTimeout + "&_dqs=0&_defensive=1&_error_rc=1&_pragma=trusted_schema(0)"
	ConnParams = safeParams + "&_pragma=temp_store(memory)"
)

// busyTimeout is how many milliseconds a connection waits for another program
// that has locked the database.
const busyTimeout = "2000"

// The writer syncs every commit. It copies its log into the database whenever
// that has 48 MiB, as far as readers allow. What it deletes it overwrites: nothing of a text that was
// purged stays in the file.
const (
	walParams    = "&_pragma=journal_mode(wal)&_pragma=fullfsync(1)&_pragma=foreign_keys(1)&_pragma=wal_autocheckpoint(12288)&_pragma=secure_delete(1)"
	WriterParams = ConnParams + walParams + "&_pragma=synchronous(full)&_pragma=cache_size(-16384)"
)

// FillerParams are those of the writer of a restore, which needs no answer before its end: what
// is lost with the power is restored again. Sorting many rows for an index takes files, and as
// much memory as the cache.
const FillerParams = safeParams + walParams + "&_pragma=synchronous(normal)&_pragma=temp_store(file)&_pragma=cache_size(-4096)"

// ReaderParams are those of a connection that only reads.
const ReaderParams = ConnParams + "&mode=ro&_query_only=1&_pragma=cache_size(-2048)"

// maxStatements bounds the prepared statements of one connection. Queries are
// constants of this package, so it is a fence and not a working size.
const maxStatements = 512

// Conn is one SQLite connection with its prepared statements. One goroutine at
// a time uses it.
type Conn struct {
	sql   *sql.Conn
	stmts map[string]*statement
}

// statement is a prepared statement. It has one cursor, so while its rows are
// read it cannot start again.
type statement struct {
	*sql.Stmt
	reading bool
}

// NewConn takes a connection out of a pool.
func NewConn(ctx context.Context, db *sql.DB) (*Conn, error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	return &Conn{sql: c, stmts: map[string]*statement{}}, nil
}

// statement returns the prepared statement of a query, or nil if the query has
// to run without: it does not compile, its rows are being read further up, or
// too many others are kept. Running it then says what is wrong, if anything.
func (c *Conn) statement(query string) *statement {
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

// Exec runs a statement without the context of anybody: one who leaves must not interrupt it.
func (c *Conn) Exec(query string, args ...any) (sql.Result, error) {
	if s := c.statement(query); s != nil {
		return s.ExecContext(context.Background(), args...)
	}
	return c.sql.ExecContext(context.Background(), query, args...)
}

// Script runs statements that are not kept prepared.
func (c *Conn) Script(ctx context.Context, statements string) error {
	_, err := c.sql.ExecContext(ctx, statements)
	return err
}

// Row runs a query for at most one row.
func (c *Conn) Row(query string, args ...any) *sql.Row {
	if s := c.statement(query); s != nil {
		return s.QueryRowContext(context.Background(), args...)
	}
	return c.sql.QueryRowContext(context.Background(), query, args...)
}

func (c *Conn) each(ctx context.Context, query string, args []any, row func(Row) error) (err error) {
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

// Close frees the statements and hands the connection back.
func (c *Conn) Close() error {
	var errs []error
	for _, s := range c.stmts {
		errs = append(errs, s.Close())
	}
	return errors.Join(append(errs, c.sql.Close())...)
}

// OpenPool prepares up to n connections to a database file.
func OpenPool(path string, n int, params string) (*sql.DB, error) {
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

// EmptyLog copies the log into the database and truncates it, unless readers
// keep it from doing so for a tenth of a second.
func (c *Conn) EmptyLog() (emptied bool, err error) {
	var busy, ignored int // what a pragma answers
	err = errors.Join(
		c.Row("PRAGMA busy_timeout = 100").Scan(&ignored),
		c.Row("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&busy, &ignored, &ignored),
		c.Row("PRAGMA busy_timeout = "+busyTimeout).Scan(&ignored),
	)
	return err == nil && busy == 0, err
}

// Row is a row of a result: a *sql.Row or the current one of several.
type Row interface {
	// Scan copies the columns into dest, as [sql.Rows.Scan] does.
	Scan(dest ...any) error
}
