package mongostore

import (
	"context"
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

const (
	// sweepAtOnce bounds the homes, and the intents, that one sweep looks at.
	sweepAtOnce = 200
	// homesAtOnce is how many homes of a collection are settled beside each other.
	homesAtOnce = 4
	// debtsAge and intentsAge are how old, in milliseconds, debts and intents
	// are before somebody else than their request looks after them.
	debtsAge   = 1000
	intentsAge = patience + 1000
	// batchesAge is how old, in milliseconds, a batch is before readers settle
	// it, and how long readers of the feed wait for agents that owe events: what
	// is being settled should not be settled by all of them.
	batchesAge = 250
)

// Sweep finishes what processes left that died, or that could not reach the
// server: debts older than a second are paid, attempts older than four seconds
// settled or cleared away. Every process calls it once a second; sweeps may run
// beside each other. It does a bounded part; an error means that the next call
// tries again.
func (db *DB) Sweep(ctx context.Context) error {
	return errors.Join(
		db.settleAll(ctx, owesSince(db.at()-debtsAge), sweepAtOnce),
		db.resolveOld(ctx),
		db.reopenSeats(ctx),
	)
}

// settleAll settles the homes of every collection that a filter finds: at most as
// many of each as the limit says, 0 for all.
func (db *DB) settleAll(ctx context.Context, filter bson.D, limit int64) error {
	dos := make([]func() error, len(homeColls))
	for i, coll := range homeColls {
		dos[i] = func() error { return db.settleSome(ctx, coll, filter, limit) }
	}
	return together(dos...)
}

// settleSome settles the homes that a filter finds: at most as many as the limit
// says, 0 for all. One that cannot be settled does not keep it from the others.
func (db *DB) settleSome(ctx context.Context, coll string, filter bson.D, limit int64) error {
	var due []head
	opts := options.Find().SetProjection(fields("pending")).SetLimit(limit).SetBatchSize(16)
	if err := db.all(ctx, db.coll(coll), filter, &due, opts); err != nil {
		return err
	}
	var errs []error
	for some := range slices.Chunk(due, homesAtOnce) {
		dos := make([]func() error, len(some))
		for i, h := range some {
			dos[i] = func() error { return db.settle(ctx, home{coll, h.ID}, h.Pending) }
		}
		errs = append(errs, together(dos...))
		if ctx.Err() != nil {
			break
		}
	}
	return errors.Join(errs...)
}

// resolveOld looks after attempts that should have ended.
func (db *DB) resolveOld(ctx context.Context) error {
	var old []intent
	filter := bson.D{is("at", bson.D{is("$lt", db.at()-intentsAge)})}
	opts := options.Find().SetSort(bson.D{is("at", 1)}).SetLimit(sweepAtOnce)
	if err := db.all(ctx, db.coll(intentsColl), filter, &old, opts); err != nil {
		return err
	}
	var errs []error
	for _, i := range old {
		_, err := db.resolve(ctx, i, true)
		if errs = append(errs, err); ctx.Err() != nil {
			break
		}
	}
	return errors.Join(errs...)
}
