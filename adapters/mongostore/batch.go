package mongostore

import (
	"context"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/groupcommit"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/audit"
)

// The bounds of a batch. A change that is larger is a batch of its own.
const (
	maxChanges = 64
	maxDocs    = 1500
	maxBytes   = 4 << 20 // that it writes, and that it reads
	// sentAtOnce is how many documents one operation writes at most. So one that takes too
	// long is always the server's fault.
	sentAtOnce = 500
)

// batch are changes that are committed together. All of them see the state before the
// batch. So none is in it that has read what one before it writes: the others could as
// well have been committed one after the other.
type batch struct {
	*writer
	ctx  context.Context // has the session
	kept []*job
	next []*job // for the next batch

	memo    map[need]bson.Raw // documents that were read, nil for none
	read    int               // their bytes
	written map[docKey]bool   // what the changes write
	ops     map[string][]op   // that are sent, by collection
	docs    int               // that they write
	bytes   int               // of these
	unknown error             // why it is not known whether they are stored
}

// need is a document that a change reads: the one whose field has the value.
type need struct{ coll, field, value string }

// needByID is the need of a document by its id.
func needByID(coll, id string) need { return need{coll, "_id", id} }

// docKey is the key of a document in read and written; without an id, of all in a collection.
type docKey struct{ coll, id string }

// Run runs changes until the batch is full.
func (b *batch) run(jobs []*job) error {
	prepared, err := b.prefetch(jobs)
	if err != nil {
		return err
	}
	var kept []*job
	for i, j := range jobs {
		if i >= prepared || b.read > maxBytes && i > 0 && !b.has(j.Change.needs) {
			b.next = append(b.next, j)
			continue
		}
		t := &tx{db: b.db, batch: b, shard: b.shard}
		if !j.Run(func(c *change) error { return b.call(c, t) }) {
			continue
		}
		if t.failed != nil {
			b.next = nil
			return t.failed
		}
		switch {
		case slices.ContainsFunc(t.read, func(k docKey) bool { return b.written[k] }):
			b.next = append(b.next, j)
		case j.Err != nil: // it writes nothing
			kept = append(kept, j)
		case len(kept) > 0 && (b.docs+len(t.ops) > maxDocs || b.bytes+t.bytes > maxBytes):
			j.Alone = len(t.ops) > maxDocs || t.bytes > maxBytes
			b.next = append(b.next, j)
		default:
			kept = append(kept, j)
			b.add(j)
		}
	}
	b.kept = kept
	return nil
}

// has reports whether all of some needs have been read.
func (b *batch) has(needs []need) bool {
	return len(needs) > 0 && !slices.ContainsFunc(needs, func(n need) bool { _, known := b.memo[n]; return !known })
}

// call runs the function of a change. Its caller cannot leave meanwhile, so its reads end
// soon after the time when it wants to.
func (b *batch) call(c *change, t *tx) error {
	until, _ := c.ctx.Deadline()
	if soon := time.Now().Add(b.db.timeout / 8); until.Before(soon) {
		until = soon
	}
	ctx, cancel := context.WithDeadline(b.ctx, until)
	defer cancel()
	t.Context, c.tx = ctx, t
	return c.fn(t)
}

// add takes over what a change writes.
func (b *batch) add(j *job) {
	t := j.Change.tx
	for _, o := range t.ops {
		b.written[docKey{coll: o.coll}], b.written[docKey{o.coll, o.id}] = true, true
	}
	b.docs += len(t.ops)
	b.bytes += t.bytes
}

// time is how long the batch may take: longer the more it writes.
func (b *batch) time() time.Duration {
	return b.db.timeout * time.Duration(1+b.docs/sentAtOnce+b.bytes/maxBytes)
}

// getsOn has the callers of large changes wait for another operation: the last one has
// succeeded, or the next one is the first.
func (b *batch) getsOn() {
	for _, j := range b.kept {
		w, ok := j.Change.ctx.(*mongodb.Waiting)
		if t := j.Change.tx; ok && (len(t.ops) > sentAtOnce || t.bytes > maxBytes) {
			w.Extend(b.db.timeout)
		}
	}
}

// prefetch reads what several changes need, a query for each collection. It returns for how
// many of them, which is fewer than all if they need more documents than a batch writes.
func (b *batch) prefetch(jobs []*job) (prepared int, _ error) {
	needs, known := map[string][]need{}, map[need]bool{}
	for _, j := range jobs {
		if prepared > 0 && len(known)+len(j.Change.needs) > maxDocs {
			break
		}
		prepared++
		for _, n := range j.Change.needs {
			if !known[n] {
				known[n] = true
				needs[n.coll] = append(needs[n.coll], n)
			}
		}
	}
	if err := b.lookUp(needs); err != nil {
		return 0, err
	}
	for coll, some := range needs {
		if len(some) > 1 {
			if err := b.fetch(coll, some); err != nil {
				return 0, err
			}
		}
	}
	return prepared, nil
}

// lookedUp are the collections of which one query reads all that changes need: many small
// documents, of events only the ids. [tx.lookedUp] returns them.
var lookedUp = []string{eventsColl, purgedAgentsColl, rollupsColl}

// lookUp reads what is needed of the collections of lookedUp and takes it out of needs. Its
// query begins with a document that is always there.
func (b *batch) lookUp(needs map[string][]need) error {
	pipeline := bson.A{bson.D{mongodb.Is("$match", mongodb.ByID(schemaID))}, bson.D{mongodb.Is("$project", mongodb.By("_id"))}}
	for _, coll := range lookedUp {
		var ids []string
		for _, n := range needs[coll] {
			ids = append(ids, n.value)
			b.memo[n] = nil
		}
		delete(needs, coll)
		if len(ids) == 0 {
			continue
		}
		documents := bson.A{bson.D{mongodb.Is("$match", bson.D{mongodb.In("_id", ids)})}}
		if coll == eventsColl {
			documents = append(documents, bson.D{mongodb.Is("$project", mongodb.By("_id"))})
		}
		pipeline = append(pipeline, bson.D{mongodb.Is("$lookup", bson.D{mongodb.Is("from", coll), mongodb.Is("pipeline", documents), mongodb.Is("as", coll)})})
	}
	if len(pipeline) == 2 {
		return nil
	}
	cursor, err := b.db.coll(metaColl).Aggregate(b.ctx, pipeline)
	var found []bson.Raw // one
	if err == nil {
		err = cursor.All(b.ctx, &found)
	}
	for _, row := range found {
		for _, coll := range lookedUp {
			if err == nil {
				err = b.remember(coll, row.Lookup(coll))
			}
		}
	}
	return mongodb.LostOr(err)
}

// remember keeps documents of a collection, of which there may be none.
func (b *batch) remember(coll string, list bson.RawValue) error {
	array, ok := list.ArrayOK()
	if !ok {
		return nil
	}
	docs, err := array.Values()
	for _, d := range docs {
		doc := d.Document()
		b.memo[needByID(coll, doc.Lookup("_id").StringValue())] = doc
		b.read += len(doc)
	}
	return err
}

func (b *batch) fetch(coll string, needs []need) error {
	enough := false
	err := b.query(coll, needs, options.Find(), func(of []need, doc bson.Raw) bool {
		for _, n := range of {
			b.memo[n] = doc
		}
		b.read += len(doc)
		enough = b.read > maxBytes
		return !enough
	})
	if err != nil || enough {
		return err
	}
	for _, n := range needs {
		if _, found := b.memo[n]; !found {
			b.memo[n] = nil
		}
	}
	return nil
}

// query calls found with each document of some needs, and with those that are for it, until
// that returns false.
func (b *batch) query(coll string, needs []need, opts *options.FindOptionsBuilder, found func(of []need, doc bson.Raw) bool) error {
	values := map[string][]string{}
	for _, n := range needs {
		values[n.field] = append(values[n.field], n.value)
	}
	var either bson.A
	for field, list := range values {
		either = append(either, bson.D{mongodb.In(field, list)})
	}
	cursor, err := b.db.coll(coll).Find(b.ctx, bson.D{mongodb.Is("$or", either)}, opts)
	if err != nil {
		return mongodb.LostOr(err)
	}
	defer cursor.Close(b.ctx) // its error says nothing of what was read
	for cursor.Next(b.ctx) {
		doc := slices.Clone(cursor.Current)
		var of []need
		for field := range values {
			if value, ok := doc.Lookup(field).StringValueOK(); ok {
				of = append(of, need{coll, field, value})
			}
		}
		if !found(of, doc) {
			return nil
		}
	}
	return mongodb.LostOr(cursor.Err())
}

// seal takes those out whose callers have left, which costs nothing yet, and collects what
// the others write. Who leaves from now on is told that the change may be stored. Who leaves
// a change that writes nothing is never in doubt.
func (b *batch) seal() {
	b.kept = slices.DeleteFunc(b.kept, func(j *job) bool { return writes(j) && !j.Seal() })
	b.ops = map[string][]op{}
	for _, j := range b.kept {
		if !writes(j) {
			continue
		}
		for _, o := range j.Change.tx.ops {
			o.job = j
			b.ops[o.coll] = append(b.ops[o.coll], o)
		}
	}
}

// writes reports whether a change that has run writes anything.
func writes(j *job) bool { return j.Err == nil && len(j.Change.tx.ops) > 0 }

// answer answers the changes of a batch that is committed, or of which that is unknown.
func (b *batch) answer() {
	b.report()
	for _, j := range b.kept {
		switch {
		case b.unknown == nil:
			j.Answer(mongodb.Translate(j.Err))
		case writes(j):
			j.Answer(groupcommit.Unknown(b.unknown))
		default:
			j.Answer(groupcommit.NotApplied(b.unknown))
		}
	}
}

// report reports the audit entries of a batch that is committed.
func (b *batch) report() {
	var trail []audit.Entry
	for _, j := range b.kept {
		if b.unknown == nil && writes(j) {
			trail = append(trail, j.Change.tx.trail...)
		}
	}
	if len(trail) > 0 && b.db.committed != nil {
		b.db.committed(trail)
	}
}
