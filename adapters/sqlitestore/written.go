package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"time"

	"orgd/ports"
)

// Progress keeps how far the audit trail was written. Who writes it only this process
// knows: no other one uses the storage.
type Progress struct {
	db *DB

	mu     sync.Mutex
	writer string
	until  time.Time // the claim holds
}

// claim makes a writer the one who writes, unless another one is.
func (s *Progress) claim(writer string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	if writer != s.writer && now.Before(s.until) {
		return false
	}
	s.writer, s.until = writer, now.Add(ports.AuditLease)
	return true
}

const selectWritten = "SELECT seq, at FROM written WHERE id = 1"

// Claim implements [ports.AuditProgress].
func (s *Progress) Claim(ctx context.Context, writer string) (_ *ports.Written, ours bool, err error) {
	defer s.db.observer.Begin(&ctx, "written.claim").End(&err)
	var w ports.Written
	var at int64
	err = s.db.Ask(ctx, func(v *View) error { return v.Row(selectWritten).Scan(&w.UpTo, &at) })
	none := errors.Is(err, sql.ErrNoRows)
	if err != nil && !none {
		return nil, false, wrap(err, "read how far the audit trail was written", "")
	}
	if ours = s.claim(writer); none {
		return nil, ours, nil
	}
	w.At = fromMillis(at)
	return &w, ours, nil
}

const putWritten = "INSERT OR REPLACE INTO written (id, seq, at) VALUES (1, ?, ?)"

// Keep implements [ports.AuditProgress].
func (s *Progress) Keep(ctx context.Context, writer string, w ports.Written) (ours bool, err error) {
	defer s.db.observer.Begin(&ctx, "written.keep").End(&err)
	err = s.db.Write(ctx, func(tx *Tx) error {
		s.mu.Lock()
		ours = s.writer == writer
		s.mu.Unlock()
		if !ours {
			return nil
		}
		_, err := tx.Exec(putWritten, w.UpTo, millis(w.At))
		return wrap(err, "write how far the audit trail was written", "")
	})
	if err == nil && ours {
		ours = s.claim(writer)
	}
	return ours && err == nil, err
}
