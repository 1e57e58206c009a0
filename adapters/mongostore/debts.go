package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// debt is what a change that is true still owes to other documents. It is
// complete: whoever reads it can pay it, and paying twice does no harm.
type debt struct {
	Op string `bson:"op"`
	At int64  `bson:"at"`
	// Intent is set if the attempt has left an intent.
	Intent  bool        `bson:"intent,omitempty"`
	Version *versionDoc `bson:"version,omitempty"`
	Events  []eventDoc  `bson:"events,omitempty"`
	Audit   *auditDoc   `bson:"audit,omitempty"`
	Receipt *receiptDoc `bson:"receipt,omitempty"`
	// Freed is the name that the agent does not have any more.
	Freed *freedName `bson:"freed,omitempty"`
	// Department is a department made or changed, Dissolved one deleted.
	Department *departmentDoc `bson:"department,omitempty"`
	Dissolved  *dissolved     `bson:"dissolved,omitempty"`
	Order      *order         `bson:"order,omitempty"`
	Tally      *tally         `bson:"tally,omitempty"`
	// Deliver is a delivery to the webhook that is made, or begins anew.
	Deliver *deliveryDoc `bson:"deliver,omitempty"`
}

// isEmpty reports whether nothing is owed.
func (d debt) isEmpty() bool {
	return !d.Intent && d.Version == nil && len(d.Events) == 0 && d.Audit == nil && d.Receipt == nil &&
		d.Freed == nil && d.Department == nil && d.Dissolved == nil && d.Order == nil && d.Tally == nil && d.Deliver == nil
}

// settle pays the debts of a home and takes them out of it.
func (db *DB) settle(ctx context.Context, h home, debts []debt) error {
	for _, d := range debts {
		if err := db.pay(ctx, h, d); err != nil {
			return err
		}
		if err := db.strike(ctx, h, d); err != nil {
			return err
		}
	}
	return nil
}

// strike takes a paid debt out of its home. A batch has no other purpose than
// its debt.
func (db *DB) strike(ctx context.Context, h home, d debt) error {
	if err := db.reach("settle.paid"); err != nil {
		return err
	}
	if d.Tally != nil {
		n, err := db.remove(ctx, h.Coll, byKey(h.ID))
		if err == nil && n == 1 {
			db.gone.add(d.Op)
		}
		return err
	}
	_, err := db.update(ctx, h.Coll, byKey(h.ID),
		bson.D{is("$pull", bson.D{is("pending", bson.D{is("op", d.Op)})})})
	return err
}

// pay pays one debt. The receipt comes behind all that an answer promises, since
// others answer by it. The intent goes last: while it is there, it leads whoever
// finds it here.
func (db *DB) pay(ctx context.Context, h home, d debt) error {
	if d.isEmpty() {
		return nil
	}
	if err := db.reach("settle.begin"); err != nil {
		return err
	}
	if err := together(db.payments(ctx, d)...); err != nil {
		return err
	}
	if len(d.Events) > 0 || d.Tally != nil {
		db.eventsInLine()
	}
	if d.Receipt != nil {
		if err := db.reach("settle.receipt"); err != nil {
			return err
		}
		if err := db.writeReceipt(ctx, d.Op, d.Receipt); err != nil {
			return err
		}
	}
	if !d.Intent {
		return nil
	}
	if err := db.reach("settle.intent"); err != nil {
		return err
	}
	_, err := db.remove(ctx, intentsColl, byKey(d.Op))
	return err
}

// payments are the parts of a debt that may happen in any order.
func (db *DB) payments(ctx context.Context, d debt) []func() error {
	var dos []func() error
	do := func(owed bool, point string, pay func() error) {
		if owed {
			dos = append(dos, func() error {
				if err := db.reach("settle." + point); err != nil {
					return err
				}
				return pay()
			})
		}
	}
	do(d.Version != nil, "version", func() error { return db.ensure(ctx, versionsColl, d.Version) })
	do(len(d.Events) > 0, "events", func() error { return insertAll(ctx, db, eventsColl, d.Events) })
	do(d.Audit != nil, "audit", func() error { return db.ensure(ctx, auditColl, d.Audit) })
	do(d.Freed != nil, "name", func() error { return db.freeName(ctx, *d.Freed) })
	do(d.Department != nil, "department", func() error { return db.putDepartment(ctx, d.Department) })
	do(d.Dissolved != nil, "dissolved", func() error { return db.dropDepartment(ctx, *d.Dissolved) })
	do(d.Order != nil, "order", func() error { return db.putOrder(ctx, d.Order) })
	do(d.Deliver != nil, "delivery", func() error { return db.payDelivery(ctx, d.Op, *d.Deliver) })
	do(d.Tally != nil, "tally", func() error { return db.payTally(ctx, d) })
	return dos
}

// ensure stores a document under its fixed _id; if it is there, it is this one.
func (db *DB) ensure(ctx context.Context, coll string, doc any) error {
	_, err := db.insert(ctx, coll, doc)
	return err
}

// settleHome pays what a home owes, so that a read that follows misses nothing
// that is true.
func (db *DB) settleHome(ctx context.Context, h home) error {
	owed, err := db.pending(ctx, h)
	if err != nil {
		return err
	}
	return db.settle(ctx, h, owed)
}

// pending returns what a home owes, in the order of its changes.
func (db *DB) pending(ctx context.Context, h home) ([]debt, error) {
	var found head
	err := db.find(ctx, db.coll(h.Coll), byKey(h.ID), fields("pending"), &found)
	if errors.Is(err, mongo.ErrNoDocuments) {
		return nil, nil
	}
	return found.Pending, err
}
