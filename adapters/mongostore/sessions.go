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

// Sessions keeps sessions and revocations.
type Sessions struct{ db *DB }

// change runs write with what is known of a session.
func (s *Sessions) change(ctx context.Context, id string, write func(*tx, sessionDoc) error) error {
	return s.db.write(ctx, func(t *tx) error {
		known, err := one[sessionDoc](t, sessionsColl, byID(id))
		if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
			return err
		}
		return write(t, known)
	})
}

// Issue implements [ports.SessionStore]. It writes the session also if nothing of
// it changes: a revocation at the same time would not conflict with it otherwise.
func (s *Sessions) Issue(ctx context.Context, issued session.Session, trail ports.Trail) (err error) {
	defer s.db.observer.Begin(&ctx, "sessions.issue").End(&err)
	return s.change(ctx, issued.ID, func(t *tx, known sessionDoc) error {
		if known.Revocation != nil {
			return session.ErrRevoked
		}
		t.addTrail(trail, true)
		if known.Record != nil {
			t.update(sessionsColl, issued.ID, bson.D{is("$inc", bson.D{is("issues", 1)})}, nil)
		}
		t.record(known, issued)
		return nil
	})
}

// See implements [ports.SessionStore].
func (s *Sessions) See(ctx context.Context, seen session.Session) (err error) {
	defer s.db.observer.Begin(&ctx, "sessions.see").End(&err)
	return s.change(ctx, seen.ID, func(t *tx, known sessionDoc) error {
		t.record(known, seen)
		return nil
	})
}

// Revoke implements [ports.SessionStore].
func (s *Sessions) Revoke(ctx context.Context, r session.Revocation, trail ports.Trail) (err error) {
	defer s.db.observer.Begin(&ctx, "sessions.revoke").End(&err)
	return s.change(ctx, r.ID, func(t *tx, known sessionDoc) error {
		latest, err := one[sessionDoc](t, sessionsColl, bson.D{exists("revocation.until", true)},
			options.FindOne().SetSort(by("-revocation.at")))
		if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
			return err
		}
		t.addTrail(trail, true)
		t.revoke(known, latest, r)
		return nil
	})
}

// Session implements [ports.SessionStore].
func (s *Sessions) Session(ctx context.Context, id string) (_ session.Record, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.get").End(&err)
	d, err := one[sessionDoc](s.db.ask(ctx), sessionsColl, bson.D{is("_id", id), exists("record", true)})
	if errors.Is(err, mongo.ErrNoDocuments) {
		return session.Record{}, session.ErrNotFound.With("session %q not found", id)
	}
	if err != nil {
		return session.Record{}, err
	}
	return d.record()
}

// Sessions implements [ports.SessionStore].
func (s *Sessions) Sessions(ctx context.Context, q session.Query) (_ []session.Record, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.list").End(&err)
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
	docs, err := all[sessionDoc](s.db.ask(ctx), sessionsColl, filter,
		options.Find().SetSort(by("-record.issued_at", "_id")).SetLimit(int64(q.Limit)))
	return every(docs, err, sessionDoc.record)
}

// Revoked implements [ports.SessionStore]. A query outside a snapshot could find a
// revocation and miss one that was committed before, while it runs.
func (s *Sessions) Revoked(ctx context.Context, since, now time.Time) (_ []session.Revocation, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.revoked").End(&err)
	filter := bson.D{is("revocation.until", bson.D{is("$gt", millis(now))})}
	if !since.IsZero() {
		filter = append(filter, is("revocation.at", bson.D{is("$gte", millis(since))}))
	}
	var docs []sessionDoc
	err = s.db.view(ctx, func(r plain) (err error) {
		docs, err = all[sessionDoc](r, sessionsColl, filter, options.Find().SetProjection(by("revocation")))
		return err
	})
	return every(docs, err, sessionDoc.revocation)
}

// DeleteExpired implements [ports.SessionStore].
func (s *Sessions) DeleteExpired(ctx context.Context, now time.Time, limit int) (_ int, err error) {
	defer s.db.observer.Begin(&ctx, "sessions.forget").End(&err)
	return s.db.expireSessions(ctx, now, limit)
}

// expireSessions deletes documents of which both parts have expired.
func (db *DB) expireSessions(ctx context.Context, now time.Time, limit int) (int, error) {
	gone := 0
	for part, field := range map[string]string{"record": "record.expires_at", "revocation": "revocation.until"} {
		over := is(field, bson.D{is("$lte", millis(now))})
		ids, err := db.idsOf(ctx, sessionsColl, bson.D{over}, limit)
		if err != nil {
			return gone, err
		}
		if len(ids) == 0 {
			continue
		}
		res, err := db.coll(sessionsColl).UpdateMany(ctx, bson.D{in("_id", ids), over}, bson.D{is("$unset", bson.D{is(part, "")})})
		if err != nil {
			return gone, translate(err)
		}
		gone += int(res.ModifiedCount)
		_, err = db.coll(sessionsColl).DeleteMany(ctx, bson.D{in("_id", ids), exists("record", false), exists("revocation", false)})
		if err != nil {
			return gone, translate(err)
		}
	}
	return gone, nil
}
