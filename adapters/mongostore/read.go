package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"orgd/adapters/groupcommit"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/page"
)

// reader is where a query runs: a transaction, or none.
type reader interface {
	context.Context
	// find finds documents.
	find(ctx context.Context, coll string, filter bson.D, opts ...options.Lister[options.FindOptions]) (*mongo.Cursor, error)
	// findOne reads the document that filter finds, as it is stored.
	findOne(ctx context.Context, coll string, filter bson.D, opts []options.Lister[options.FindOneOptions]) (bson.Raw, error)
	// readError returns the error of a query as its caller gets it.
	readError(err error) error
	// bounded is the context of one query: the driver's own time-out does not count
	// where a request has a deadline.
	bounded() (context.Context, context.CancelFunc, error)
}

// plain reads what a majority has, each query by itself.
type plain struct {
	context.Context
	db *engine
}

func (p plain) find(ctx context.Context, coll string, filter bson.D, opts ...options.Lister[options.FindOptions]) (*mongo.Cursor, error) {
	return p.db.coll(coll).Find(ctx, filter, opts...)
}

func (p plain) findOne(ctx context.Context, coll string, filter bson.D, opts []options.Lister[options.FindOneOptions]) (bson.Raw, error) {
	return p.db.coll(coll).FindOne(ctx, filter, opts...).Raw()
}

func (p plain) readError(err error) error { return mongodb.Translate(err) }

func (p plain) bounded() (context.Context, context.CancelFunc, error) {
	ctx, cancel := context.WithTimeout(p, p.db.timeout)
	release, err := p.db.connection(ctx)
	if err != nil {
		cancel()
		return nil, nil, groupcommit.Unavailable(err)
	}
	return ctx, func() { cancel(); release() }, nil
}

// connection waits until a connection is free, half as long as an operation may
// take. The driver would wait for each operation of a request anew.
func (db *engine) connection(ctx context.Context) (release func(), err error) {
	release = func() { <-db.connections }
	select {
	case db.connections <- struct{}{}:
		return release, nil
	default:
	}
	late := time.NewTimer(db.timeout / 2)
	defer late.Stop()
	select {
	case db.connections <- struct{}{}:
		return release, nil
	case <-late.C:
		return nil, mongodb.ErrNoConnection
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (db *engine) ask(ctx context.Context) reader { return plain{ctx, db} }

// view calls fn with a reader whose queries all see one state.
func view[T any](ctx context.Context, db *engine, fn func(reader) (T, error)) (v T, err error) {
	s, err := db.client.StartSession(options.Session().SetSnapshot(true))
	if err != nil {
		return v, mongodb.Translate(err)
	}
	defer s.EndSession(context.WithoutCancel(ctx))
	return fn(db.ask(mongo.NewSessionContext(ctx, s)))
}

// one reads the document that filter finds, or returns mongo.ErrNoDocuments.
func one[T any](r reader, coll string, filter bson.D, opts ...options.Lister[options.FindOneOptions]) (doc T, err error) {
	err = readOne(r, coll, filter, opts, &doc)
	return doc, err
}

func readOne(r reader, coll string, filter bson.D, opts []options.Lister[options.FindOneOptions], doc any) error {
	ctx, cancel, err := r.bounded()
	if err != nil {
		return err
	}
	defer cancel()
	raw, err := r.findOne(ctx, coll, filter, opts)
	if err == nil {
		err = bson.Unmarshal(raw, doc)
	}
	return r.readError(err)
}

// oneOrZero is [one] of a document that need not be there: then it is zero.
func oneOrZero[T any](r reader, coll string, filter bson.D, opts ...options.Lister[options.FindOneOptions]) (T, error) {
	doc, err := one[T](r, coll, filter, opts...)
	if mongodb.IsMissing(err) {
		err = nil
	}
	return doc, err
}

// get is [one] of a document that is converted.
func get[D, T any](r reader, coll string, filter bson.D, convert func(D) (T, error), opts ...options.Lister[options.FindOneOptions]) (v T, err error) {
	d, err := one[D](r, coll, filter, opts...)
	if err != nil {
		return v, err
	}
	return convert(d)
}

// asStored converts nothing.
func asStored[D any](d D) (D, error) { return d, nil }

// all reads the documents that filter finds.
func all[T any](r reader, coll string, filter bson.D, opts ...options.Lister[options.FindOptions]) (docs []T, err error) {
	err = drain(r, &docs, func(ctx context.Context) (*mongo.Cursor, error) { return r.find(ctx, coll, filter, opts...) })
	return docs, err
}

// drain reads all that a query finds into the slice that docs points to.
func drain(r reader, docs any, query func(context.Context) (*mongo.Cursor, error)) error {
	ctx, cancel, err := r.bounded()
	if err != nil {
		return err
	}
	defer cancel()
	cursor, err := query(ctx)
	if err == nil {
		err = cursor.All(ctx, docs)
	}
	return r.readError(err)
}

// list reads the documents that filter finds and converts each to a row. It ends with
// the first row that is behind its page, or page.ErrLarge. What MongoDB sends at once has
// 16 MiB at most.
func list[D any, T page.Row](r reader, coll string, filter bson.D, convert func(D) (T, error), opts options.Lister[options.FindOptions]) (rows []T, err error) {
	var filling page.Filling
	err = walk(r, finding(r, coll, filter, opts), func(raw bson.Raw) (done bool, err error) {
		var d D
		if err := bson.Unmarshal(raw, &d); err != nil {
			return true, r.readError(err)
		}
		row, err := convert(d)
		if err != nil {
			return true, err
		}
		if rows = append(rows, row); filling.Add(row.Size()) {
			return true, nil
		}
		return false, page.Allow(r, int(filling))
	})
	if err != nil {
		return nil, err
	}
	return rows, nil
}

// walkedAtOnce is how many small documents MongoDB sends at once, where many are read.
const walkedAtOnce = 5000

// finding is the query for the documents that filter finds.
func finding(r reader, coll string, filter bson.D, opts options.Lister[options.FindOptions]) func(context.Context) (*mongo.Cursor, error) {
	return func(ctx context.Context) (*mongo.Cursor, error) { return r.find(ctx, coll, filter, opts) }
}

// walk reads the documents that a query finds, one after the other, until one is the last
// that is wanted. Each is valid until the next one.
func walk(r reader, query func(context.Context) (*mongo.Cursor, error), each func(bson.Raw) (done bool, err error)) error {
	ctx, cancel, err := r.bounded()
	if err != nil {
		return err
	}
	defer cancel()
	cursor, err := query(ctx)
	if err != nil {
		return r.readError(err)
	}
	defer func() { // also of a request that has ended; else MongoDB holds it for ten minutes
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mongodb.CloseTime)
		defer cancel()
		cursor.Close(ctx) // its error says nothing of what was read
	}()
	for cursor.Next(ctx) {
		if done, err := each(cursor.Current); done || err != nil {
			return err
		}
	}
	return r.readError(cursor.Err())
}

// every reads the documents that filter finds and converts each.
func every[D, T any](r reader, coll string, filter bson.D, convert func(D) (T, error), opts ...options.Lister[options.FindOptions]) ([]T, error) {
	docs, err := all[D](r, coll, filter, opts...)
	if err != nil {
		return nil, err
	}
	list := make([]T, len(docs))
	for i, d := range docs {
		if list[i], err = convert(d); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// first are the options of a query for the first n documents in an order of [mongodb.By].
func first(n int, order ...string) *options.FindOptionsBuilder {
	return options.Find().SetSort(mongodb.By(order...)).SetLimit(int64(n))
}

// eachField calls take with each field of a document, where there are thousands of documents:
// to look up one field after the other reads a document as often as it has fields, and all
// that the driver offers besides allocates.
func eachField(doc bson.Raw, take func(field []byte, v bsoncore.Value)) {
	_, rest, ok := bsoncore.ReadLength(doc)
	for ok && len(rest) > 1 {
		var e bsoncore.Element
		if e, rest, ok = bsoncore.ReadElement(rest); ok {
			take(e.KeyBytes(), e.Value())
		}
	}
}
