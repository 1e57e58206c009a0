package mongostore

import (
	"errors"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/mongostore/internal/mongodb"
)

// claim is a key that a change takes: one that no other document may have.
type claim struct {
	need
	taken func(holder bson.Raw) error // if another document has it
	free  func(holder bson.Raw) bool  // whether the change may replace that; nil: never
}

// always is what a claim is refused with, whoever the holder is.
func always(err error) func(bson.Raw) error { return func(bson.Raw) error { return err } }

// ahead reports whether the holder of a key is looked for in every batch of several, for some
// time after one was met: clients choose names, and who tries those that are taken must not
// cost others anything. Ids are ours, and who uses an idempotency key again has met its
// record or its lock.
func (c *claim) ahead() bool { return c.field != "_id" }

// refuseTaken refuses changes whose key a document has, with a query for each collection. So
// of a batch nothing is sent that the index refuses, but for a race with another process. A
// change alone leaves that to the index: then nobody else is in the batch.
//
// Of two changes that take one key the second waits for the next batch, as one does that
// takes what another gives up.
func (b *batch) refuseTaken() error {
	holders, err := b.holders()
	if err != nil {
		return err
	}
	claimed, given := map[need]bool{}, map[docKey]bool{}
	b.kept = slices.DeleteFunc(b.kept, func(j *job) bool {
		for _, o := range claims(j) {
			holder, isTaken := o.holder(holders)
			switch {
			case isTaken && !given[holder]:
				j.Err = o.takes.taken(holders[o.takes.need])
				return false
			case isTaken, claimed[o.takes.need]:
				j.Change.asks = true
				b.next = append(b.next, j)
				return true
			}
		}
		if writes(j) {
			for _, o := range j.Change.tx.ops {
				given[docKey{o.coll, o.id}] = true
			}
		}
		for _, o := range claims(j) {
			claimed[o.takes.need] = true
		}
		return false
	})
	return nil
}

// claims returns the writes of a change that take a key.
func claims(j *job) (some []op) {
	if !writes(j) {
		return nil
	}
	for _, o := range j.Change.tx.ops {
		if o.takes != nil {
			some = append(some, o)
		}
	}
	return some
}

// holders returns the documents that have keys which the changes take. Of a change whose
// name is taken they are those of its other keys too: who repeats a request is told that it
// is running, and not that somebody has taken the name.
func (b *batch) holders() (map[need]bson.Raw, error) {
	found := map[need]bson.Raw{}
	ahead := len(b.kept) > 1 && b.wary > 0
	if ahead {
		b.wary--
	}
	err := b.find(found, func(j *job, c *claim) bool { return j.Change.asks || ahead && c.ahead() })
	if err != nil || len(found) == 0 {
		return found, err
	}
	b.wary = wary
	return found, b.find(found, func(j *job, c *claim) bool {
		return !j.Change.asks && !c.ahead() && slices.ContainsFunc(claims(j), func(o op) bool { _, isTaken := o.holder(found); return isTaken })
	})
}

// find looks for the holders of some keys that the changes take.
func (b *batch) find(holders map[need]bson.Raw, which func(*job, *claim) bool) error {
	needs := map[string][]need{}
	for _, j := range b.kept {
		for _, o := range claims(j) {
			if which(j, o.takes) {
				needs[o.coll] = append(needs[o.coll], o.takes.need)
			}
		}
	}
	for coll, some := range needs {
		err := b.query(coll, some, options.Find().SetProjection(mongodb.By("key", "name", "at")), func(of []need, doc bson.Raw) bool {
			for _, n := range of {
				holders[n] = doc
			}
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// holder returns which document has the key that o takes, if that is not its own.
func (o op) holder(holders map[need]bson.Raw) (holder docKey, isTaken bool) {
	doc := holders[o.takes.need]
	if doc == nil || o.takes.free != nil && o.takes.free(doc) {
		return docKey{}, false
	}
	id, _ := doc.Lookup("_id").StringValueOK()
	return docKey{o.coll, id}, id != o.id || o.takes.field == "_id"
}

// refused gives an error of writing its meaning.
func refused(ops []op, err error) error {
	var failed mongo.BulkWriteException
	if mongodb.HasLabel(err, mongodb.TransientLabel) || !errors.As(err, &failed) || len(failed.WriteErrors) == 0 ||
		!mongo.IsDuplicateKeyError(failed) {
		return mongodb.LostOr(err)
	}
	for _, o := range ops {
		if o.model == failed.WriteErrors[0].Request && o.takes != nil {
			return duplicate{o.job, err}
		}
	}
	return mongodb.AsLost(err) // a document that two changes make as it is missing
}

// duplicate is a write that the index has refused because its key is taken. The document
// that has it may be one that an election takes back. So a change is refused for it only
// when another transaction has found the document and is committed.
type duplicate struct {
	job *job
	error
}
