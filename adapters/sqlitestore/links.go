package sqlitestore

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"strings"
	"time"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/session"
	"orgd/ports"
)

const (
	deleteExpiredLinksOf = "DELETE FROM sign_in_links INDEXED BY sign_in_links_maker WHERE maker = ? AND expires_at <= ?"

	deleteOldestLinksOf = `
DELETE FROM sign_in_links WHERE hash IN (SELECT hash FROM sign_in_links WHERE maker = ? ORDER BY made_at DESC LIMIT -1 OFFSET (? + 0))`

	insertLink = `
INSERT INTO sign_in_links (hash, maker, made_by, made_by_root, made_at, expires_at, as_id, as_root, as_issuer, as_subject,
	as_role, as_departments, as_agent, as_kind, as_label, as_issued_at, as_expires_at, as_ends_by)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
)

// KeepLink implements [ports.SessionStore].
func (s *Sessions) KeepLink(ctx context.Context, hash [sha256.Size]byte, l session.Link, trail ports.Trail) (err error) {
	defer s.db.observer.Begin(&ctx, "sessions.keep_link").End(&err)
	at, as := sqlite.Millis(trail.Audit.At), l.As
	return s.db.Write(ctx, func(tx *engine.Tx) error {
		if err := putTrail(tx, trail, true); err != nil {
			return err
		}
		for _, x := range []struct {
			statement string
			args      []any
		}{
			{deleteExpiredLinksOf, []any{l.Maker, at}},
			{deleteOldestLinksOf, []any{l.Maker, session.MaxLinks - 1}},
			{insertLink, []any{
				hash[:], l.Maker, l.By, joinIDs(l.ByFrom), at, sqlite.Millis(l.ExpiresAt), as.ID, joinIDs(as.From), as.Issuer, as.Subject,
				string(as.Role), packNames(as.Departments), as.Agent, string(as.Kind), as.Label, sqlite.Millis(as.IssuedAt), sqlite.Millis(as.ExpiresAt), sqlite.MillisOrNil(as.EndsBy),
			}},
		} {
			if _, err := tx.Exec(x.statement, x.args...); err != nil {
				return sqlite.Wrap(err, "write a sign-in link of", l.Maker)
			}
		}
		return nil
	})
}

const (
	selectLink = `
SELECT maker, made_by, made_by_root, expires_at, as_id, as_root, as_issuer, as_subject,
	as_role, as_departments, as_agent, as_kind, as_label, as_issued_at, as_expires_at, as_ends_by
FROM sign_in_links WHERE hash = ? AND expires_at > ?`

	deleteLink = "DELETE FROM sign_in_links WHERE hash = ?"
)

// TakeLink implements [ports.SessionStore].
func (s *Sessions) TakeLink(ctx context.Context, hash [sha256.Size]byte, now time.Time) (l session.Link, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.take_link").End(&err)
	err = s.db.Write(ctx, func(tx *engine.Tx) (err error) {
		l, err = scanLink(tx.Row(selectLink, hash[:], sqlite.Millis(now)))
		if errors.Is(err, sql.ErrNoRows) {
			return session.ErrLink
		}
		if err == nil {
			_, err = tx.Exec(deleteLink, hash[:])
		}
		return sqlite.Wrap(err, "take a sign-in link", "")
	})
	return l, err
}

// joinIDs writes ids of sessions, which have no spaces, into one column. Releases that knew
// the first of them only have written that.
func joinIDs(ids []string) string { return strings.Join(ids, " ") }

func splitIDs(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Fields(text)
}

func scanLink(r sqlite.Row) (l session.Link, err error) {
	var departments []byte
	var byFrom, asFrom string
	var until, issued, expires int64
	var ends *int64
	as := &l.As
	err = r.Scan(&l.Maker, &l.By, &byFrom, &until, &as.ID, &asFrom, &as.Issuer, &as.Subject,
		&as.Role, &departments, &as.Agent, &as.Kind, &as.Label, &issued, &expires, &ends)
	if err != nil {
		return session.Link{}, err
	}
	l.ExpiresAt, as.IssuedAt, as.ExpiresAt, as.EndsBy = sqlite.FromMillis(until), sqlite.FromMillis(issued), sqlite.FromMillis(expires), sqlite.FromMillisOrZero(ends)
	l.ByFrom, as.From = splitIDs(byFrom), splitIDs(asFrom)
	as.Departments, err = unpackNames(departments)
	return l, err
}
