package sqlitestore

import (
	"context"
	"fmt"
	"time"

	"orgd/domain/activity"
	"orgd/ports"
)

var _ ports.Storage = (*Storage)(nil)

// Storage looks after the store as a whole.
type Storage struct{ db *DB }

// Ping implements [ports.Storage].
func (s *Storage) Ping(ctx context.Context) (err error) {
	defer s.db.observer.Begin(&ctx, "storage.ping").End(&err)
	return s.db.Ping(ctx)
}

// Others wait for the writer while it deletes. So a write deletes a bounded
// number of records of one kind, and begins with no other kind after a while.
const (
	deleteAtOnce = 100
	deleteTime   = 20 * time.Millisecond
)

const (
	deleteExpiredEvents = `
DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE type = ? AND at < ? LIMIT (? + 0))`
	deleteExpiredAudit = `
DELETE FROM audit WHERE (at, id) IN (SELECT at, id FROM audit WHERE at < ? LIMIT (? + 0))`
	deleteExpiredRecords = `
DELETE FROM receipts WHERE key IN (SELECT key FROM receipts WHERE at < ? LIMIT (? + 0))`
	deleteExpiredDeliveries = `
DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE created_at < ? LIMIT (? + 0))`
)

// DeleteExpired implements [ports.Storage].
func (s *Storage) DeleteExpired(ctx context.Context, e ports.Expiry) (more bool, err error) {
	defer s.db.observer.Begin(&ctx, "storage.forget").End(&err)
	full := false
	err = s.db.Write(ctx, func(tx *Tx) error {
		full = false
		enough := time.Now().Add(deleteTime)
		if err := markLog(tx, e); err != nil {
			return err
		}
		return deleteAllExpired(e, func(statement string, args ...any) error {
			if time.Now().After(enough) {
				full = true
				return nil
			}
			n, err := deleteExpired(tx, statement, append(args, deleteAtOnce)...)
			full = full || n == deleteAtOnce
			return err
		})
	})
	if err != nil {
		return false, err
	}
	return full, nil
}

// deleteAllExpired calls do for every kind of record that expires.
func deleteAllExpired(e ports.Expiry, do func(statement string, args ...any) error) error {
	type kind struct {
		upTo      time.Time
		statement string
		args      []any
	}
	kinds := []kind{
		{e.Audit, deleteExpiredAudit, nil},
		{e.Idempotency, deleteExpiredRecords, nil},
		{e.Deliveries, deleteExpiredDeliveries, nil},
		{e.Now, deleteExpiredSessions, nil},
		{e.Now, deleteExpiredRevocations, nil},
	}
	for _, t := range activity.RuntimeTypes() {
		kinds = append(kinds, kind{e.Events, deleteExpiredEvents, []any{string(t)}})
	}
	for _, k := range kinds {
		if k.upTo.IsZero() {
			continue
		}
		if err := do(k.statement, append(k.args, millis(k.upTo))...); err != nil {
			return err
		}
	}
	return nil
}

// deleteExpired deletes a bounded number of records and returns how many went.
func deleteExpired(tx *Tx, statement string, args ...any) (int, error) {
	res, err := tx.Exec(statement, args...)
	if err != nil {
		return 0, fmt.Errorf("sqlitestore: forget: %w", err)
	}
	n, err := res.RowsAffected()
	return int(n), err
}
