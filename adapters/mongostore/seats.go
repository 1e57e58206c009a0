package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/domain/agent"
	"orgd/domain/name"
)

// closingAge is how long, in milliseconds, a department may be in the state of
// being deleted before somebody else opens it again.
const closingAge = 5000

// checkSeat returns the seat of a department if an agent may come into it now.
// Its caller has announced itself before: whoever deletes the department from
// now on sees him.
func (db *DB) checkSeat(ctx context.Context, department name.Name) (at seat, err error) {
	err = retry(ctx, func() (bool, error) {
		found, err := db.readSeat(ctx, db.strict(companyColl), department.Key)
		if err != nil {
			return false, err
		}
		switch {
		case found == nil:
			return false, agent.NoDepartment(department)
		case found.Closing == nil:
			at = *found
			return true, nil
		case db.at()-found.Closing.At < closingAge:
			return false, agent.ErrDepartment.With("department: %q is being deleted", department.Text)
		}
		return false, db.reopen(ctx, found.Closing.Op)
	})
	return at, err
}

// readSeat reads one seat of the company, or nil.
func (db *DB) readSeat(ctx context.Context, from *mongo.Collection, department name.Key) (*seat, error) {
	// Not $elemMatch: not every server that speaks the protocol survives it in a
	// projection.
	only := bson.D{is("$filter", bson.D{
		is("input", "$seats"), is("cond", bson.D{is("$eq", bson.A{"$$this.key", bson.D{is("$literal", string(department))}})}),
	})}
	var d companyDoc
	if err := db.find(ctx, from, byKey(companyID), bson.D{is("seats", only)}, &d); err != nil {
		return nil, missing(err)
	}
	return d.seat(department), nil
}

// nameAt returns the name of the department of a seat.
func (db *DB) nameAt(ctx context.Context, at seat) (name.Name, error) {
	if at.Name != "" {
		return name.Name{Text: at.Name, Key: name.Key(at.Key)}, nil
	}
	if err := db.settleHome(ctx, companyHome); err != nil { // which may owe the department
		return name.Name{}, err
	}
	d, err := db.departmentAt(ctx, at)
	return d.Name, err
}

// closeSeat marks the seat of a department, so that nobody can come into it, as
// long as the company is as it was read.
func (db *DB) closeSeat(ctx context.Context, d companyDoc, key name.Key, op string) error {
	filter := append(d.Head.same(), is("seats.key", string(key)))
	_, err := db.update(ctx, companyColl, filter, bson.D{
		is("$set", bson.D{is("seats.$.closing", closing{Op: op, At: db.at()})}),
		is("$inc", bson.D{is("rev", 1)}),
	})
	return err
}

// reopen takes the mark of a deletion back. It raises the company's rev, so the
// deletion cannot commit any more.
func (db *DB) reopen(ctx context.Context, op string) error {
	_, err := db.update(ctx, companyColl, bson.D{is("_id", companyID), is("seats.closing.op", op)}, bson.D{
		is("$unset", bson.D{is("seats.$.closing", "")}),
		is("$inc", bson.D{is("rev", 1)}),
	})
	return err
}

// reopenSeats takes back the marks of deletions that have died.
func (db *DB) reopenSeats(ctx context.Context) error {
	filter := bson.D{is("_id", companyID), is("seats.closing.at", bson.D{is("$lt", db.at()-closingAge)})}
	var found []companyDoc
	if err := db.all(ctx, db.coll(companyColl), filter, &found); err != nil || len(found) == 0 {
		return err
	}
	for _, s := range found[0].Seats {
		if s.Closing != nil && db.at()-s.Closing.At >= closingAge {
			if err := db.reopen(ctx, s.Closing.Op); err != nil {
				return err
			}
		}
	}
	return nil
}
