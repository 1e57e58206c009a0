package mongostore

import (
	"context"
	"fmt"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/audit"
)

// tx is what a change reads and writes. Reads do not see its own writes: those are
// sent when its function has returned. As a context it has the session.
type tx struct {
	context.Context
	db    *engine
	batch *batch
	// shard is a number below shards. What all changes add to has a document for each.
	shard int
	ops   []op
	bytes int           // that they write
	trail []audit.Entry // the audit entries among them
	// unfinished is the collection in which it leaves a reorder to be finished, or "".
	unfinished string
	read       []docKey
	failed     error // the first failure that the function cannot recover from
}

// kind is a kind of write, in the order in which they are sent.
type kind int

const (
	deletion kind = iota
	update
	insertion
	kinds // how many there are
)

// op is one write. If another document has a key that it has not named, the change runs
// again.
type op struct {
	coll, id string
	kind     kind
	model    mongo.WriteModel
	takes    *claim // the key that it takes, or nil
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

func (t *tx) add(coll, id string, k kind, model mongo.WriteModel, takes *claim) {
	t.ops = append(t.ops, op{coll: coll, id: id, kind: k, model: model, takes: takes})
}

// insert writes a new document. takes is the key that it takes, if that may be taken.
func (t *tx) insert(coll string, doc any, takes *claim) {
	raw := t.encode(doc)
	id, _ := raw.Lookup("_id").StringValueOK()
	t.add(coll, id, insertion, &mongo.InsertOneModel{Document: raw}, takes)
}

// update changes the document of an id, if there is one. takes is the key that it gets.
func (t *tx) update(coll, id string, change bson.D, takes *claim) {
	t.add(coll, id, update, &mongo.UpdateOneModel{Filter: mongodb.ByID(id), Update: t.encode(change)}, takes)
}

// upsert changes the document of an id, or inserts it.
func (t *tx) upsert(coll, id string, change bson.D) {
	t.add(coll, id, update, &mongo.UpdateOneModel{Filter: mongodb.ByID(id), Update: t.encode(change), Upsert: new(true)}, nil)
}

// replace replaces the document of an id that has also what more asks for, or inserts a
// new one.
func (t *tx) replace(coll, id string, doc any, takes *claim, more ...bson.E) {
	filter := append(mongodb.ByID(id), more...)
	t.add(coll, id, update, &mongo.ReplaceOneModel{Filter: filter, Replacement: t.encode(doc), Upsert: new(true)}, takes)
}

func (t *tx) remove(coll, id string) {
	t.add(coll, id, deletion, &mongo.DeleteOneModel{Filter: mongodb.ByID(id)}, nil)
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
		if err != nil && !mongodb.IsMissing(err) {
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

// lookedUp returns a document that the change needs of one of the collections of
// [lookedUp], nil if there is none.
func (t *tx) lookedUp(coll, id string) bson.Raw {
	t.read = append(t.read, docKey{coll, id})
	return t.batch.memo[needByID(coll, id)]
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
	if err = mongodb.LostOr(err); err != nil && !mongodb.IsMissing(err) && t.failed == nil {
		t.failed = err
	}
	return err
}

func (t *tx) bounded() (context.Context, context.CancelFunc, error) { return t, func() {}, nil }

// flush sends what the changes write, by collection and kind of write: a name that one
// gives back another may take.
func (b *batch) flush() error {
	for coll := range b.ops {
		if !slices.Contains(flushOrder, coll) {
			return fmt.Errorf("mongostore: the collection %s has no place in the order of writes", coll)
		}
	}
	for _, coll := range flushOrder {
		ops := b.ops[coll]
		if len(ops) == 0 {
			continue
		}
		models := make([]mongo.WriteModel, 0, len(ops))
		for k := range kinds {
			for _, o := range ops {
				if o.kind == k {
					models = append(models, o.model)
				}
			}
		}
		for some := range slices.Chunk(models, sentAtOnce) {
			if err := b.send(coll, some); err != nil {
				return refused(ops, fmt.Errorf("mongostore: write %s: %w", coll, err))
			}
		}
	}
	return nil
}

func (b *batch) send(coll string, models []mongo.WriteModel) error {
	ctx, cancel := context.WithTimeout(b.ctx, b.db.timeout)
	defer cancel()
	if _, err := b.db.coll(coll).BulkWrite(ctx, models); err != nil {
		return err
	}
	b.getsOn()
	return nil
}
