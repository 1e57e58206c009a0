package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/groupcommit"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/ports"
)

// Storage looks after the store as a whole.
type Storage struct{ db *DB }

// pingTimeout bounds how long a probe waits.
const pingTimeout = 900 * time.Millisecond

// Ping implements [ports.Storage].
func (s *Storage) Ping(ctx context.Context) (err error) {
	defer s.db.observer.Begin(&ctx, "storage.ping").End(&err)
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	if err := s.db.checkSchema(ctx); err != nil {
		return groupcommit.Unavailable(err)
	}
	return nil
}

// Incarnation implements [ports.Storage].
func (s *Storage) Incarnation() string {
	if name := s.db.incarnation.Load(); name != nil {
		return *name
	}
	return ""
}

// expireAtOnce bounds the records of one kind that one call removes.
const expireAtOnce = 500

// lockAge is how old locks are that no request has any more.
const lockAge = 24 * time.Hour

// DeleteExpired implements [ports.Storage]. A kind that cannot be removed does not keep
// it from the others.
func (s *Storage) DeleteExpired(ctx context.Context, e ports.Expiry) (_ bool, err error) {
	defer s.db.observer.Begin(&ctx, "storage.forget").End(&err)
	more := false
	var errs []error
	did := func(n int, err error) {
		more = more || n >= expireAtOnce
		errs = append(errs, err)
	}
	for coll, filter := range outdated(e, s.db.clock.Now().Add(-lockAge)) {
		did(s.db.expire(ctx, coll, filter))
	}
	if !e.Events.IsZero() {
		errs = append(errs, s.db.cutLog(ctx, e.Events))
	}
	if !e.Now.IsZero() {
		did(s.db.expireSessions(ctx, e.Now, expireAtOnce))
	}
	left, err := s.db.finishPurges(ctx, e.Now.Add(-agent.PurgeLasts))
	return more || left, errors.Join(append(errs, err)...)
}

// outdated is what has expired, by collection. Locks taken before dead
// are left over.
func outdated(e ports.Expiry, dead time.Time) map[string]bson.D {
	kinds := map[string]bson.D{locksColl: {mongodb.Compare("at", "$lt", mongodb.Millis(dead))}}
	add := func(coll, field string, upTo time.Time, more ...bson.E) {
		if !upTo.IsZero() {
			kinds[coll] = append(more, mongodb.Compare(field, "$lt", mongodb.Millis(upTo)))
		}
	}
	add(eventsColl, "at", e.Events, mongodb.In("type", activity.RuntimeTypes()))
	add(auditColl, "at", e.Audit)
	add(idempotencyColl, "at", e.Idempotency)
	add(deliveriesColl, "created", e.Deliveries)
	if !e.Now.IsZero() {
		kinds[linksColl] = bson.D{mongodb.Compare("expires_at", "$lte", mongodb.Millis(e.Now))}
	}
	return kinds
}

// expire removes a bounded number of documents and returns how many it has found.
func (db *DB) expire(ctx context.Context, coll string, filter bson.D) (int, error) {
	ids, err := db.idsOf(ctx, coll, filter, expireAtOnce)
	if err != nil || len(ids) == 0 {
		return 0, err
	}
	_, err = db.coll(coll).DeleteMany(ctx, append(bson.D{mongodb.In("_id", ids)}, filter...))
	return len(ids), mongodb.Translate(err)
}

// idsOf returns the ids of some documents that filter finds, at most limit.
func (db *DB) idsOf(ctx context.Context, coll string, filter bson.D, limit int) ([]string, error) {
	return every(db.ask(ctx), coll, filter, func(d mongodb.IDDoc) (string, error) { return d.ID, nil },
		options.Find().SetProjection(mongodb.By("_id")).SetLimit(int64(limit)))
}
