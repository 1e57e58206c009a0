package sqlitestore

import (
	"context"
	"database/sql"
	"errors"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"orgd/adapters/groupcommit"
	"orgd/domain/fault"
	"orgd/ports"
)

// translate gives an error that came from the database or from a context the
// fault that the interface knows for it. Other errors pass unchanged.
func translate(err error) error {
	if err == nil || errors.As(err, new(*fault.Error)) {
		return err
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, sql.ErrConnDone) {
		return groupcommit.Unavailable(err)
	}
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return err
	}
	switch failed.Code() & 0xff { // the primary code of an extended one
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_PROTOCOL,
		sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_INTERRUPT:
		return groupcommit.Unavailable(err)
	}
	return ports.ErrStorage.Because(err)
}

// isTaken reports whether err says that a row with the same primary key or the
// same value in a unique index exists.
func isTaken(err error) bool {
	var failed *sqlite.Error
	if !errors.As(err, &failed) {
		return false
	}
	switch failed.Code() {
	case sqlite3.SQLITE_CONSTRAINT_UNIQUE, sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY, sqlite3.SQLITE_CONSTRAINT_ROWID:
		return true
	}
	return false
}

// isDangling reports whether err says that a row refers to one that does not
// exist.
func isDangling(err error) bool {
	var failed *sqlite.Error
	return errors.As(err, &failed) && failed.Code() == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY
}

// mayLose reports whether err may come from a statement that undid the whole
// transaction: SQLite does that when the disk or memory fails it, even while it
// only reads. What a rule has refused did not get that far.
func mayLose(err error) bool {
	if errors.As(err, new(*sqlite.Error)) {
		return !isConstraint(err)
	}
	return !errors.As(err, new(*fault.Error))
}

// isConstraint reports whether err undid no more than its own statement.
func isConstraint(err error) bool {
	var failed *sqlite.Error
	return errors.As(err, &failed) && failed.Code()&0xff == sqlite3.SQLITE_CONSTRAINT
}
