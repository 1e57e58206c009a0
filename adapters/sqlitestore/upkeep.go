package sqlitestore

import (
	"context"
	"time"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/ports"
)

// Storage looks after the store as a whole.
type Storage struct{ db *DB }

// Incarnation implements [ports.Storage].
func (s *Storage) Incarnation() string { return *s.db.incarnation.Load() }

// Ping implements [ports.Storage].
func (s *Storage) Ping(ctx context.Context) (err error) {
	defer s.db.observer.Begin(&ctx, "storage.ping").End(&err)
	return s.db.Ping(ctx)
}

const (
	deleteExpiredEvents = `
DELETE FROM events WHERE seq IN (SELECT seq FROM events WHERE type = ? AND at < ? LIMIT (? + 0))`
	deleteExpiredAudit = `
DELETE FROM audit WHERE seq IN (SELECT seq FROM audit INDEXED BY audit_others
WHERE resource <> 'activities' AND at < ? LIMIT (? + 0))`
	deleteExpiredReports = `
DELETE FROM audit WHERE seq IN (SELECT seq FROM audit INDEXED BY audit_resource
WHERE resource = 'activities' AND at < ? LIMIT (? + 0))`
	deleteExpiredChanges = `
DELETE FROM changes WHERE seq IN (SELECT seq FROM changes WHERE at < ? LIMIT (? + 0))`
	deleteExpiredBlocks = `
DELETE FROM audit_blocks WHERE last IN (SELECT last FROM audit_blocks WHERE until < ?1
AND NOT EXISTS (SELECT 1 FROM audit INDEXED BY audit_others WHERE resource <> 'activities' AND at < ?1)
AND NOT EXISTS (SELECT 1 FROM audit INDEXED BY audit_resource WHERE resource = 'activities' AND at < ?1)
AND NOT EXISTS (SELECT 1 FROM changes WHERE at < ?1) LIMIT (?2 + 0))`
	deleteExpiredRecords = `
DELETE FROM idempotency_records WHERE key IN (SELECT key FROM idempotency_records WHERE at < ? LIMIT (? + 0))`
	deleteExpiredDeliveries = `
DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries WHERE created_at < ? LIMIT (? + 0))`
	deleteExpiredSessions = `
DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at <= ? LIMIT (? + 0))`
	deleteExpiredRevocations = `
DELETE FROM revocations WHERE session_id IN (SELECT session_id FROM revocations WHERE until <= ? LIMIT (? + 0))`
	deleteExpiredLinks = `
DELETE FROM sign_in_links WHERE hash IN (SELECT hash FROM sign_in_links WHERE expires_at <= ? LIMIT (? + 0))`
)

// DeleteExpired implements [ports.Storage].
func (s *Storage) DeleteExpired(ctx context.Context, e ports.Expiry) (more bool, err error) {
	defer s.db.observer.Begin(&ctx, "storage.forget").End(&err)
	err = s.db.Write(ctx, func(tx *engine.Tx) error {
		more = false
		enough := time.Now().Add(deleteTime)
		if err := markLog(tx, e); err != nil {
			return err
		}
		if more, err = removePurged(tx, enough, e.Now.Add(-agent.PurgeLasts)); err != nil {
			return err
		}
		unblocked, err := s.db.blocks.older(tx, enough)
		if err != nil {
			return err
		}
		more = more || unblocked
		for _, x := range expirations(e) {
			if time.Now().After(enough) {
				more = true
				return nil
			}
			n, err := sqlite.Changed(tx.Exec(x.statement, x.args...))
			if err != nil {
				return sqlite.Wrap(err, "forget", "")
			}
			if n > 0 && x.statement == deleteExpiredEvents {
				tx.Changed.DeletedBefore = max(tx.Changed.DeletedBefore, sqlite.Millis(e.Events))
			}
			more = more || n == deleteAtOnce
		}
		return nil
	})
	return more && err == nil, err
}

// expiration deletes some expired records of one kind.
type expiration struct {
	statement string
	args      []any
}

// expirations returns those of every kind of record that expires.
func expirations(e ports.Expiry) (kinds []expiration) {
	add := func(upTo time.Time, statement string, args ...any) {
		if !upTo.IsZero() {
			kinds = append(kinds, expiration{statement, append(args, sqlite.Millis(upTo), deleteAtOnce)})
		}
	}
	add(e.Audit, deleteExpiredAudit)
	add(e.Audit, deleteExpiredReports)
	add(e.Audit, deleteExpiredChanges)
	add(e.Audit, deleteExpiredBlocks)
	add(e.Idempotency, deleteExpiredRecords)
	add(e.Deliveries, deleteExpiredDeliveries)
	add(e.Now, deleteExpiredSessions)
	add(e.Now, deleteExpiredRevocations)
	add(e.Now, deleteExpiredLinks)
	for _, t := range activity.RuntimeTypes() {
		add(e.Events, deleteExpiredEvents, string(t))
	}
	return kinds
}
