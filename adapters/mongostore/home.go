package mongostore

import (
	"context"
	"errors"
	"math"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// home names the document that a change commits in. The zero value is the home
// of what needs none.
type home struct {
	Coll string `bson:"coll"`
	ID   string `bson:"id"`
}

// companyHome is where the company and its departments change.
var companyHome = home{companyColl, companyID}

// head is what every home begins with.
type head struct {
	ID string `bson:"_id"`
	// Rev counts the writes, Op is the token of the last one: an update finds
	// the document by both, because the count of a document that was forgotten
	// and made again begins anew.
	Rev int64  `bson:"rev"`
	Op  string `bson:"op"`
	// Void is a home without a thing: somebody put it there so that an attempt
	// that may be dead cannot make the thing any more.
	Void    bool   `bson:"void,omitempty"`
	Pending []debt `bson:"pending"`
}

// has reports whether the attempt op is true and still owes something.
func (h head) has(op string) bool {
	for _, d := range h.Pending {
		if d.Op == op {
			return true
		}
	}
	return false
}

// maxDebts is how much a home may owe before its next change. That bounds its
// document too.
const maxDebts = 4

// isFull reports whether the next change of the home has to settle it first.
func (h head) isFull() bool { return len(h.Pending) >= maxDebts }

// same is the filter for the document as it was read.
func (h head) same() bson.D { return bson.D{is("_id", h.ID), is("rev", h.Rev), is("op", h.Op)} }

// owes is the filter for homes that owe, whenever their changes were made by the
// clocks of their processes.
func owes() bson.D { return owesSince(math.MaxInt64) }

// owesSince is the filter for homes that owe since before a time.
func owesSince(before int64) bson.D {
	return bson.D{is("pending.at", bson.D{is("$lt", before)})}
}

// head reads the head of a home, or returns mongo.ErrNoDocuments. It misses
// nothing that was acknowledged before.
func (db *DB) head(ctx context.Context, h home) (found head, err error) {
	err = db.find(ctx, db.strict(h.Coll), byKey(h.ID), fields("rev", "op", "void", "pending"), &found)
	return found, err
}

// headOrNil is head for a home that may not exist yet.
func (db *DB) headOrNil(ctx context.Context, h home) (*head, error) {
	found, err := db.head(ctx, h)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, nil
	}
	return &found, err
}

// fence makes every attempt on h fail that has read its rev and not committed.
// It returns the head as it is then.
func (db *DB) fence(ctx context.Context, h home) (fenced head, err error) {
	for {
		fenced, err = db.raise(ctx, h)
		if !errors.Is(err, mongo.ErrNoDocuments) {
			return fenced, err
		}
		fenced = head{ID: h.ID, Rev: 1, Op: newToken(), Void: true, Pending: []debt{}}
		stored, err := db.insert(ctx, h.Coll, fenced)
		if err != nil || stored {
			return fenced, err
		}
	}
}

func (db *DB) raise(ctx context.Context, h home) (raised head, err error) {
	opts := options.FindOneAndUpdate().SetReturnDocument(options.After).
		SetProjection(fields("rev", "op", "void", "pending"))
	err = db.run(ctx, "fence in", h.Coll, func(ctx context.Context) error {
		return db.coll(h.Coll).FindOneAndUpdate(ctx, byKey(h.ID), bson.D{is("$inc", bson.D{is("rev", 1)})}, opts).Decode(&raised)
	})
	return raised, err
}

// verdict says what became of an attempt that has left a reservation.
type verdict int

const (
	again  verdict = iota // something has moved: look at the reservation again
	wait                  // the attempt may still be under way
	fenced                // it has not committed, or was settled before; it never commits from now on
)

// patience is how long, in milliseconds, an attempt has before others fence it.
const patience = 3000

// decide finds out what became of the attempt op on h, which was begun at the
// given time. impatient fences it at once. After fenced the caller looks
// whether the attempt was settled before he takes the reservation away.
func (db *DB) decide(ctx context.Context, h home, op string, begun int64, impatient bool) (verdict, error) {
	old := impatient || db.at()-begun >= patience
	if h == (home{}) { // nothing to fence: its reservation is its commit
		if old {
			return fenced, nil
		}
		return wait, nil
	}
	found, err := db.headOrNil(ctx, h)
	if err != nil {
		return again, err
	}
	if found != nil && len(found.Pending) > 0 {
		return again, db.settle(ctx, h, found.Pending)
	}
	if !old {
		return wait, nil
	}
	after, err := db.fence(ctx, h)
	if err != nil {
		return again, err
	}
	if len(after.Pending) > 0 {
		return again, db.settle(ctx, h, after.Pending)
	}
	return fenced, nil
}
