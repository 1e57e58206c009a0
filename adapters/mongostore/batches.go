package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/ports"
)

// batch is one attempt to append reports.
type batch struct {
	db      *DB
	attempt *attempt
	reports []ports.Report // each id once
	total   int            // with those that stand in the batch twice
	fresh   []ports.Report // those whose events this attempt has stored
	seal    func(ports.Counted) ports.Note
}

func (db *DB) batch(reports []ports.Report, seal func(ports.Counted) ports.Note) *batch {
	op := newToken()
	a := &attempt{home: home{batchesColl, op}, op: op, begun: db.at()}
	a.debt = debt{Op: op, At: a.begun, Intent: true}
	b := &batch{db: db, attempt: a, total: len(reports), seal: seal}
	seen := make(map[string]bool, len(reports))
	for _, r := range reports {
		if id := string(r.Event.ID); !seen[id] {
			seen[id] = true
			b.reports = append(b.reports, r)
		}
	}
	return b
}

func (b *batch) counted() ports.Counted {
	return ports.Counted{Accepted: len(b.fresh), Duplicates: b.total - len(b.fresh)}
}

// try makes the attempt. False means that another batch stood in the way.
func (b *batch) try(ctx context.Context) (bool, error) {
	ready, err := b.reserve(ctx)
	if err != nil {
		return false, b.db.withdrawBatch(ctx, b.attempt, err)
	}
	if !ready {
		return false, b.db.clear(ctx, b.attempt.intent())
	}
	if len(b.fresh) == 0 && b.attempt.receipt == nil {
		return true, b.db.clear(ctx, b.attempt.intent())
	}
	if err := b.db.reach("commit.before"); err != nil {
		return false, err
	}
	won, err := b.db.commit(ctx, b.attempt)
	if err != nil {
		return false, unconfirmed(err)
	}
	if !won { // fenced
		return false, b.db.clear(ctx, b.attempt.intent())
	}
	if err := b.db.reach("commit.after"); err != nil {
		return false, err
	}
	return true, unconfirmed(b.db.settle(ctx, b.attempt.home, b.attempt.owed()))
}

// reserve stores the events, which nobody sees yet, and what else the batch
// needs. False means to start over.
func (b *batch) reserve(ctx context.Context) (bool, error) {
	a := b.attempt
	a.receipt = b.seal(ports.Counted{}).Receipt // for its key
	if err := b.db.announce(ctx, a); err != nil {
		return false, err
	}
	if a.receipt != nil {
		if err := b.db.reach("reserve.receipt"); err != nil {
			return false, err
		}
		if err := b.db.reserveReceipt(ctx, a.home, a.op, a.begun, *a.receipt); err != nil {
			return false, err
		}
	}
	if err := b.db.reach("reserve.events"); err != nil {
		return false, err
	}
	if ready, err := b.store(ctx); err != nil || !ready {
		return false, err
	}
	t := tallyOf(b.fresh)
	t.After = b.db.seen.Load()
	a.debt.Tally = &t
	note := b.seal(b.counted())
	a.receipt = note.Receipt
	a.debt.Receipt = receiptOf(a.receipt)
	if len(b.fresh) > 0 {
		a.debt.Audit = auditOf(note.Audit)
	}
	if !t.Costs {
		return true, nil
	}
	if err := b.db.reach("reserve.costs"); err != nil {
		return false, err
	}
	return true, b.db.announceCosts(ctx, a.op)
}

// store stores the events that are new. False means that another batch has
// some of them and goes first.
func (b *batch) store(ctx context.Context) (bool, error) {
	var ids []string
	docs := make(map[string]eventDoc, len(b.reports))
	for i, r := range b.reports {
		d := eventOf(r.Event, r.Department)
		d.Open, d.Nth = b.attempt.op, i
		ids, docs[d.ID] = append(ids, d.ID), d
	}
	for n := 0; ; n++ {
		held, err := b.db.heldBy(ctx, ids)
		if err != nil {
			return false, err
		}
		var missing []eventDoc
		for _, id := range ids {
			if _, ok := held[id]; !ok {
				missing = append(missing, docs[id])
			}
		}
		if len(missing) > 0 {
			if err := insertAll(ctx, b.db, eventsColl, missing); err != nil {
				return false, err
			}
			continue // to see who has them
		}
		other := b.keep(held)
		if other == "" {
			return true, nil
		}
		if first, err := b.goesFirst(ctx, other); err != nil || !first {
			return false, err
		}
		if err := pause(ctx, n); err != nil {
			return false, busy(err)
		}
	}
}

// heldBy tells for each id that is stored which batch has it; "" for an event
// that counts.
func (db *DB) heldBy(ctx context.Context, ids []string) (map[string]string, error) {
	var docs []eventDoc
	opts := options.Find().SetProjection(fields("open")).SetBatchSize(int32(max(len(ids), 1)))
	if err := db.all(ctx, db.coll(eventsColl), bson.D{in("_id", ids)}, &docs, opts); err != nil {
		return nil, err
	}
	held := make(map[string]string, len(docs))
	for _, d := range docs {
		held[d.ID] = d.Open
	}
	return held, nil
}

// keep notes which events are this batch's own, and returns another batch that
// holds one of the rest, if there is one.
func (b *batch) keep(held map[string]string) (other string) {
	b.fresh = b.fresh[:0]
	for _, r := range b.reports {
		switch op := held[string(r.Event.ID)]; op {
		case "":
		case b.attempt.op:
			b.fresh = append(b.fresh, r)
		default:
			other = op
		}
	}
	return other
}

// goesFirst finds out what another batch that holds our events is up to. False
// means that both are under way and the other goes first.
func (b *batch) goesFirst(ctx context.Context, other string) (bool, error) {
	i := intent{Op: other, Home: home{batchesColl, other}, At: b.attempt.begun}
	var left []intent
	if err := b.db.all(ctx, b.db.coll(intentsColl), byKey(other), &left); err != nil {
		return false, err
	}
	if len(left) == 1 {
		i = left[0]
	}
	v, err := b.db.decide(ctx, i.Home, other, i.At, len(left) == 0)
	switch {
	case err != nil:
		return false, err
	case v == fenced:
		return true, b.db.clear(ctx, i)
	}
	return v == again || b.attempt.op < other, nil
}

// dropBatch takes the events of a batch back that never commits. Those of one
// that was settled are not open any more.
func (db *DB) dropBatch(ctx context.Context, op string) error {
	_, err := db.remove(ctx, eventsColl, bson.D{is("open", op)})
	return errors.Join(err, db.withdrawCosts(ctx, op))
}

// withdrawBatch takes back what a refused batch has reserved.
func (db *DB) withdrawBatch(ctx context.Context, a *attempt, refusal error) error {
	if isOutage(refusal) || isStopped(refusal) {
		return refusal
	}
	if err := db.clear(ctx, a.intent()); err != nil {
		return errors.Join(refusal, err)
	}
	return refusal
}
