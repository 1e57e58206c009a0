package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/name"
	"orgd/domain/receipt"
	"orgd/ports"
)

// attempt is one try to take a home from the state that was read to the next.
// It is used once: who loses makes another one with another token.
type attempt struct {
	home  home
	found *head // as read before anything was reserved; nil if there was none
	op    string
	begun int64

	// What it needs beside its home.
	receipt    *receipt.Receipt
	name       *name.Name // of the agent
	department *name.Name // that an agent comes into
	// seated, unless nil, is told how that writes its name.
	seated func(as name.Name) error

	set   bson.D   // fields of the home
	unset []string // fields of the home that go
	debt  debt
}

// attempt begins a change of a home that was read, or of one that is not there.
func (db *DB) attempt(h home, found *head, note ports.Note) *attempt {
	a := &attempt{home: h, found: found, op: newToken(), begun: db.at(), receipt: note.Receipt}
	a.debt = debt{Op: a.op, At: a.begun}
	a.leave(note)
	return a
}

// leave notes what the change is to leave.
func (a *attempt) leave(note ports.Note) {
	a.debt.Receipt = receiptOf(note.Receipt)
	if note.Audit.ID != "" {
		a.debt.Audit = auditOf(note.Audit)
	}
}

// reserves reports whether the attempt leaves anything behind before it commits.
func (a *attempt) reserves() bool {
	return a.receipt != nil || a.name != nil || a.department != nil
}

// try makes the attempt. False means that the race was lost: nothing has
// changed, and the caller reads again and starts over.
func (db *DB) try(ctx context.Context, a *attempt) (bool, error) {
	if err := db.reserve(ctx, a); err != nil {
		return false, db.withdrawAfter(ctx, a, err)
	}
	if err := db.reach("commit.before"); err != nil {
		return false, err
	}
	won, err := db.commit(ctx, a)
	if err != nil {
		return false, unconfirmed(err)
	}
	if !won {
		return false, db.withdraw(ctx, a)
	}
	if err := db.reach("commit.after"); err != nil {
		return false, err
	}
	if err := db.conclude(ctx, a); err != nil {
		return false, unconfirmed(err) // it is true, but not yet to be seen everywhere
	}
	return true, nil
}

// owed is the debt that the commit leaves: none if it is empty.
func (a *attempt) owed() []debt {
	if a.debt.isEmpty() {
		return []debt{}
	}
	return []debt{a.debt}
}

// reserve makes the reservations, always in the same order, so that attempts
// that wait for each other's are never in a circle.
func (db *DB) reserve(ctx context.Context, a *attempt) error {
	if !a.reserves() {
		return nil
	}
	a.debt.Intent = true
	if err := db.announce(ctx, a); err != nil {
		return err
	}
	if a.receipt != nil {
		if err := db.reach("reserve.receipt"); err != nil {
			return err
		}
		if err := db.reserveReceipt(ctx, a.home, a.op, a.begun, *a.receipt); err != nil {
			return err
		}
	}
	if a.name != nil {
		if err := db.reach("reserve.name"); err != nil {
			return err
		}
		if err := db.claimName(ctx, a); err != nil {
			return db.unlessDepartment(ctx, a, err)
		}
	}
	if a.department != nil {
		if err := db.reach("reserve.department"); err != nil {
			return err
		}
		return db.takeSeat(ctx, a)
	}
	return nil
}

// takeSeat brings the agent into its department, or returns agent.ErrDepartment.
func (db *DB) takeSeat(ctx context.Context, a *attempt) error {
	at, err := db.checkSeat(ctx, *a.department)
	if err != nil {
		return err
	}
	if a.seated != nil {
		as, err := db.nameAt(ctx, at)
		if errors.Is(err, department.ErrNotFound) { // it was deleted since
			return agent.NoDepartment(*a.department)
		}
		if err != nil {
			return err
		}
		if err := a.seated(as); err != nil {
			return err
		}
	}
	a.set = append(a.set, is("department_id", at.ID))
	return nil
}

// unlessDepartment is the error of a name that is taken, unless there is no
// department for the agent either: every store tells that instead.
func (db *DB) unlessDepartment(ctx context.Context, a *attempt, taken error) error {
	if a.seated == nil || !errors.Is(taken, agent.ErrExists) {
		return taken
	}
	if _, err := db.checkSeat(ctx, *a.department); errors.Is(err, agent.ErrDepartment) {
		return err
	}
	return taken
}

// commit writes the home: the change is true if it reports true, and nothing
// has changed if it reports false.
func (db *DB) commit(ctx context.Context, a *attempt) (bool, error) {
	if a.found == nil {
		doc := bson.D{is("_id", a.home.ID), is("rev", int64(1)), is("op", a.op), is("pending", a.owed())}
		won, err := db.insert(ctx, a.home.Coll, append(doc, a.set...))
		if won || err != nil {
			return won, err
		}
		return db.wonBefore(ctx, a)
	}
	change := bson.D{
		is("$set", append(bson.D{is("op", a.op)}, a.set...)),
		is("$inc", bson.D{is("rev", 1)}),
	}
	if unset := a.unsets(); len(unset) > 0 {
		change = append(change, is("$unset", unset))
	}
	if owed := a.owed(); len(owed) > 0 {
		change = append(change, is("$push", bson.D{is("pending", owed[0])}))
	}
	won, err := db.update(ctx, a.home.Coll, a.found.same(), change)
	if won || err != nil {
		return won, err
	}
	return db.wonBefore(ctx, a)
}

func (a *attempt) unsets() bson.D {
	var d bson.D
	for _, field := range a.unset {
		d = append(d, is(field, ""))
	}
	if a.found.Void {
		d = append(d, is("void", ""))
	}
	return d
}

// wonBefore reports whether the driver's first try had written the home and
// only its answer was lost.
func (db *DB) wonBefore(ctx context.Context, a *attempt) (bool, error) {
	now, err := db.headOrNil(ctx, a.home)
	return err == nil && now != nil && (now.Op == a.op || now.has(a.op)), err
}

// withdrawAfter takes the reservations back after a refusal. After an outage it
// leaves that to others: the request has no time left for it.
func (db *DB) withdrawAfter(ctx context.Context, a *attempt, refusal error) error {
	if isOutage(refusal) || isStopped(refusal) {
		return refusal
	}
	if err := db.withdraw(ctx, a); err != nil {
		return errors.Join(refusal, err)
	}
	return refusal
}

// withdraw takes back what an attempt has reserved that never commits.
func (db *DB) withdraw(ctx context.Context, a *attempt) error {
	if !a.reserves() {
		return nil
	}
	return db.clear(ctx, a.intent())
}
