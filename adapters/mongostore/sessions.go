package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/session"
	"orgd/ports"
)

var _ ports.SessionStore = (*Sessions)(nil)

// Sessions keeps sessions and revocations.
type Sessions struct{ db *DB }

// NewSessions returns the sessions in db.
func NewSessions(db *DB) *Sessions { return &Sessions{db} }

// change commits what next makes of what is known of a session. Nothing is left
// to do if next returns nothing.
func (s *Sessions) change(ctx context.Context, id string, note ports.Note, next func(sessionDoc) (bson.D, error)) error {
	return retry(ctx, func() (bool, error) {
		var d sessionDoc
		var found *head
		err := s.db.find(ctx, s.db.coll(sessionsColl), byKey(id), nil, &d)
		switch {
		case err == nil:
			found = &d.Head
		case !errors.Is(err, mongo.ErrNoDocuments):
			return false, err
		}
		if d.Head.isFull() {
			return false, s.db.settle(ctx, home{sessionsColl, id}, d.Head.Pending)
		}
		set, err := next(d)
		if err != nil || set == nil {
			return true, err
		}
		a := s.db.attempt(home{sessionsColl, id}, found, note)
		a.set = set
		return s.db.try(ctx, a)
	})
}

// Issue implements [ports.SessionStore].
func (s *Sessions) Issue(ctx context.Context, issued session.Session, note ports.Note) error {
	return s.change(ctx, issued.ID, note, func(d sessionDoc) (bson.D, error) {
		if d.Revocation != nil {
			return nil, session.ErrRevoked
		}
		return d.recorded(issued), nil
	})
}

// See implements [ports.SessionStore].
func (s *Sessions) See(ctx context.Context, seen session.Session) error {
	return s.change(ctx, seen.ID, ports.Note{}, func(d sessionDoc) (bson.D, error) {
		if d.Record != nil && d.Record.ExpiresAt >= millis(seen.ExpiresAt) {
			return nil, nil
		}
		return d.recorded(seen), nil
	})
}

// Revoke implements [ports.SessionStore].
func (s *Sessions) Revoke(ctx context.Context, r session.Revocation, note ports.Note) error {
	return s.change(ctx, r.ID, note, func(d sessionDoc) (bson.D, error) { return d.revoked(r), nil })
}

// Session implements [ports.SessionStore].
func (s *Sessions) Session(ctx context.Context, id string) (session.Record, error) {
	var d sessionDoc
	err := s.db.find(ctx, s.db.coll(sessionsColl), bson.D{is("_id", id), exists("record", true)}, nil, &d)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return session.Record{}, session.ErrNotFound
	}
	if err != nil {
		return session.Record{}, err
	}
	return d.record(), nil
}

// Sessions implements [ports.SessionStore].
func (s *Sessions) Sessions(ctx context.Context, q session.Query) ([]session.Record, error) {
	filter := bson.D{is("record.expires_at", bson.D{is("$gt", millis(q.At))})}
	if q.Subject != "" {
		filter = append(filter, is("record.subject", q.Subject))
	}
	if q.After != nil {
		at := millis(q.After.IssuedAt)
		filter = append(filter, is("$or", bson.A{
			bson.D{is("record.issued_at", bson.D{is("$lt", at)})},
			bson.D{is("record.issued_at", at), is("_id", bson.D{is("$gt", q.After.ID)})},
		}))
	}
	var docs []sessionDoc
	opts := options.Find().SetSort(bson.D{is("record.issued_at", -1), is("_id", 1)}).SetLimit(int64(q.Limit))
	if err := s.db.all(ctx, s.db.coll(sessionsColl), filter, &docs, opts); err != nil {
		return nil, err
	}
	records := make([]session.Record, len(docs))
	for i, d := range docs {
		records[i] = d.record()
	}
	return records, nil
}

// Revoked implements [ports.SessionStore].
func (s *Sessions) Revoked(ctx context.Context, since, now time.Time) ([]session.Revocation, error) {
	filter := bson.D{is("revocation.until", bson.D{is("$gt", millis(now))})}
	if !since.IsZero() {
		filter = append(filter, is("revocation.at", bson.D{is("$gte", millis(since))}))
	}
	var docs []sessionDoc
	opts := options.Find().SetProjection(fields("revocation"))
	if err := s.db.all(ctx, s.db.coll(sessionsColl), filter, &docs, opts); err != nil {
		return nil, err
	}
	revocations := make([]session.Revocation, len(docs))
	for i, d := range docs {
		revocations[i] = d.revocation()
	}
	return revocations, nil
}

// Forget implements [ports.SessionStore]. A document goes when both of its
// parts have gone and it owes nothing.
func (s *Sessions) Forget(ctx context.Context, now time.Time, limit int) (int, error) {
	records, err := s.forget(ctx, "record", "record.expires_at", now, limit)
	if err != nil {
		return 0, err
	}
	revocations, err := s.forget(ctx, "revocation", "revocation.until", now, limit)
	return int(records + revocations), err
}

func (s *Sessions) forget(ctx context.Context, part, field string, now time.Time, limit int) (int64, error) {
	over := is(field, bson.D{is("$lte", millis(now))})
	var docs []head
	opts := options.Find().SetProjection(fields("_id")).SetLimit(int64(limit))
	if err := s.db.all(ctx, s.db.coll(sessionsColl), bson.D{over}, &docs, opts); err != nil || len(docs) == 0 {
		return 0, err
	}
	ids := make([]string, len(docs))
	for i, d := range docs {
		ids[i] = d.ID
	}
	n, err := s.db.updateAll(ctx, sessionsColl, bson.D{in("_id", ids), over}, bson.D{
		is("$unset", bson.D{is(part, "")}), is("$inc", bson.D{is("rev", 1)}),
	})
	if err != nil {
		return n, err
	}
	_, err = s.db.remove(ctx, sessionsColl, bson.D{
		in("_id", ids), exists("record", false), exists("revocation", false), is("pending", []debt{}),
	})
	return n, err
}
