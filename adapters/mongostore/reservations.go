package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/domain/name"
	"orgd/domain/receipt"
)

// receiptDoc is a receipt or, until Done, the reservation of its key by the
// attempt Op on Home.
type receiptDoc struct {
	Key         string `bson:"_id"`
	Op          string `bson:"op"`
	Home        home   `bson:"home"`
	Begun       int64  `bson:"begun"`
	Done        bool   `bson:"done"`
	Fingerprint string `bson:"fingerprint"`
	At          int64  `bson:"at"`
	// Departments are keys.
	Departments []string `bson:"departments,omitempty"`
	HasReply    bool     `bson:"has_reply"`
	Status      int      `bson:"status"`
	Body        []byte   `bson:"body"`
	ETag        string   `bson:"etag"`
	Location    string   `bson:"location"`
}

func receiptOf(r *receipt.Receipt) *receiptDoc {
	if r == nil {
		return nil
	}
	d := &receiptDoc{Key: string(r.Key), Done: true, Fingerprint: r.Fingerprint, At: millis(r.At)}
	for _, k := range r.Departments {
		d.Departments = append(d.Departments, string(k))
	}
	if r.Reply != nil {
		d.HasReply, d.Status, d.Body = true, r.Reply.Status, r.Reply.Body
		d.ETag, d.Location = r.Reply.ETag, r.Reply.Location
	}
	return d
}

func (d receiptDoc) receipt() *receipt.Receipt {
	r := &receipt.Receipt{Key: receipt.Key(d.Key), Fingerprint: d.Fingerprint, At: fromMillis(d.At)}
	for _, k := range d.Departments {
		r.Departments = append(r.Departments, name.Key(k))
	}
	if d.HasReply {
		r.Reply = &receipt.Reply{Status: d.Status, Body: d.Body, ETag: d.ETag, Location: d.Location}
	}
	return r
}

// isOver reports whether the receipt has had its time.
func (d receiptDoc) isOver(now time.Time) bool { return d.At < millis(now.Add(-receipt.Kept)) }

// reserveReceipt reserves the key of a receipt for an attempt, or returns
// receipt.ErrRunning.
func (db *DB) reserveReceipt(ctx context.Context, h home, op string, begun int64, r receipt.Receipt) error {
	mine := receiptDoc{Key: string(r.Key), Op: op, Home: h, Begun: begun, At: millis(r.At), Body: []byte{}}
	return retry(ctx, func() (bool, error) {
		stored, err := db.insert(ctx, receiptsColl, mine)
		if stored || err != nil {
			return stored, err
		}
		var held receiptDoc
		err = db.find(ctx, db.strict(receiptsColl), byKey(mine.Key), nil, &held)
		if errors.Is(err, mongo.ErrNoDocuments) {
			return false, nil
		}
		if err != nil || held.Op == op {
			return held.Op == op, err
		}
		return db.takeOver(ctx, held, mine, r)
	})
}

// takeOver takes a key from a receipt that is over, or from an attempt that
// never commits.
func (db *DB) takeOver(ctx context.Context, held, mine receiptDoc, r receipt.Receipt) (bool, error) {
	if held.Done && !held.isOver(r.At) {
		return false, receipt.ErrRunning
	}
	if !held.Done {
		v, err := db.decide(ctx, held.Home, held.Op, held.Begun, false)
		if err != nil || v != fenced {
			return false, err
		}
	}
	return db.update(ctx, receiptsColl,
		bson.D{is("_id", held.Key), is("op", held.Op), is("done", held.Done), is("at", held.At)},
		set(is("op", mine.Op), is("home", mine.Home), is("begun", mine.Begun), is("done", false), is("at", mine.At)))
}

// writeReceipt makes the reservation of the attempt op the receipt itself.
func (db *DB) writeReceipt(ctx context.Context, op string, r *receiptDoc) error {
	_, err := db.update(ctx, receiptsColl, bson.D{is("_id", r.Key), is("op", op)},
		set(is("done", true), is("fingerprint", r.Fingerprint), is("at", r.At), is("departments", r.Departments), is("has_reply", r.HasReply),
			is("status", r.Status), is("body", r.Body), is("etag", r.ETag), is("location", r.Location)))
	return err
}

// dropReservation gives the key of an attempt back that never commits.
func (db *DB) dropReservation(ctx context.Context, key, op string) error {
	_, err := db.remove(ctx, receiptsColl, bson.D{is("_id", key), is("op", op), is("done", false)})
	return err
}

// leaveReceipt stores the receipt of a step without effect: it is all that the
// step changes, so it is its own commit.
func (db *DB) leaveReceipt(ctx context.Context, r *receipt.Receipt) error {
	if r == nil {
		return nil
	}
	op := newToken()
	if err := db.reserveReceipt(ctx, home{}, op, db.at(), *r); err != nil {
		return err
	}
	if err := db.reach("receipt.alone"); err != nil {
		return err
	}
	return db.writeReceipt(ctx, op, receiptOf(r))
}
