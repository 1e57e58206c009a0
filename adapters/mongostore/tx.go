package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/groupcommit"
	"orgd/domain/page"
)

// tx is what a change reads and writes. Reads do not see its own writes: those are
// sent when its function has returned. As a context it has the session.
type tx struct {
	context.Context
	db    *DB
	batch *batch
	// shard is a number below shards. What all changes add to has a document for each.
	shard  int
	ops    []op
	bytes  int // that they write
	read   []docKey
	failed error // the first failure that the function cannot recover from
}

// kind is a kind of write, in the order in which they are sent.
type kind int

const (
	deletion kind = iota
	update
	insertion
	kinds // how many there are
)

// op is one write. taken is the error that a duplicate key means; if it is nil, the
// change runs again.
type op struct {
	coll, id string
	kind     kind
	model    mongo.WriteModel
	taken    error
	job      *job
}

// encode returns the stored form of a document or an update.
func (t *tx) encode(doc any) bson.Raw {
	raw, err := bson.Marshal(doc)
	if err != nil && t.failed == nil {
		t.failed = err
	}
	t.bytes += len(raw)
	return raw
}

func (t *tx) add(coll, id string, k kind, model mongo.WriteModel, taken error) {
	t.ops = append(t.ops, op{coll: coll, id: id, kind: k, model: model, taken: taken})
}

// insert writes a new document. taken is the error if one of its keys is taken.
func (t *tx) insert(coll string, doc any, taken error) {
	raw := t.encode(doc)
	id, _ := raw.Lookup("_id").StringValueOK()
	t.add(coll, id, insertion, &mongo.InsertOneModel{Document: raw}, taken)
}

// update changes the document of an id, if there is one. taken is the error if a
// key that it gets is taken.
func (t *tx) update(coll, id string, change bson.D, taken error) {
	t.add(coll, id, update, &mongo.UpdateOneModel{Filter: byID(id), Update: t.encode(change)}, taken)
}

// upsert changes the document of an id, or inserts it.
func (t *tx) upsert(coll, id string, change bson.D) {
	t.add(coll, id, update, &mongo.UpdateOneModel{Filter: byID(id), Update: t.encode(change), Upsert: new(true)}, nil)
}

// replace replaces the document of an id that has also what more asks for, or inserts a
// new one.
func (t *tx) replace(coll, id string, doc any, taken error, more ...bson.E) {
	filter := append(byID(id), more...)
	t.add(coll, id, update, &mongo.ReplaceOneModel{Filter: filter, Replacement: t.encode(doc), Upsert: new(true)}, taken)
}

func (t *tx) remove(coll, id string) {
	t.add(coll, id, deletion, &mongo.DeleteOneModel{Filter: byID(id)}, nil)
}

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

func (t *tx) find(ctx context.Context, coll string, filter bson.D, opts ...options.Lister[options.FindOptions]) (*mongo.Cursor, error) {
	t.markRead(coll, filter)
	return t.db.coll(coll).Find(ctx, filter, opts...)
}

// findOne remembers what changes of the batch have read already.
func (t *tx) findOne(ctx context.Context, coll string, filter bson.D, opts []options.Lister[options.FindOneOptions]) (bson.Raw, error) {
	value, isText := filter[0].Value.(string)
	key := need{coll, filter[0].Key, value}
	whole := len(filter) == 1 && isText && len(opts) == 0 // one document, and all of it
	doc, known := t.batch.memo[key]
	if !known || !whole {
		var err error
		doc, err = t.db.coll(coll).FindOne(ctx, filter, opts...).Raw()
		if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
			return nil, err
		}
		t.batch.read += len(doc)
	}
	if whole {
		t.batch.memo[key] = doc
	}
	if id, ok := doc.Lookup("_id").StringValueOK(); ok && whole {
		t.read = append(t.read, docKey{coll, id})
	} else {
		t.markRead(coll, filter)
	}
	if doc == nil {
		return nil, mongo.ErrNoDocuments
	}
	return doc, nil
}

// markRead records the documents as read, if filter names them, or else the collection.
func (t *tx) markRead(coll string, filter bson.D) {
	if len(filter) > 0 && filter[0].Key == "_id" {
		switch by := filter[0].Value.(type) {
		case string:
			t.read = append(t.read, docKey{coll, by})
			return
		case bson.D:
			if ids, ok := by[0].Value.([]string); ok && by[0].Key == "$in" {
				for _, id := range ids {
					t.read = append(t.read, docKey{coll, id})
				}
				return
			}
		}
	}
	t.read = append(t.read, docKey{coll: coll})
}

// readError keeps the error too: the transaction is over, whatever the function
// makes of it.
func (t *tx) readError(err error) error {
	if err = lostOr(err); err != nil && !errors.Is(err, mongo.ErrNoDocuments) && t.failed == nil {
		t.failed = err
	}
	return err
}

// plain reads what a majority has, each query by itself.
type plain struct {
	context.Context
	db *DB
}

func (p plain) find(ctx context.Context, coll string, filter bson.D, opts ...options.Lister[options.FindOptions]) (*mongo.Cursor, error) {
	return p.db.coll(coll).Find(ctx, filter, opts...)
}

func (p plain) findOne(ctx context.Context, coll string, filter bson.D, opts []options.Lister[options.FindOneOptions]) (bson.Raw, error) {
	return p.db.coll(coll).FindOne(ctx, filter, opts...).Raw()
}

func (p plain) readError(err error) error { return translate(err) }

func (p plain) bounded() (context.Context, context.CancelFunc, error) {
	ctx, cancel := context.WithTimeout(p, p.db.timeout)
	release, err := p.db.connection(ctx)
	if err != nil {
		cancel()
		return nil, nil, groupcommit.Unavailable(err)
	}
	return ctx, func() { cancel(); release() }, nil
}

func (t *tx) bounded() (context.Context, context.CancelFunc, error) { return t, func() {}, nil }

// connection waits until a connection is free, half as long as an operation may
// take. The driver would wait for each operation of a request anew.
func (db *DB) connection(ctx context.Context) (release func(), err error) {
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
		return nil, errNoConnection
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (db *DB) ask(ctx context.Context) reader { return plain{ctx, db} }

// view calls fn with a reader whose queries all see one state.
func (db *DB) view(ctx context.Context, fn func(plain) error) error {
	s, err := db.client.StartSession(options.Session().SetSnapshot(true))
	if err != nil {
		return translate(err)
	}
	defer s.EndSession(context.WithoutCancel(ctx))
	return fn(plain{mongo.NewSessionContext(ctx, s), db})
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

// all reads the documents that filter finds.
func all[T any](r reader, coll string, filter bson.D, opts ...options.Lister[options.FindOptions]) (docs []T, err error) {
	err = drain(r, &docs, func(ctx context.Context) (*mongo.Cursor, error) { return r.find(ctx, coll, filter, opts...) })
	return docs, err
}

// aggregate reads what a pipeline makes of a collection.
func aggregate[T any](r plain, coll string, pipeline bson.A) (docs []T, err error) {
	err = drain(r, &docs, func(ctx context.Context) (*mongo.Cursor, error) { return r.db.coll(coll).Aggregate(ctx, pipeline) })
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

// closeTime bounds the closing of a cursor.
const closeTime = time.Second

// list reads the documents that filter finds and makes rows of them. It ends with
// the first row that is behind its page, or page.ErrLarge. What MongoDB sends at once has 16 MiB at
// most.
func list[D any, T page.Row](r reader, coll string, filter bson.D, opts options.Lister[options.FindOptions], read func(D) (T, error)) (rows []T, err error) {
	ctx, cancel, err := r.bounded()
	if err != nil {
		return nil, err
	}
	defer cancel()
	cursor, err := r.find(ctx, coll, filter, opts)
	if err != nil {
		return nil, r.readError(err)
	}
	defer func() { // also of a request that has ended; else MongoDB holds it for ten minutes
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), closeTime)
		defer cancel()
		cursor.Close(ctx) // its error says nothing of what was read
	}()
	var filling page.Filling
	for cursor.Next(ctx) {
		var d D
		if err := cursor.Decode(&d); err != nil {
			return nil, r.readError(err)
		}
		row, err := read(d)
		if err != nil {
			return nil, err
		}
		if rows = append(rows, row); filling.Add(row.Size()) {
			return rows, nil
		}
		if err := page.Allow(ctx, int(filling)); err != nil {
			return nil, err
		}
	}
	return rows, r.readError(cursor.Err())
}

// every converts documents.
func every[D, T any](docs []D, err error, of func(D) (T, error)) ([]T, error) {
	if err != nil {
		return nil, err
	}
	list := make([]T, len(docs))
	for i, d := range docs {
		if list[i], err = of(d); err != nil {
			return nil, err
		}
	}
	return list, nil
}
