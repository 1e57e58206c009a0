package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/session"
	"orgd/ports"
)

// Sessions keeps sessions and revocations.
type Sessions struct{ db *DB }

const selectRevoked = "SELECT 1 FROM revocations WHERE session_id = ?"

// Issue implements [ports.SessionStore].
func (s *Sessions) Issue(ctx context.Context, in session.Session, trail ports.Trail) (err error) {
	defer s.db.observer.Begin(&ctx, "sessions.issue").End(&err)
	return s.db.Write(ctx, func(tx *engine.Tx) error {
		switch err := tx.Row(selectRevoked, in.ID).Scan(new(int)); {
		case err == nil:
			return session.ErrRevoked
		case !errors.Is(err, sql.ErrNoRows):
			return sqlite.Wrap(err, "read revocation of session", in.ID)
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
	return s.db.Write(ctx, func(tx *engine.Tx) error { return putSession(tx, in) })
}

// upsertSession keeps the record of a session that is known; it only lives
// longer.
const upsertSession = `
INSERT INTO sessions (id, issuer, subject, role, departments, agent, issued_at, expires_at, kind, label)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (id) DO UPDATE SET expires_at = excluded.expires_at WHERE expires_at < excluded.expires_at`

func putSession(tx *engine.Tx, s session.Session) error {
	_, err := tx.Exec(upsertSession, s.ID, s.Issuer, s.Subject, string(s.Role), packNames(s.Departments),
		s.Agent, sqlite.Millis(s.IssuedAt), sqlite.Millis(s.ExpiresAt), string(s.Kind), s.Label)
	return sqlite.Wrap(err, "write session", s.ID)
}

const updateUse = `
UPDATE sessions SET last_used_at = ?2 WHERE id = ?1 AND (last_used_at IS NULL OR last_used_at < ?2)`

// Used implements [ports.SessionStore].
func (s *Sessions) Used(ctx context.Context, uses []session.Use) (err error) {
	defer s.db.observer.Begin(&ctx, "sessions.used").End(&err)
	return s.db.Write(ctx, func(tx *engine.Tx) error {
		for _, u := range uses {
			if _, err := tx.Exec(updateUse, u.ID, sqlite.Millis(u.At)); err != nil {
				return sqlite.Wrap(err, "write the use of session", u.ID)
			}
		}
		return nil
	})
}

// Session implements [ports.SessionStore].
func (s *Sessions) Session(ctx context.Context, id string) (_ session.Record, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.get").End(&err)
	found, err := sqlite.Ask(ctx, s.db, func(v *sqlite.View) (session.Record, error) { return scanSession(v.Row(selectSession, id)) })
	return found, sqlite.NotFound(err, "session", id, session.ErrNotFound)
}

// Sessions implements [ports.SessionStore].
func (s *Sessions) Sessions(ctx context.Context, q session.Query) (_ []session.Record, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.list").End(&err)
	query, args := sessionsQuery(q)
	return sqlite.All(ctx, s.db, "list sessions", query, args, scanSession)
}

// upsertRevocation keeps the first revocation of a session; it only lasts
// longer. A new one comes behind all others, and is the latest from then on.
const (
	upsertRevocation = `
INSERT INTO revocations (session_id, revoked_by, at, until)
VALUES (?, ?, max(?, (SELECT at FROM latest_revocation) + 1), ?)
ON CONFLICT (session_id) DO UPDATE SET until = excluded.until WHERE until < excluded.until`
	updateLatestRevocation = `
UPDATE latest_revocation SET at = max(at, (SELECT at FROM revocations WHERE session_id = ?))`
)

// Revoke implements [ports.SessionStore].
func (s *Sessions) Revoke(ctx context.Context, r session.Revocation, trail ports.Trail) (err error) {
	defer s.db.observer.Begin(&ctx, "sessions.revoke").End(&err)
	return s.db.Write(ctx, func(tx *engine.Tx) error {
		if err := putTrail(tx, trail, true); err != nil {
			return err
		}
		if _, err := tx.Exec(upsertRevocation, r.ID, r.By, sqlite.Millis(r.At), sqlite.Millis(r.Until)); err != nil {
			return sqlite.Wrap(err, "write revocation of session", r.ID)
		}
		_, err := tx.Exec(updateLatestRevocation, r.ID)
		return sqlite.Wrap(err, "write the latest revocation, of session", r.ID)
	})
}

const revocationColumns = "session_id, revoked_by, at, until"

const selectRevocations = "SELECT " + revocationColumns + ` FROM revocations INDEXED BY revocations_at WHERE at >= ? AND until > ?`

// Revoked implements [ports.SessionStore].
func (s *Sessions) Revoked(ctx context.Context, since, now time.Time) (_ []session.Revocation, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.revoked").End(&err)
	args := []any{sqlite.Millis(since), sqlite.Millis(now)}
	return sqlite.All(ctx, s.db, "read revocations", selectRevocations, args, scanRevocation)
}

func scanRevocation(row sqlite.Row) (r session.Revocation, err error) {
	var at, until int64
	err = row.Scan(&r.ID, &r.By, &at, &until)
	r.At, r.Until = sqlite.FromMillis(at), sqlite.FromMillis(until)
	return r, err
}

const sessionColumns = `s.id, s.issuer, s.subject, s.role, s.departments, s.agent, s.issued_at, s.expires_at, s.kind, s.label, s.last_used_at,
	r.revoked_by, r.at, r.until`

const withRevocation = " LEFT JOIN revocations r ON r.session_id = s.id"

const selectSession = "SELECT " + sessionColumns + " FROM sessions s" + withRevocation + " WHERE s.id = ?"

// sessionsQuery reads along one index. The two columns of its order run in
// opposite directions, so the position to go on from is a range of the first and a
// condition on those that share its end.
func sessionsQuery(q session.Query) (string, []any) {
	var f sqlite.Filter
	index := "sessions_order"
	if q.Subject != "" {
		index = "sessions_subject"
		f.And("s.subject = ?", q.Subject)
	}
	if q.After != nil {
		at := sqlite.Millis(q.After.IssuedAt)
		f.And("s.issued_at <= ? AND (s.issued_at < ? OR s.id > ?)", at, at, q.After.ID)
	}
	f.And("s.expires_at > ?", sqlite.Millis(q.At))
	return "SELECT " + sessionColumns + " FROM sessions s INDEXED BY " + index + withRevocation + f.Where() +
		" ORDER BY s.issued_at DESC, s.id LIMIT (? + 0)", append(f.Args, q.Limit)
}

func scanSession(r sqlite.Row) (rec session.Record, err error) {
	var departments []byte
	var issued, expires int64
	var by *string
	var used, at, until *int64
	err = r.Scan(&rec.ID, &rec.Issuer, &rec.Subject, &rec.Role, &departments, &rec.Agent, &issued, &expires, &rec.Kind, &rec.Label, &used,
		&by, &at, &until)
	if err != nil {
		return session.Record{}, err
	}
	if rec.Departments, err = unpackNames(departments); err != nil {
		return session.Record{}, err
	}
	rec.IssuedAt, rec.ExpiresAt, rec.LastUsedAt = sqlite.FromMillis(issued), sqlite.FromMillis(expires), sqlite.FromMillisOrZero(used)
	if by != nil {
		rec.Revocation = &session.Revocation{ID: rec.ID, By: *by, At: sqlite.FromMillis(*at), Until: sqlite.FromMillis(*until)}
	}
	return rec, nil
}

// packNames is the stored form of names: their texts and keys.
func packNames(names []name.Name) string {
	w := jsondoc.NewWriter(nil)
	w.OpenList()
	for _, n := range names {
		w.Open()
		w.Field("key").Text(string(n.Key))
		w.Field("text").Text(n.Text)
		w.Close()
	}
	w.CloseList()
	return string(w.Bytes())
}

func unpackNames(stored []byte) ([]name.Name, error) {
	v, err := jsondoc.ParseStored(stored)
	if err != nil {
		return nil, sqlite.Wrap(err, "read names", "")
	}
	var names []name.Name
	for _, item := range v.Items() {
		key, _ := item.Get("key")
		text, _ := item.Get("text")
		names = append(names, name.Name{Text: text.Text(), Key: name.Key(key.Text())})
	}
	return names, nil
}
