package mongostore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// run does one operation within its time. An operation that lost a race inside
// the server is done again; it has changed nothing.
func (db *DB) run(ctx context.Context, what, coll string, do func(context.Context) error) error {
	for n := 0; ; n++ {
		err := db.once(ctx, do)
		if err == nil || errors.Is(err, mongo.ErrNoDocuments) {
			return err
		}
		if !isRace(err) {
			return translate(fmt.Errorf("mongostore: %s %s: %w", what, coll, err))
		}
		if err := pause(ctx, n); err != nil {
			return unavailable(err)
		}
	}
}

func (db *DB) once(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, db.timeout)
	defer cancel()
	if err := db.gate.enter(ctx); err != nil {
		return err
	}
	defer db.gate.leave()
	return do(ctx)
}

// insert stores a new document. It reports false if its _id is taken.
func (db *DB) insert(ctx context.Context, coll string, doc any) (bool, error) {
	free := true
	err := db.run(ctx, "insert into", coll, func(ctx context.Context) error {
		_, err := db.coll(coll).InsertOne(ctx, doc)
		if isTaken(err) {
			free = false
			return nil
		}
		return err
	})
	return err == nil && free, err
}

// atOnce bounds the documents that one operation writes, so that it takes a
// small part of its time.
const atOnce = 200

// insertAll stores those documents whose _id is free.
func insertAll[T any](ctx context.Context, db *DB, coll string, docs []T) error {
	for some := range slices.Chunk(docs, atOnce) {
		err := db.run(ctx, "insert into", coll, func(ctx context.Context) error {
			_, err := db.coll(coll).InsertMany(ctx, some, options.InsertMany().SetOrdered(false))
			if isTaken(err) {
				return nil
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// isTaken reports whether nothing but taken ids stood in the way of an insert. The
// documents that have them are there to stay, unless the server says that a
// majority may not have them: whatever is concluded from them may be undone then.
func isTaken(err error) bool {
	var one mongo.WriteException
	var many mongo.BulkWriteException
	switch {
	case errors.As(err, &one):
		return one.WriteConcernError == nil && mongo.IsDuplicateKeyError(one)
	case errors.As(err, &many):
		return many.WriteConcernError == nil &&
			!slices.ContainsFunc(many.WriteErrors, func(e mongo.BulkWriteError) bool { return !mongo.IsDuplicateKeyError(e) })
	}
	return mongo.IsDuplicateKeyError(err)
}

// update changes the one document that filter finds and reports whether there
// was one.
func (db *DB) update(ctx context.Context, coll string, filter, change bson.D) (bool, error) {
	found := false
	err := db.run(ctx, "update", coll, func(ctx context.Context) error {
		res, err := db.coll(coll).UpdateOne(ctx, filter, change)
		found = err == nil && res.MatchedCount == 1
		return err
	})
	return found, err
}

// updateAll changes all documents that filter finds.
func (db *DB) updateAll(ctx context.Context, coll string, filter, change bson.D) (int64, error) {
	var n int64
	err := db.run(ctx, "update", coll, func(ctx context.Context) error {
		res, err := db.coll(coll).UpdateMany(ctx, filter, change)
		if err == nil {
			n = res.ModifiedCount
		}
		return err
	})
	return n, err
}

// updates are changes of single documents that go out together.
func (db *DB) updates(ctx context.Context, coll string, models []mongo.WriteModel) error {
	for some := range slices.Chunk(models, atOnce) {
		err := db.run(ctx, "update", coll, func(ctx context.Context) error {
			_, err := db.coll(coll).BulkWrite(ctx, some, options.BulkWrite().SetOrdered(false))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// remove deletes all documents that filter finds.
func (db *DB) remove(ctx context.Context, coll string, filter bson.D) (int64, error) {
	var n int64
	err := db.run(ctx, "delete from", coll, func(ctx context.Context) error {
		res, err := db.coll(coll).DeleteMany(ctx, filter)
		if err == nil {
			n = res.DeletedCount
		}
		return err
	})
	return n, err
}

// find reads one document, or returns mongo.ErrNoDocuments.
func (db *DB) find(ctx context.Context, from *mongo.Collection, filter, projection bson.D, doc any) error {
	opts := options.FindOne()
	if projection != nil {
		opts.SetProjection(projection)
	}
	return db.run(ctx, "read", from.Name(), func(ctx context.Context) error {
		return from.FindOne(ctx, filter, opts).Decode(doc)
	})
}

// all reads every document that filter finds into the slice behind docs.
func (db *DB) all(ctx context.Context, from *mongo.Collection, filter bson.D, docs any, opts ...options.Lister[options.FindOptions]) error {
	return db.run(ctx, "read", from.Name(), func(ctx context.Context) error {
		cursor, err := from.Find(ctx, filter, opts...)
		if err != nil {
			return err
		}
		return cursor.All(ctx, docs)
	})
}

const (
	firstPause = 2 * time.Millisecond
	lastPause  = 128 * time.Millisecond
)

// pause waits before the n-th repetition, longer each time and never as long
// as others do.
func pause(ctx context.Context, n int) error {
	most := min(firstPause<<min(n, 10), lastPause)
	t := time.NewTimer(most/2 + rand.N(most))
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}

// retry calls try until it is done or fails, at most until ctx ends.
func retry(ctx context.Context, try func() (done bool, err error)) error {
	for n := 0; ; n++ {
		done, err := try()
		if done || err != nil {
			return err
		}
		if err := pause(ctx, n); err != nil {
			return busy(err)
		}
	}
}

// together does several things at once and returns their errors. A panic of one
// is a panic of the caller, who may know what to do with it.
func together(dos ...func() error) error {
	errs, panics := make([]error, len(dos)), make([]any, len(dos))
	var all sync.WaitGroup
	for i, do := range dos {
		all.Go(func() {
			defer func() { panics[i] = recover() }()
			errs[i] = do()
		})
	}
	all.Wait()
	for _, v := range panics {
		if v != nil {
			panic(v)
		}
	}
	return errors.Join(errs...)
}
