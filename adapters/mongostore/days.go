package mongostore

import (
	"context"
	"errors"
	"slices"

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
	var fresh []dayDoc
	for _, s := range shares {
		d, ok := days[s.ID]
		if !ok {
			fresh = append(fresh, dayDoc{ID: s.ID, Applied: []string{}})
		}
		if len(d.Applied) > maxApplied {
			if err := db.prune(ctx, d); err != nil {
				return nil, err
			}
		}
	}
	if len(fresh) > 0 {
		if err := insertAll(ctx, db, daysColl, fresh); err != nil {
			return nil, err
		}
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

// prune takes the batches out of a document that have gone.
func (db *DB) prune(ctx context.Context, d dayDoc) error {
	gone := []string{}
	for _, op := range d.Applied {
		err := db.find(ctx, db.strict(batchesColl), byKey(op), fields("_id"), &head{})
		switch {
		case errors.Is(err, mongo.ErrNoDocuments):
			gone = append(gone, op)
		case err != nil:
			return err
		}
	}
	_, err := db.update(ctx, daysColl, bson.D{is("_id", d.ID), is("epoch", d.Epoch)}, bson.D{
		is("$pullAll", bson.D{is("applied", gone)}),
		is("$inc", bson.D{is("epoch", 1)}),
	})
	return err
}
