package engine

import (
	"os"
	"time"

	"go.uber.org/zap"
)

// SQLite starts its write-ahead log anew only at a moment when nobody reads
// from it. Under constant reads, or during a backup, there may be none, and the
// log grows: reads and the next start get slower. So when the file is too long
// the writer makes such a moment, or gives up shortly and tries again later.
const (
	maxLog    = 96 << 20 // bytes
	trimEvery = 5 * time.Second
)

// trimLog empties a log that has grown too long, or has what was purged. It does not fail a write:
// what it could not copy is safe in the log.
func (db *DB) trimLog(now time.Time) {
	if now.Sub(db.trimmed) < trimEvery {
		return
	}
	db.trimmed = now
	info, err := os.Stat(db.path + "-wal")
	if err == nil && info.Size() <= db.maxLog && !db.logHasPurged {
		return
	}
	if err == nil {
		var emptied bool
		emptied, err = db.writer.EmptyLog()
		db.logHasPurged = db.logHasPurged && !emptied
	}
	if err != nil {
		db.log.Warn("the write-ahead log cannot be emptied", zap.Error(err))
	}
}
