package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"orgd/domain/session"
	"orgd/ports"
)

var _ ports.SessionStore = (*Sessions)(nil)

// Sessions keeps sessions and revocations.
type Sessions struct{ db *DB }

const selectRevoked = "SELECT 1 FROM revocations WHERE session_id = ?"

// Issue implements [ports.SessionStore].
func (s *Sessions) Issue(ctx context.Context, in session.Session, trail ports.Trail) (err error) {
	defer s.db.observer.Begin(&ctx, "sessions.issue").End(&err)
	return s.db.Write(ctx, func(tx *Tx) error {
		switch err := tx.Row(selectRevoked, in.ID).Scan(new(int)); {
		case err == nil:
			return session.ErrRevoked
		case !errors.Is(err, sql.ErrNoRows):
			return fmt.Errorf("sqlitestore: read revocation of session %s: %w", in.ID, err)
		}
		if err := putTrail(tx, trail, true); err != nil {
			return err
		}
		return putSession(tx, in)
	})
}

// See implements [ports.SessionStore].
func (s *Sessions) See(ctx context.Context, in session.Session) (err error) {
	defer s.db.observer.Begin(&ctx, "sessions.see").End(&err)
	return s.db.Write(ctx, func(tx *Tx) error { return putSession(tx, in) })
}

// upsertSession keeps the record of a session that is known; it only lives
// longer.
const upsertSession = `
INSERT INTO sessions (id, issuer, subject, role, departments, agent, issued_at, expires_at, own)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at < excluded.expires_at`

func putSession(tx *Tx, s session.Session) error {
	_, err := tx.Exec(upsertSession, s.ID, s.Issuer, s.Subject, string(s.Role), packNames(s.Departments),
		s.Agent, millis(s.IssuedAt), millis(s.ExpiresAt), s.Own)
	if err != nil {
		return fmt.Errorf("sqlitestore: write session %s: %w", s.ID, err)
	}
	return nil
}

// Session implements [ports.SessionStore].
func (s *Sessions) Session(ctx context.Context, id string) (_ session.Record, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.get").End(&err)
	var found session.Record
	err = s.db.Read(ctx, func(v *View) (err error) {
		found, err = scanSession(v.Row(selectSession, id))
		return err
	})
	if errors.Is(err, sql.ErrNoRows) {
		return session.Record{}, session.ErrNotFound.With("session %q not found", id)
	}
	if err != nil {
		return session.Record{}, fmt.Errorf("sqlitestore: read session %s: %w", id, err)
	}
	return found, nil
}

// Sessions implements [ports.SessionStore].
func (s *Sessions) Sessions(ctx context.Context, q session.Query) (list []session.Record, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.list").End(&err)
	query, args := sessionsQuery(q)
	err = s.db.Read(ctx, func(v *View) error {
		return v.Each(query, args, func(r Row) error {
			found, err := scanSession(r)
			list = append(list, found)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: list sessions: %w", err)
	}
	return list, nil
}

// upsertRevocation keeps the first revocation of a session; it only lasts
// longer. A new one comes behind all others.
const upsertRevocation = `
INSERT INTO revocations (session_id, revoked_by, at, until)
VALUES (?, ?, max(?, ifnull((SELECT max(at) FROM revocations), 0) + 1), ?)
ON CONFLICT (session_id) DO UPDATE SET until = excluded.until WHERE until < excluded.until`

// Revoke implements [ports.SessionStore].
func (s *Sessions) Revoke(ctx context.Context, r session.Revocation, trail ports.Trail) (err error) {
	defer s.db.observer.Begin(&ctx, "sessions.revoke").End(&err)
	return s.db.Write(ctx, func(tx *Tx) error {
		if err := putTrail(tx, trail, true); err != nil {
			return err
		}
		if _, err := tx.Exec(upsertRevocation, r.ID, r.By, millis(r.At), millis(r.Until)); err != nil {
			return fmt.Errorf("sqlitestore: write revocation of session %s: %w", r.ID, err)
		}
		return nil
	})
}

const selectRevocations = `
SELECT session_id, revoked_by, at, until FROM revocations INDEXED BY revocations_at WHERE at >= ? AND until > ?`

// Revoked implements [ports.SessionStore].
func (s *Sessions) Revoked(ctx context.Context, since, now time.Time) (list []session.Revocation, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.revoked").End(&err)
	err = s.db.Read(ctx, func(v *View) error {
		return v.Each(selectRevocations, []any{millis(since), millis(now)}, func(row Row) error {
			var r session.Revocation
			var at, until int64
			err := row.Scan(&r.ID, &r.By, &at, &until)
			r.At, r.Until = fromMillis(at), fromMillis(until)
			list = append(list, r)
			return err
		})
	})
	if err != nil {
		return nil, fmt.Errorf("sqlitestore: read revocations: %w", err)
	}
	return list, nil
}

const (
	deleteExpiredSessions = `
DELETE FROM sessions WHERE id IN (SELECT id FROM sessions WHERE expires_at <= ? LIMIT (? + 0))`
	deleteExpiredRevocations = `
DELETE FROM revocations WHERE session_id IN (SELECT session_id FROM revocations WHERE until <= ? LIMIT (? + 0))`
)

// DeleteExpired implements [ports.SessionStore].
func (s *Sessions) DeleteExpired(ctx context.Context, now time.Time, limit int) (_ int, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.forget").End(&err)
	gone := 0
	err = s.db.Write(ctx, func(tx *Tx) error {
		gone = 0
		for _, statement := range []string{deleteExpiredSessions, deleteExpiredRevocations} {
			n, err := deleteExpired(tx, statement, millis(now), limit)
			if err != nil {
				return err
			}
			gone += n
		}
		return nil
	})
	if err != nil {
		return 0, err
	}
	return gone, nil
}
