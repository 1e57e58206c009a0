package sqlitestore

import (
	"errors"
	"os"
	"time"

	"go.uber.org/zap"
)

// SQLite starts its write-ahead log anew only at a moment when nobody reads
// from it. Under constant reads, or during a backup, there may be none, and the
// log grows: reads and the next start get slower. So when the file is too long
// the writer makes such a moment, or gives up shortly and tries again later.
const (
	maxLog    = 64 << 20 // bytes
	trimEvery = 5 * time.Second
)

// trimLog empties a log that has grown too long. It does not fail a write:
// what it could not copy is safe in the log.
func (db *DB) trimLog(now time.Time) {
	if now.Sub(db.trimmed) < trimEvery {
		return
	}
	db.trimmed = now
	info, err := os.Stat(db.path + "-wal")
	if err == nil && info.Size() <= db.maxLog {
		return
	}
	if err == nil {
		err = db.writer.emptyLog()
	}
	if err != nil {
		db.log.Warn("the write-ahead log cannot be emptied", zap.Error(err))
	}
}

// emptyLog copies the log into the database and truncates it, unless readers
// keep it from doing so for a tenth of a second.
func (c *conn) emptyLog() error {
	var ignored int // what a pragma answers
	return errors.Join(
		c.row("PRAGMA busy_timeout = 100").Scan(&ignored),
		c.row("PRAGMA wal_checkpoint(TRUNCATE)").Scan(&ignored, &ignored, &ignored),
		c.row("PRAGMA busy_timeout = "+busyTimeout).Scan(&ignored),
	)
}
