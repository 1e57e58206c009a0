package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/activity"
	"orgd/ports"
)

var _ ports.Storage = (*Storage)(nil)

// Storage looks after the store as a whole.
type Storage struct{ db *DB }

// NewStorage returns the storage that db is.
func NewStorage(db *DB) *Storage { return &Storage{db} }

// pingTimeout bounds how long a probe waits.
const pingTimeout = 900 * time.Millisecond

// Ping implements [ports.Storage].
func (s *Storage) Ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pingTimeout)
	defer cancel()
	if err := s.db.checkSchema(ctx); err != nil {
		return unavailable(err)
	}
	return nil
}

// forgetAtOnce bounds the records of one kind that go in one call.
const forgetAtOnce = 500

// deadAge is how old traces of attempts are that nobody can be under way with.
const deadAge = 24 * time.Hour

// Forget implements [ports.Storage]. It forgets traces of dead attempts too. A
// kind that cannot be removed does not keep it from the others.
func (s *Storage) Forget(ctx context.Context, e ports.Expiry) (bool, error) {
	more := false
	var errs []error
	did := func(full bool, err error) {
		more = more || full
		errs = append(errs, err)
	}
	for _, k := range outdated(e, s.db.clock.Now().Add(-deadAge)) {
		did(s.forget(ctx, k.coll, k.filter))
	}
	if !e.Events.IsZero() {
		did(s.db.forgetPages(ctx, millis(e.Events)))
	}
	if !e.Now.IsZero() {
		n, err := NewSessions(s.db).Forget(ctx, e.Now, forgetAtOnce)
		did(n >= forgetAtOnce, err)
	}
	return more, errors.Join(errs...)
}

// kind is a kind of record with the filter for those that go.
type kind struct {
	coll   string
	filter bson.D
}

// outdated lists what has had its time. Attempts made before dead are over.
func outdated(e ports.Expiry, dead time.Time) []kind {
	before := func(field string, t time.Time) bson.E { return is(field, bson.D{is("$lt", millis(t))}) }
	kinds := []kind{
		{receiptsColl, bson.D{is("done", false), before("at", dead)}},
		{claimsColl, bson.D{before("at", dead)}},
		{batchesColl, bson.D{is("void", true), is("_id", bson.D{is("$lt", tokenAt(dead))})}},
	}
	if !e.Events.IsZero() {
		kinds = append(kinds, kind{eventsColl, bson.D{in("type", activity.RuntimeTypes()), settled(), exists("line", false), before("at", e.Events)}})
	}
	if !e.Audit.IsZero() {
		kinds = append(kinds, kind{auditColl, bson.D{before("at", e.Audit)}})
	}
	if !e.Deliveries.IsZero() {
		kinds = append(kinds, kind{deliveriesColl, bson.D{before("created", e.Deliveries)}})
	}
	if !e.Receipts.IsZero() {
		kinds = append(kinds, kind{receiptsColl, bson.D{is("done", true), before("at", e.Receipts)}})
	}
	return kinds
}

// forget removes a bounded number of documents and reports whether there may be
// more.
func (s *Storage) forget(ctx context.Context, coll string, filter bson.D) (bool, error) {
	var docs []struct {
		ID string `bson:"_id"`
	}
	opts := options.Find().SetProjection(fields("_id")).SetLimit(forgetAtOnce)
	if err := s.db.all(ctx, s.db.coll(coll), filter, &docs, opts); err != nil || len(docs) == 0 {
		return false, err
	}
	ids := make([]string, len(docs))
	for i, d := range docs {
		ids[i] = d.ID
	}
	_, err := s.db.remove(ctx, coll, bson.D{is("$and", bson.A{bson.D{in("_id", ids)}, filter})})
	return len(docs) == forgetAtOnce, err
}
