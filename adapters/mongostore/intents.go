package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/name"
)

// intent says what an attempt is about to reserve, so that somebody can clear
// it away if the process dies, and so that who deletes a department sees who is
// coming into it.
type intent struct {
	Op         string `bson:"_id"`
	Home       home   `bson:"home"`
	At         int64  `bson:"at"`
	Receipt    string `bson:"receipt,omitempty"`
	Name       string `bson:"name,omitempty"`
	Department string `bson:"department,omitempty"`
}

func (a *attempt) intent() intent {
	i := intent{Op: a.op, Home: a.home, At: a.begun}
	if a.receipt != nil {
		i.Receipt = string(a.receipt.Key)
	}
	if a.name != nil {
		i.Name = string(a.name.Key)
	}
	if a.department != nil {
		i.Department = string(a.department.Key)
	}
	return i
}

func (db *DB) announce(ctx context.Context, a *attempt) error {
	if err := db.reach("reserve.intent"); err != nil {
		return err
	}
	return db.ensure(ctx, intentsColl, a.intent())
}

// clear removes what an attempt has reserved that never commits, or that was
// settled.
func (db *DB) clear(ctx context.Context, i intent) error {
	var dos []func() error
	if i.Receipt != "" {
		dos = append(dos, func() error { return db.dropReservation(ctx, i.Receipt, i.Op) })
	}
	if i.Name != "" {
		dos = append(dos, func() error { return db.dropClaim(ctx, i) })
	}
	if i.Home.Coll == batchesColl {
		dos = append(dos, func() error { return db.dropBatch(ctx, i.Op) })
	}
	if err := together(dos...); err != nil {
		return err
	}
	_, err := db.remove(ctx, intentsColl, byKey(i.Op))
	return err
}

// resolve finds out what became of an intent: it is settled, or fenced and
// cleared. It reports false if the attempt may still be under way.
func (db *DB) resolve(ctx context.Context, i intent, impatient bool) (bool, error) {
	v, err := db.decide(ctx, i.Home, i.Op, i.At, impatient)
	if err != nil || v == wait {
		return false, err
	}
	if v == fenced {
		return true, db.clear(ctx, i)
	}
	err = db.find(ctx, db.coll(intentsColl), byKey(i.Op), nil, &intent{})
	if errors.Is(err, mongo.ErrNoDocuments) {
		return true, nil
	}
	return false, err
}

// resolveArrivals fences every attempt that is under way to bring an agent into
// a department, and settles those that have done so.
func (db *DB) resolveArrivals(ctx context.Context, department name.Key) error {
	return retry(ctx, func() (bool, error) {
		var coming []intent
		filter := bson.D{is("department", string(department))}
		if err := db.all(ctx, db.strict(intentsColl), filter, &coming, options.Find().SetLimit(100)); err != nil {
			return false, err
		}
		for _, i := range coming {
			if _, err := db.resolve(ctx, i, true); err != nil {
				return false, err
			}
		}
		return len(coming) == 0, nil
	})
}
