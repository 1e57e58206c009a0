package mongostore

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// dayDoc holds figures. Applied are batches that are among them, all but those
// that have gone; Epoch is raised whenever some leave it.
type dayDoc struct {
	ID      string   `bson:"_id"`
	Epoch   int64    `bson:"epoch"`
	Applied []string `bson:"applied"`
	Figures figures  `bson:"figures"`
}

// maxApplied is how many batches a document remembers before it forgets those
// that have gone.
const maxApplied = 64

// addShares adds the shares of the batch op to their documents, each once.
//
// The order of the three steps is what makes it once: read the epochs; see that
// the batch still owes its shares; add where op is not applied and the epoch is
// as it was. A token leaves a document only after its batch has gone, and that
// raises the epoch. So who comes too late finds the token, no batch, or another
// epoch.
func (db *DB) addShares(ctx context.Context, op string, shares []share) error {
	return retry(ctx, func() (bool, error) {
		days, err := db.daysOf(ctx, shares)
		if err != nil {
			return false, err
		}
		left := slices.DeleteFunc(slices.Clone(shares), func(s share) bool {
			return slices.Contains(days[s.ID].Applied, op)
		})
		if len(left) == 0 {
			return true, nil
		}
		owes, err := db.owes(ctx, op)
		if err != nil || !owes {
			return !owes, err
		}
		if err := db.reach("settle.shares"); err != nil {
			return false, err
		}
		return false, db.updates(ctx, daysColl, additions(op, left, days))
	})
}

func additions(op string, shares []share, days map[string]dayDoc) []mongo.WriteModel {
	models := make([]mongo.WriteModel, len(shares))
	for i, s := range shares {
		models[i] = mongo.NewUpdateOneModel().
			SetFilter(bson.D{is("_id", s.ID), is("epoch", days[s.ID].Epoch), is("applied", bson.D{is("$ne", op)})}).
			SetUpdate(bson.D{is("$inc", s.Figures.increments()), is("$push", bson.D{is("applied", op)})})
	}
	return models
}

// owes reports whether a batch is true and has not been settled.
func (db *DB) owes(ctx context.Context, op string) (bool, error) {
	found, err := db.headOrNil(ctx, home{batchesColl, op})
	return err == nil && found != nil && found.has(op), err
}

// daysOf reads the documents of shares, without figures, and makes those that
// are missing. Documents that remember many batches forget those that have
// gone.
func (db *DB) daysOf(ctx context.Context, shares []share) (map[string]dayDoc, error) {
	days, err := db.readDays(ctx, shares)
	if err != nil {
		return nil, err
	}
	var fresh, full []dayDoc
	for _, s := range shares {
		switch d, ok := days[s.ID]; {
		case !ok:
			fresh = append(fresh, dayDoc{ID: s.ID, Applied: []string{}})
		case len(d.Applied) > maxApplied:
			full = append(full, d)
		}
	}
	pruned, err := db.prune(ctx, full)
	if err != nil || len(fresh) == 0 && !pruned {
		return days, err
	}
	if err := insertAll(ctx, db, daysColl, fresh); err != nil {
		return nil, err
	}
	return db.readDays(ctx, shares)
}

func (db *DB) readDays(ctx context.Context, shares []share) (map[string]dayDoc, error) {
	ids := make([]string, len(shares))
	for i, s := range shares {
		ids[i] = s.ID
	}
	var docs []dayDoc
	opts := options.Find().SetProjection(fields("epoch", "applied"))
	if err := db.all(ctx, db.coll(daysColl), bson.D{in("_id", ids)}, &docs, opts); err != nil {
		return nil, err
	}
	days := make(map[string]dayDoc, len(docs))
	for _, d := range docs {
		days[d.ID] = d
	}
	return days, nil
}

// prune takes the batches out of documents that have gone, and reports whether
// there were any.
func (db *DB) prune(ctx context.Context, full []dayDoc) (bool, error) {
	gone, err := db.goneOf(ctx, full)
	if err != nil {
		return false, err
	}
	var models []mongo.WriteModel
	for _, d := range full {
		applied := slices.DeleteFunc(slices.Clone(d.Applied), func(op string) bool { return !gone[op] })
		if len(applied) == 0 {
			continue
		}
		models = append(models, mongo.NewUpdateOneModel().
			SetFilter(bson.D{is("_id", d.ID), is("epoch", d.Epoch)}).
			SetUpdate(bson.D{is("$pullAll", bson.D{is("applied", applied)}), is("$inc", bson.D{is("epoch", 1)})}))
	}
	return len(models) > 0, db.updates(ctx, daysColl, models)
}

// goneOf returns which of the batches have gone that documents remember. Agents
// are reported of together, so most stand in many documents, and each is looked
// for once. One that a read finds may go now; one that it does not find may be
// missing at a server that wrongly believes it is the primary.
func (db *DB) goneOf(ctx context.Context, days []dayDoc) (map[string]bool, error) {
	gone := map[string]bool{}
	for _, d := range days {
		for _, op := range d.Applied {
			gone[op] = db.gone.has(op)
		}
	}
	unknown := slices.DeleteFunc(slices.Collect(maps.Keys(gone)), func(op string) bool { return gone[op] })
	var there []head
	if len(unknown) > 0 {
		if err := db.all(ctx, db.coll(batchesColl), bson.D{in("_id", unknown)}, &there, options.Find().SetProjection(fields("_id"))); err != nil {
			return nil, err
		}
	}
	unknown = slices.DeleteFunc(unknown, func(op string) bool {
		return slices.ContainsFunc(there, func(h head) bool { return h.ID == op })
	})
	for some := range slices.Chunk(unknown, homesAtOnce) {
		dos := make([]func() error, len(some))
		for i, op := range some {
			dos[i] = func() error { return db.lookFor(ctx, op) }
		}
		if err := together(dos...); err != nil {
			return nil, err
		}
	}
	for _, op := range unknown {
		gone[op] = db.gone.has(op)
	}
	return gone, nil
}

// lookFor notes a batch if it has gone.
func (db *DB) lookFor(ctx context.Context, op string) error {
	err := db.find(ctx, db.strict(batchesColl), byKey(op), fields("_id"), &head{})
	if errors.Is(err, mongo.ErrNoDocuments) {
		db.gone.add(op)
		return nil
	}
	return err
}

// maxGone bounds the batches that a process knows to have gone: some hundred kB.
const maxGone = 8192

// goneBatches are settled batches. None ever comes again. The zero value knows
// none.
type goneBatches struct {
	mu  sync.Mutex
	ops map[string]bool
}

func (g *goneBatches) has(op string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.ops[op]
}

// add notes a batch. When there are too many it begins anew: what it forgets can
// be asked for.
func (g *goneBatches) add(op string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.ops == nil || len(g.ops) >= maxGone {
		g.ops = map[string]bool{}
	}
	g.ops[op] = true
}
