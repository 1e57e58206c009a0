package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sync"
	"time"

	"orgd/domain/receipt"
	"orgd/ports"
)

var _ ports.Receipts = (*Receipts)(nil)

// Receipts keeps receipts in the database and claims in memory: one process
// uses the database, and a claim means nothing after the process has ended. So
// a DB has one Receipts.
type Receipts struct {
	db *DB

	mu     sync.Mutex
	claims map[receipt.Key]ports.Claim
}

// Claim implements [ports.Receipts]. It takes the key before it looks for a
// receipt: whoever had the key before has then either left the receipt that is
// found, or will find ours and fail.
func (s *Receipts) Claim(ctx context.Context, c ports.Claim) (_ *receipt.Receipt, err error) {
	defer s.db.observer.Begin(&ctx, "receipts.claim").End(&err)
	refused := s.take(c)
	kept, err := s.find(ctx, c.Key, c.At)
	if refused == nil && (kept != nil || err != nil) {
		s.drop(c)
	}
	if kept != nil || err != nil {
		return kept, err
	}
	return nil, refused
}

// Renew implements [ports.Receipts].
func (s *Receipts) Renew(ctx context.Context, c ports.Claim, at time.Time) (err error) {
	defer s.db.observer.Begin(&ctx, "receipts.renew").End(&err)
	s.mu.Lock()
	defer s.mu.Unlock()
	held, ok := s.claims[c.Key]
	if !ok || held.Owner != c.Owner {
		return receipt.ErrRunning
	}
	held.At = at
	s.claims[c.Key] = held
	return nil
}

// Release implements [ports.Receipts].
func (s *Receipts) Release(ctx context.Context, c ports.Claim) (err error) {
	defer s.db.observer.Begin(&ctx, "receipts.release").End(&err)
	s.drop(c)
	return nil
}

// take holds the key for c unless another request holds it.
func (s *Receipts) take(c ports.Claim) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, ok := s.claims[c.Key]
	if !ok || held.Owner == c.Owner || c.At.Sub(held.At) > receipt.Lease {
		s.claims[c.Key] = c
		return nil
	}
	if held.Fingerprint != c.Fingerprint {
		return receipt.ErrReused
	}
	return receipt.ErrRunning
}

func (s *Receipts) drop(c ports.Claim) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.claims[c.Key].Owner == c.Owner {
		delete(s.claims, c.Key)
	}
}

const selectReceipt = `
SELECT fingerprint, at, departments, status, body, etag, location FROM receipts WHERE key = ? AND at >= ?`

// find returns the receipt under a key unless it has had its time at now.
func (s *Receipts) find(ctx context.Context, key receipt.Key, now time.Time) (*receipt.Receipt, error) {
	r := &receipt.Receipt{Key: key}
	var at int64
	var departments string
	var status *int
	var body []byte
	var etag, location *string
	err := s.db.Read(ctx, func(v *View) error {
		return v.Row(selectReceipt, string(key), millis(now.Add(-receipt.Kept))).
			Scan(&r.Fingerprint, &at, &departments, &status, &body, &etag, &location)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: read receipt: %w", err)
	}
	r.At, r.Departments = fromMillis(at), splitKeys(departments)
	if status != nil {
		r.Reply = &receipt.Reply{Status: *status, Body: body, ETag: *etag, Location: *location}
	}
	return r, nil
}
