package sqlitestore

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/idempotency"
)

// Idempotency keeps idempotency records in the database and locks in memory: one
// process uses the database, and a lock means nothing after the process has ended.
type Idempotency struct{ db *DB }

// Lock implements [ports.IdempotencyStore]. It locks the key before it looks for
// a record: the request that had the key before has then either left the record
// that is found, or will find ours and fail.
func (s *Idempotency) Lock(ctx context.Context, c idempotency.Lock) (_ *idempotency.Record, err error) {
	defer s.db.observer.Begin(&ctx, "idempotency.claim").End(&err)
	refused := s.db.locks.take(c)
	kept, err := s.find(ctx, c.Key, c.At)
	if refused == nil && (kept != nil || err != nil) {
		s.db.locks.drop(c)
	}
	if kept != nil || err != nil {
		return kept, err
	}
	return nil, refused
}

// Renew implements [ports.IdempotencyStore].
func (s *Idempotency) Renew(ctx context.Context, c idempotency.Lock, at time.Time) (err error) {
	defer s.db.observer.Begin(&ctx, "idempotency.renew").End(&err)
	return s.db.locks.renew(c, at)
}

// Release implements [ports.IdempotencyStore].
func (s *Idempotency) Release(ctx context.Context, c idempotency.Lock) (err error) {
	defer s.db.observer.Begin(&ctx, "idempotency.release").End(&err)
	s.db.locks.drop(c)
	return nil
}

const selectRecord = `
SELECT fingerprint, at, departments, status, body, etag, location FROM idempotency_records WHERE key = ? AND at >= ?`

// find returns the record under a key unless it has expired at now.
func (s *Idempotency) find(ctx context.Context, key idempotency.Key, now time.Time) (*idempotency.Record, error) {
	r := &idempotency.Record{Key: key}
	var at int64
	var departments string
	var status *int
	var body []byte
	var etag, location *string
	err := s.db.Ask(ctx, func(v *sqlite.View) error {
		return v.Row(selectRecord, string(key), sqlite.Millis(now.Add(-idempotency.Kept))).
			Scan(&r.Fingerprint, &at, &departments, &status, &body, &etag, &location)
	})
	if errors.Is(err, sql.ErrNoRows) {
		return nil, nil
	}
	if err != nil {
		return nil, sqlite.Wrap(err, "read idempotency record", "")
	}
	r.At, r.Departments = sqlite.FromMillis(at), sqlite.SplitKeys(departments)
	if status != nil {
		r.Reply = &idempotency.Reply{Status: *status, Body: body, ETag: *etag, Location: *location}
	}
	return r, nil
}

// upsertRecord takes over a key whose record has expired, and no other.
const upsertRecord = `
INSERT INTO idempotency_records (key, fingerprint, at, departments, status, body, etag, location)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (key) DO UPDATE SET
	fingerprint = excluded.fingerprint, at = excluded.at,
	departments = excluded.departments, status = excluded.status,
	body = excluded.body, etag = excluded.etag, location = excluded.location
WHERE idempotency_records.at < ?`

// putRecord stores an idempotency record, if there is one. It returns
// idempotency.ErrRunning if its key has a record already.
func putRecord(tx *engine.Tx, r *idempotency.Record) error {
	if r == nil {
		return nil
	}
	args := []any{string(r.Key), r.Fingerprint, sqlite.Millis(r.At), sqlite.JoinKeys(r.Departments), nil, nil, nil, nil}
	if r.Reply != nil {
		args = append(args[:4], r.Reply.Status, r.Reply.Body, r.Reply.ETag, r.Reply.Location)
	}
	stored, err := sqlite.Changed(tx.Exec(upsertRecord, append(args, sqlite.Millis(r.At.Add(-idempotency.Kept)))...))
	if err == nil && stored == 0 {
		return idempotency.ErrRunning
	}
	return sqlite.Wrap(err, "write idempotency record", "")
}

const (
	selectReplies = "SELECT key, body FROM idempotency_records WHERE key > ? ORDER BY key LIMIT (? + 0)"
	deleteReply   = "UPDATE idempotency_records SET status = 0, body = NULL, etag = '', location = '' WHERE key = ?"
)

// repliesAtOnce is how many records one statement looks at.
const repliesAtOnce = 500

// DeleteReplies implements [ports.IdempotencyStore].
func (s *Idempotency) DeleteReplies(ctx context.Context, texts []string) (err error) {
	defer s.db.observer.Begin(&ctx, "idempotency.delete_replies").End(&err)
	for last, n := "", repliesAtOnce; n == repliesAtOnce; {
		var telling []string
		n = 0
		err := s.db.Ask(ctx, func(v *sqlite.View) error {
			return v.Each(selectReplies, []any{last, repliesAtOnce}, func(r sqlite.Row) error {
				var body []byte
				n++
				err := r.Scan(&last, &body)
				if (idempotency.Reply{Body: body}).Tells(texts) {
					telling = append(telling, last)
				}
				return err
			})
		})
		if err == nil && len(telling) > 0 {
			err = s.db.Write(ctx, func(tx *engine.Tx) (err error) {
				for _, key := range telling {
					if _, err = tx.Exec(deleteReply, key); err != nil {
						return err
					}
				}
				return nil
			})
		}
		if err != nil {
			return sqlite.Wrap(err, "delete replies", "")
		}
	}
	return nil
}
