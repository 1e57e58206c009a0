package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"orgd/adapters/groupcommit"
	"orgd/domain/fault"
	"orgd/ports"
)

// Translate gives an error that came from the database or from a context the
// fault that the interface knows for it. Other errors pass unchanged.
func Translate(err error) error {
	if err == nil || errors.As(err, new(*fault.Error)) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, sql.ErrConnDone) {
		return groupcommit.Unavailable(err)
	}
	switch codeOf(err) & 0xff { // the primary code of an extended one
	case 0:
		return err
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_INTERRUPT:
		return groupcommit.Unavailable(err)
	default:
		return ports.ErrStorage.Because(err)
	}
}

// codeOf returns the extended code of an error of SQLite, or 0 of any other.
func codeOf(err error) int {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return 0
	}
	return failed.Code()
}

// IsTaken reports whether err says that a row with the same primary key or the
// same value in a unique index exists.
func IsTaken(err error) bool {
	switch codeOf(err) {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return true
	}
	return false
}

// IsDangling reports whether err says that a row refers to one that does not
// exist.
func IsDangling(err error) bool { return codeOf(err) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY }

// IsConstraint reports whether err undid no more than its own statement.
func IsConstraint(err error) bool { return codeOf(err)&0xff == sqlite3.SQLITE_CONSTRAINT }

// MayLose reports whether err may come from a statement that undid the whole
// transaction: SQLite does that when the disk or memory fails it, even while it
// only reads. What a rule has refused did not get that far.
func MayLose(err error) bool {
	if codeOf(err) != 0 {
		return !IsConstraint(err)
	}
	return !errors.As(err, new(*fault.Error))
}

// Wrap says in an error what was done, and to what. key may be empty.
func Wrap(err error, what, key string) error {
	switch {
	case err == nil:
		return nil
	case key == "":
		return fmt.Errorf("sqlitestore: %s: %w", what, err)
	default:
		return fmt.Errorf("sqlitestore: %s %s: %w", what, key, err)
	}
}

// OrNone leaves out the error of a query that finds no row.
func OrNone(err error) error {
	if errors.Is(err, sql.ErrNoRows) {
		return nil
	}
	return err
}

// NotFound gives an error of reading a record its meaning: missing if there is none.
func NotFound(err error, noun, key string, missing *fault.Error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, sql.ErrNoRows):
		return missing.With(noun+" %q not found", key)
	default:
		return Wrap(err, "read "+noun, key)
	}
}
