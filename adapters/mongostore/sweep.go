package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

const (
	// sweepAtOnce bounds the homes, and the intents, that one sweep looks at.
	sweepAtOnce = 200
	// debtsAge and intentsAge are how old, in milliseconds, debts and intents
	// are before somebody else than their request looks after them.
	debtsAge   = 1000
	intentsAge = patience + 1000
	// batchesAge is how old, in milliseconds, a batch is before readers settle
	// it: one that is being settled should not be settled by all of them.
	batchesAge = 250
)

// Sweep finishes what processes left that died, or that could not reach the
// server: debts older than a second are paid, attempts older than four seconds
// settled or cleared away. Every process calls it once a second; sweeps may run
// beside each other. It does a bounded part; an error means that the next call
// tries again.
func (db *DB) Sweep(ctx context.Context) error {
	return errors.Join(
		db.settleDue(ctx, db.at()-debtsAge),
		db.resolveOld(ctx),
		db.reopenSeats(ctx),
	)
}

// settleDue pays debts that were made before the given time.
func (db *DB) settleDue(ctx context.Context, before int64) error {
	var dos []func() error
	for _, coll := range homeColls {
		dos = append(dos, func() error { return db.settleDueIn(ctx, coll, before) })
	}
	return together(dos...)
}

func (db *DB) settleDueIn(ctx context.Context, coll string, before int64) error {
	var due []head
	filter := bson.D{is("pending.at", bson.D{is("$lt", before)})}
	opts := options.Find().SetProjection(fields("pending")).SetLimit(sweepAtOnce).SetBatchSize(16)
	if err := db.all(ctx, db.coll(coll), filter, &due, opts); err != nil {
		return err
	}
	for _, h := range due {
		if err := db.settle(ctx, home{coll, h.ID}, h.Pending); err != nil {
			return err
		}
	}
	return nil
}

// settleBatches pays for batches of reports that are true and were left half
// settled, so that nobody sees their events without their figures.
func (db *DB) settleBatches(ctx context.Context) error {
	return db.settleDueIn(ctx, batchesColl, db.at()-batchesAge)
}

// resolveOld looks after attempts that should have ended.
func (db *DB) resolveOld(ctx context.Context) error {
	var old []intent
	filter := bson.D{is("at", bson.D{is("$lt", db.at()-intentsAge)})}
	opts := options.Find().SetSort(bson.D{is("at", 1)}).SetLimit(sweepAtOnce)
	if err := db.all(ctx, db.coll(intentsColl), filter, &old, opts); err != nil {
		return err
	}
	for _, i := range old {
		if _, err := db.resolve(ctx, i, true); err != nil {
			return err
		}
	}
	return nil
}
