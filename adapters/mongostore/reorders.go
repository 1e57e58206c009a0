package mongostore

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/failpoint"
	"orgd/adapters/groupcommit"
	"orgd/adapters/mongostore/internal/mongodb"
)

// A reorder that moves many is accepted in one transaction, which writes everything but
// the order keys. These it leaves in the collection reorders, in parts. Then each part is
// written by a change of its own, among those of others, and the caller is answered after
// the last one. If the process dies meanwhile, any other writes the rest.
//
// Nobody else reorders the same collection until then, so that no order key is given
// twice or lost. An agent may be moved to another department or deleted, and keeps, or
// takes with it, the order key that it has or will have.

// reorderPart is how many order keys one change writes at most. That takes a tenth of a
// second or less.
const reorderPart = 500

// reordersID names the document that every reorder of agents writes: one that has not
// seen the parts of another must not be committed beside it.
const reordersID = "reorders"

// errUnfinished is returned by a change that has to wait for the end of a reorder.
var errUnfinished = groupcommit.NotApplied(errors.New("mongostore: an earlier reorder is not finished"))

// reorderDoc is a part of a reorder that is to be written.
type reorderDoc struct {
	ID        string   `bson:"_id"` // the collection that has the documents, and a number
	Documents []string `bson:"documents"`
	OrderKeys []string `bson:"order_keys"` // of these
}

// partsOf is the filter for the parts of the reorder of a collection.
func partsOf(coll string) bson.D { return bson.D{mongodb.StartsWith("_id", coll+"/")} }

// mustBeFinished returns errUnfinished if a reorder of the collection is not finished.
func mustBeFinished(t *tx, coll string) error {
	d, err := oneOrZero[mongodb.IDDoc](t, reordersColl, partsOf(coll), options.FindOne().SetProjection(mongodb.By("_id")))
	if err == nil && d.ID != "" {
		err = errUnfinished
	}
	return err
}

// slot is a document with its order key.
type slot struct{ id, orderKey string }

// moved returns those whose order keys have changed.
func moved[T any](from, to []T, slotOf func(T) slot) (list []slot) {
	keys := make(map[string]string, len(from))
	for _, v := range from {
		s := slotOf(v)
		keys[s.id] = s.orderKey
	}
	for _, v := range to {
		if s := slotOf(v); keys[s.id] != s.orderKey {
			list = append(list, s)
		}
	}
	return list
}

// reorder writes order keys. If they are many, it leaves them in parts that are to be
// written, and reports so.
func (t *tx) reorder(coll string, slots []slot) (unfinished bool) {
	if len(slots) <= reorderPart {
		for _, s := range slots {
			t.update(coll, s.id, mongodb.Set(mongodb.Is("order_key", s.orderKey)), nil)
		}
		return false
	}
	for n := 0; len(slots) > 0; n++ {
		part := reorderDoc{ID: fmt.Sprintf("%s/%06d", coll, n)}
		k := min(len(slots), reorderPart)
		for _, s := range slots[:k] {
			part.Documents, part.OrderKeys = append(part.Documents, s.id), append(part.OrderKeys, s.orderKey)
		}
		t.insert(reordersColl, part, nil)
		slots = slots[k:]
	}
	t.unfinished = coll
	return true
}

// finishing runs a change that may leave a reorder of the collection unfinished, after one
// that is unfinished has been finished, and then finishes that of the change.
func finishing[T any](ctx context.Context, db *DB, coll string, run func() (v T, unfinished bool, err error)) (v T, err error) {
	for {
		result, unfinished, err := run()
		switch {
		case errors.Is(err, errUnfinished):
			if err := db.finishReorder(ctx, coll); err != nil {
				return v, groupcommit.NotApplied(err)
			}
			continue
		case err == nil && unfinished:
			failpoint.Reach("reorder.accepted")
			if err := db.finishReorder(ctx, coll); err != nil {
				return v, groupcommit.Unknown(err)
			}
		}
		return result, err
	}
}

// finishReorder writes the parts that are left of the reorder of a collection.
func (db *DB) finishReorder(ctx context.Context, coll string) error {
	for {
		done, err := write(ctx, db.engine, func(t *tx) (done bool, err error) { return t.reorderPart(coll) })
		if done || err != nil {
			return err
		}
		failpoint.Reach("reorder.part")
	}
}

// reorderPart writes the next part and removes it, or reports that there is none.
func (t *tx) reorderPart(coll string) (none bool, err error) {
	part, err := oneOrZero[reorderDoc](t, reordersColl, partsOf(coll), options.FindOne().SetSort(mongodb.By("_id")))
	if err != nil || part.ID == "" {
		return err == nil, err
	}
	for i, id := range part.Documents {
		change := mongodb.Set(mongodb.Is("order_key", part.OrderKeys[i]))
		t.update(coll, id, change, nil)
		if coll == agentsColl {
			t.update(deletedAgentsColl, id, change, nil) // whichever has it
		}
	}
	t.remove(reordersColl, part.ID)
	return false, nil
}

// ReorderFinisher finishes reorders that others have left: their processes have died, or
// their requests have ended.
type ReorderFinisher struct {
	db   *DB
	next map[string]string // the id of the next part of each collection, as it was found last
}

// NewReorderFinisher returns one that knows of no reorder yet.
func (db *DB) NewReorderFinisher() *ReorderFinisher {
	return &ReorderFinisher{db, map[string]string{}}
}

// Run finishes reorders of which no part was written since the last call.
func (f *ReorderFinisher) Run(ctx context.Context) error {
	for _, coll := range []string{agentsColl, departmentsColl} {
		part, err := oneOrZero[mongodb.IDDoc](f.db.ask(ctx), reordersColl, partsOf(coll),
			options.FindOne().SetSort(mongodb.By("_id")).SetProjection(mongodb.By("_id")))
		if err != nil {
			return err
		}
		if part.ID != "" && part.ID == f.next[coll] {
			if err := f.db.finishReorder(ctx, coll); err != nil {
				return err
			}
			part.ID = ""
		}
		f.next[coll] = part.ID
	}
	return nil
}
