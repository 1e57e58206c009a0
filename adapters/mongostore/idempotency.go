package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/groupcommit"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/idempotency"
	"orgd/domain/name"
	"orgd/ports"
)

// Idempotency keeps idempotency records and the locks of running requests. A lock only
// saves work: that one of two requests commits is ensured by the _id of the record.
// So locks are written without a transaction.
type Idempotency struct{ db *DB }

type lockDoc struct {
	Key         string `bson:"_id"`
	Fingerprint string `bson:"fingerprint"`
	Owner       string `bson:"owner"`
	At          int64  `bson:"at"`
}

// Lock implements [ports.IdempotencyStore]. It locks the key before it looks for a record:
// the request that had the lock before has then either written the record that is
// found here, or its write will conflict with that of this request. The end of the
// caller's context does not interrupt it: the lock might be taken and never released.
func (s *Idempotency) Lock(ctx context.Context, c idempotency.Lock) (_ *idempotency.Record, err error) {
	defer s.db.observer.Begin(&ctx, "idempotency.claim").End(&err)
	if err := ctx.Err(); err != nil {
		return nil, groupcommit.Unavailable(err)
	}
	kept, err := s.lockOrFind(context.WithoutCancel(ctx), c)
	if err != nil || kept == nil {
		return nil, err
	}
	if kept.Unfinished != "" { // whoever has the answer sees the new order
		if err := s.db.finishReorder(ctx, kept.Unfinished); err != nil {
			return nil, groupcommit.Unavailable(err)
		}
	}
	return kept.record(), nil
}

// lockOrFind locks the key, or returns its record.
func (s *Idempotency) lockOrFind(ctx context.Context, c idempotency.Lock) (*idempotencyDoc, error) {
	ctx, cancel := context.WithTimeout(ctx, s.db.timeout)
	defer cancel()
	refused := s.lock(ctx, c)
	if errors.Is(refused, ports.ErrUnavailable) { // it may have the lock
		s.db.leftLocks.add(c)
		return nil, refused
	}
	kept, err := s.find(ctx, c.Key, c.At)
	if refused == nil && (kept != nil || err != nil) {
		err = errors.Join(err, s.unlock(ctx, c))
	}
	if kept != nil || err != nil {
		return kept, err
	}
	return nil, refused
}

// lock locks the key for c unless another request has the lock.
func (s *Idempotency) lock(ctx context.Context, c idempotency.Lock) error {
	locks := s.db.coll(locksColl)
	mayTake := mongodb.Is("$or", bson.A{
		bson.D{mongodb.Is("owner", c.Owner)}, bson.D{mongodb.Compare("at", "$lt", mongodb.Millis(c.At.Add(-idempotency.Lease)))},
	})
	hold := mongodb.Set(mongodb.Is("fingerprint", c.Fingerprint), mongodb.Is("owner", c.Owner), mongodb.Is("at", mongodb.Millis(c.At)))
	for n := 0; ; n++ {
		_, err := locks.UpdateOne(ctx, bson.D{mongodb.Is("_id", string(c.Key)), mayTake}, hold, options.UpdateOne().SetUpsert(true))
		if !mongo.IsDuplicateKeyError(err) {
			return mongodb.Translate(err)
		}
		held, err := one[lockDoc](s.db.ask(ctx), locksColl, mongodb.ByID(string(c.Key)))
		switch {
		case mongodb.IsMissing(err), err == nil && held.Owner == c.Owner: // released, or ours by a retry of the driver
			if err := mongodb.Pause(ctx, n); err != nil {
				return groupcommit.Unavailable(err)
			}
		case err != nil:
			return err
		case held.Fingerprint != c.Fingerprint:
			return idempotency.ErrReused
		default:
			return idempotency.ErrRunning
		}
	}
}

// Renew implements [ports.IdempotencyStore].
func (s *Idempotency) Renew(ctx context.Context, c idempotency.Lock, at time.Time) (err error) {
	defer s.db.observer.Begin(&ctx, "idempotency.renew").End(&err)
	ctx, cancel := context.WithTimeout(ctx, s.db.timeout)
	defer cancel()
	res, err := s.db.coll(locksColl).UpdateOne(ctx, lockOf(c), mongodb.Set(mongodb.Is("at", mongodb.Millis(at))))
	if err == nil && res.MatchedCount == 0 {
		return idempotency.ErrRunning
	}
	return mongodb.Translate(err)
}

// Release implements [ports.IdempotencyStore]. If it fails, the lock goes as soon as MongoDB is
// there again.
func (s *Idempotency) Release(ctx context.Context, c idempotency.Lock) (err error) {
	defer s.db.observer.Begin(&ctx, "idempotency.release").End(&err)
	return s.unlock(ctx, c)
}

func (s *Idempotency) unlock(ctx context.Context, c idempotency.Lock) error {
	ctx, cancel := context.WithTimeout(ctx, s.db.timeout)
	defer cancel()
	_, err := s.db.coll(locksColl).DeleteOne(ctx, lockOf(c))
	if err != nil {
		s.db.leftLocks.add(c)
	}
	return mongodb.Translate(err)
}

// find returns the record of a key, or nil if there is none or it has expired at now.
func (s *Idempotency) find(ctx context.Context, key idempotency.Key, now time.Time) (*idempotencyDoc, error) {
	d, err := oneOrZero[idempotencyDoc](s.db.ask(ctx), idempotencyColl,
		bson.D{mongodb.Is("_id", string(key)), mongodb.Compare("at", "$gte", mongodb.Millis(now.Add(-idempotency.Kept)))})
	if err != nil || d.Key == "" {
		return nil, err
	}
	return &d, nil
}

// repliesAtOnce is how many records one step looks at.
const repliesAtOnce = 100

// DeleteReplies implements [ports.IdempotencyStore].
func (s *Idempotency) DeleteReplies(ctx context.Context, texts []string) (err error) {
	defer s.db.observer.Begin(&ctx, "idempotency.delete_replies").End(&err)
	for last, more := "", true; more; {
		some, err := all[idempotencyDoc](s.db.ask(ctx), idempotencyColl, bson.D{mongodb.Compare("_id", "$gt", last)},
			first(repliesAtOnce, "_id").SetProjection(mongodb.By("reply.body")))
		more = len(some) == repliesAtOnce
		var telling []string
		for _, d := range some {
			last = d.Key
			if d.Reply != nil && (*idempotency.Reply)(d.Reply).Tells(texts) {
				telling = append(telling, d.Key)
			}
		}
		if err == nil && len(telling) > 0 {
			_, err = s.db.coll(idempotencyColl).UpdateMany(ctx, bson.D{mongodb.In("_id", telling)}, mongodb.Set(mongodb.Is("reply", replyDoc{})))
		}
		if err != nil {
			return mongodb.Translate(err)
		}
	}
	return nil
}

// addIdempotencyRecord writes a record, if there is one. It replaces one of the same
// key that has expired, and no other.
func (t *tx) addIdempotencyRecord(r *idempotency.Record) {
	if r == nil {
		return
	}
	until := mongodb.Millis(r.At.Add(-idempotency.Kept))
	takes := &claim{
		need:  needByID(idempotencyColl, string(r.Key)),
		taken: always(idempotency.ErrRunning),
		free:  func(holder bson.Raw) bool { return holder.Lookup("at").AsInt64() < until },
	}
	doc := idempotencyOf(*r)
	doc.Unfinished = t.unfinished
	t.replace(idempotencyColl, string(r.Key), doc, takes, mongodb.Compare("at", "$lt", until))
}

// idempotencyDoc is an idempotency record.
type idempotencyDoc struct {
	Key         string     `bson:"_id"`
	Fingerprint string     `bson:"fingerprint"`
	At          int64      `bson:"at"`
	Departments []name.Key `bson:"departments,omitempty"`
	Reply       *replyDoc  `bson:"reply,omitempty"`
	// Unfinished is the collection whose reorder the change has left to be finished, or "".
	Unfinished string `bson:"unfinished,omitempty"`
}

type replyDoc struct {
	Status   int    `bson:"status"`
	Body     []byte `bson:"body"`
	ETag     string `bson:"etag"`
	Location string `bson:"location"`
}

func idempotencyOf(r idempotency.Record) idempotencyDoc {
	return idempotencyDoc{
		Key: string(r.Key), Fingerprint: r.Fingerprint, At: mongodb.Millis(r.At),
		Departments: r.Departments, Reply: (*replyDoc)(r.Reply),
	}
}

func (d idempotencyDoc) record() *idempotency.Record {
	return &idempotency.Record{
		Key: idempotency.Key(d.Key), Fingerprint: d.Fingerprint, At: mongodb.FromMillis(d.At),
		Departments: d.Departments, Reply: (*idempotency.Reply)(d.Reply),
	}
}
