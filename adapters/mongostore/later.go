package mongostore

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// laterAtMost bounds the changes that are settled behind their answers at once.
// When there are more, the answer of the next one waits until it is settled: so
// a process never owes more than the server takes.
const laterAtMost = 32

// later settles changes behind their answers. The zero value has no room for any.
type later struct {
	room    chan struct{} // has an element for each that is being settled
	mu      sync.Mutex
	closed  bool // nothing begins any more
	running sync.WaitGroup
}

func newLater() later { return later{room: make(chan struct{}, laterAtMost)} }

// do does something behind the answer, or reports false if there is no room.
func (l *later) do(work func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return false
	}
	select {
	case l.room <- struct{}{}:
	default:
		return false
	}
	l.running.Go(func() {
		defer func() { <-l.room }()
		work()
	})
	return true
}

// close begins nothing more, and waits for what was begun.
func (l *later) close(ctx context.Context) {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.wait(ctx)
}

// wait waits until all is done that was begun, at most until ctx ends.
func (l *later) wait(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		l.running.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// urgent reports whether an answer has to wait until the change is settled. Who
// reads figures does not look whether some are owed, workers look for deliveries
// that are there, and everybody who reads the company would settle it.
func (a *attempt) urgent() bool {
	return a.home == companyHome || a.debt.Tally != nil || a.debt.Deliver != nil
}

// conclude settles a change that is true: behind the answer if it is not urgent
// and there is room. Who reads what it owes settles it before.
func (db *DB) conclude(ctx context.Context, a *attempt) error {
	if a.debt.isEmpty() {
		return nil
	}
	if !a.urgent() && db.later.do(func() { db.settleLater(ctx, a) }) {
		return nil
	}
	return db.settleUpTo(ctx, a)
}

// settleUpTo settles a change behind those that its home owed before: so the
// events of a home enter the log in the order of its changes.
func (db *DB) settleUpTo(ctx context.Context, a *attempt) error {
	if a.found == nil || len(a.found.Pending) == 0 {
		return db.settle(ctx, a.home, a.owed())
	}
	now, err := db.pending(ctx, a.home)
	if err != nil {
		return err
	}
	own := slices.IndexFunc(now, func(d debt) bool { return d.Op == a.op }) // -1 if somebody has settled it
	return db.settle(ctx, a.home, now[:own+1])
}

// settleLater settles a change whose request has its answer. What fails stays
// owed, and so does what panics: Sweep comes to it, and there it is reported.
func (db *DB) settleLater(ctx context.Context, a *attempt) {
	defer func() { _ = recover() }()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), 2*db.timeout)
	defer cancel()
	_ = db.settleUpTo(ctx, a)
}

// awaitAgents waits until the events that agents owe now are settled.
func (db *DB) awaitAgents(ctx context.Context) error {
	return db.await(ctx, wanted{
		coll: agentsColl, filter: owes(), concerns: func(d debt) bool { return len(d.Events) > 0 },
		patience: batchesAge * time.Millisecond,
	})
}

// awaitBatches waits until batches of reports are paid that are true and may have
// been left half settled, so that nobody sees their events without their figures.
func (db *DB) awaitBatches(ctx context.Context) error {
	return db.await(ctx, wanted{
		coll: batchesColl, filter: owesSince(db.at() - batchesAge), concerns: func(debt) bool { return true },
		atMost: sweepAtOnce,
	})
}

// wanted are debts that a reader wants to see settled.
type wanted struct {
	coll     string
	filter   bson.D
	concerns func(debt) bool
	atMost   int64         // homes that the reader settles at once; 0 for all
	patience time.Duration // before the reader does something about it himself
}

// await waits until the debts are settled that are owed now. Those who owe them
// are at it, and if every reader did so too, the server would be asked for the
// same again and again while it has most to do: so it is one at a time.
func (db *DB) await(ctx context.Context, w wanted) error {
	var owed map[string]bool
	begun := time.Now()
	return retry(ctx, func() (bool, error) {
		now, err := db.owed(ctx, w)
		if err != nil {
			return false, err
		}
		if owed == nil {
			owed = now
		}
		maps.DeleteFunc(owed, func(op string, _ bool) bool { return !now[op] })
		switch {
		case len(owed) == 0:
			return true, nil
		case time.Since(begun) >= w.patience && db.impatient.TryLock():
			defer db.impatient.Unlock()
			return false, db.settleSome(ctx, w.coll, w.filter, w.atMost)
		}
		return false, nil
	})
}

// owed returns the tokens of all changes that owe what is wanted.
func (db *DB) owed(ctx context.Context, w wanted) (map[string]bool, error) {
	var owing []head
	opts := options.Find().SetProjection(fields("pending.op", "pending.events._id"))
	if err := db.all(ctx, db.coll(w.coll), w.filter, &owing, opts); err != nil {
		return nil, err
	}
	ops := map[string]bool{}
	for _, h := range owing {
		for _, d := range h.Pending {
			if w.concerns(d) {
				ops[d.Op] = true
			}
		}
	}
	return ops, nil
}
