package httpapi

import (
	"context"
	"errors"
	"net/http"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"orgd/domain/limit"
	bounds "orgd/domain/page"
)

// turns are waited for by reads that are or may be large, so that small ones need not
// wait for them. One fewer has a turn at once than there are processors: the last one is
// for everybody else.
type turns struct {
	// large have those who read much, before they wait for one of all. So there are no more
	// of them before anybody else than have turns.
	large, all *semaphore.Weighted
}

func newTurns() turns {
	n := int64(max(1, runtime.GOMAXPROCS(0)-1))
	return turns{semaphore.NewWeighted(n), semaphore.NewWeighted(n)}
}

// acquire waits for the turn of somebody who reads much.
func (t turns) acquire(ctx context.Context) error {
	if err := t.large.Acquire(ctx, 1); err != nil {
		return err
	}
	err := t.all.Acquire(ctx, 1)
	if err != nil {
		t.large.Release(1)
	}
	return err
}

func (t turns) release() {
	t.all.Release(1)
	t.large.Release(1)
}

// shares are what an exchange has of what others wait for.
type shares struct {
	first func() // gives back the turn of somebody of whom nothing is known, if it has one
	turn  bool   // that of somebody who reads much
	leave func() // its place among the long answers, if it has one
}

// isRead reports whether the request changes nothing, so that it may be refused at any
// time before its answer.
func (x *exchange) isRead() bool {
	return x.Request.Method == http.MethodGet || x.Request.Method == http.MethodHead
}

// reader is whose reads are counted together.
func (x *exchange) reader() string {
	if x.session == nil {
		return ""
	}
	return x.session.Subject
}

// inTurn hands a read to its handler, with a turn if it is likely to be large. If one
// turns out to be large that has no turn, it gets one and begins again.
func (x *exchange) inTurn() error {
	switch x.server.readers.Appetite(x.reader(), x.started) {
	case limit.Large:
		if err := x.takeTurn(); err != nil {
			return err
		}
	case limit.Unknown:
		x.awaitFirst()
	}
	if !x.shares.turn {
		x.Request = x.Request.WithContext(bounds.WithoutTurn(x.ctx()))
	}
	err := x.handle()
	if !errors.Is(err, bounds.ErrLarge) || x.shares.turn {
		return err
	}
	x.giveTurn()
	if err := x.takeTurn(); err != nil {
		return err
	}
	return x.handle()
}

// firstTime is how long the first read of a subject keeps others waiting at most. It may
// wait for a storage that does not answer, or never end.
const firstTime = 20 * time.Millisecond

// awaitFirst waits for a turn of those of whom nothing is known, and goes on without one
// if there are too many.
func (x *exchange) awaitFirst() {
	ctx, cancel := context.WithTimeout(x.ctx(), bounds.Patience)
	defer cancel()
	if x.server.turns.all.Acquire(ctx, 1) == nil {
		x.shares.first = sync.OnceFunc(func() { x.server.turns.all.Release(1) })
		time.AfterFunc(firstTime, x.shares.first)
	}
}

// takeTurn waits until the request may use a processor for long.
func (x *exchange) takeTurn() error {
	if x.shares.turn {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(x.ctx(), bounds.Patience, bounds.ErrLarge.After(bounds.Patience))
	defer cancel()
	if err := x.server.turns.acquire(ctx); err != nil {
		x.refuse("turns")
		return context.Cause(ctx)
	}
	x.shares.turn = true
	x.Request = x.Request.WithContext(bounds.WithTurn(x.ctx()))
	return nil
}

// refuse notes that the request is refused. It counts as one that reads much: to find
// that out has taken as much as an answer that is not small.
func (x *exchange) refuse(what string) {
	x.server.readers.Count(x.reader(), bounds.MaxBytes, time.Now())
	x.server.parts.Metrics.LimiterDecision(what, "denied")
}

// pause gives the turn back while the answer is sent, which may take as long as the
// client wants. What it returns takes it again.
func (x *exchange) pause() (resume func(context.Context) error) {
	if !x.shares.turn {
		return func(context.Context) error { return nil }
	}
	x.giveTurn()
	return func(ctx context.Context) error {
		err := x.server.turns.acquire(ctx)
		x.shares.turn = err == nil
		return err
	}
}

// giveTurn gives back what turn the request has.
func (x *exchange) giveTurn() {
	if x.shares.first != nil {
		x.shares.first()
	}
	if x.shares.turn {
		x.server.turns.release()
		x.shares.turn = false
	}
}

// enterLong begins an answer that is sent while it is made. One that tells of a change
// is always let in.
func (x *exchange) enterLong() error {
	if !x.isRead() {
		return nil
	}
	leave, refused := x.server.longAnswers.Enter(string(x.route.op), x.reader())
	if refused != nil {
		x.refuse("long_answers")
		return refused.Err()
	}
	x.shares.leave = leave
	return x.takeTurn()
}

// giveBack ends what the exchange has of all this.
func (x *exchange) giveBack() {
	x.giveTurn()
	if x.shares.leave != nil {
		x.shares.leave()
	}
}
