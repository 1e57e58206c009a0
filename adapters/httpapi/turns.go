package httpapi

import (
	"context"
	"net/http"
	"runtime"
	"time"

	"golang.org/x/sync/semaphore"

	"orgd/domain/limit"
	bounds "orgd/domain/page"
)

// turns let one read fewer run at once than there are processors, of those that take
// much. The last processor is for everybody else.
type turns struct{ *semaphore.Weighted }

func newTurns() turns { return turns{semaphore.NewWeighted(int64(max(1, runtime.GOMAXPROCS(0)-1)))} }

// shares are what an exchange has of what others wait for.
type shares struct {
	turn  bool
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

// awaitTurn has a read wait if its subject has read much.
func (x *exchange) awaitTurn() error {
	if !x.isRead() || x.route.long || !x.server.readers.HasMuch(x.reader(), x.started) {
		return nil
	}
	return x.takeTurn()
}

// takeTurn waits until the request may use a processor for long, up to
// [limit.TurnPatience].
func (x *exchange) takeTurn() error {
	if x.shares.turn {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(x.ctx(), limit.TurnPatience, limit.ErrTurn)
	defer cancel()
	if err := x.server.turns.Acquire(ctx, 1); err != nil {
		x.server.parts.Metrics.LimiterDecision("turns", "denied")
		return context.Cause(ctx)
	}
	x.shares.turn = true
	return nil
}

// pause gives the turn back while the answer is sent, which may take as long as the
// client wants. What it returns takes it again.
func (x *exchange) pause() (resume func(context.Context) error) {
	if !x.shares.turn {
		return func(context.Context) error { return nil }
	}
	x.giveTurn()
	return func(ctx context.Context) error {
		err := x.server.turns.Acquire(ctx, 1)
		x.shares.turn = err == nil
		return err
	}
}

func (x *exchange) giveTurn() {
	if x.shares.turn {
		x.server.turns.Release(1)
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
		x.server.readers.Count(x.reader(), bounds.MaxBytes, time.Now()) // it took as much to find that out
		x.server.parts.Metrics.LimiterDecision("long_answers", "denied")
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
