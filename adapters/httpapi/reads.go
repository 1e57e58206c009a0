package httpapi

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"orgd/domain/limit"
	bounds "orgd/domain/page"
)

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

// countRead counts the bytes of the answer, for the reads of the same subject after it.
func (x *exchange) countRead() {
	x.env.turns.readers.Count(x.reader(), x.Writer.Size(), time.Now())
}

// inTurn hands a read to its handler, with a turn if it is likely to be large. If one
// turns out to be large that has no turn, it gets one and begins again.
func (x *exchange) inTurn(handle func(*exchange) error) error {
	switch x.env.turns.readers.Appetite(x.reader(), x.started) {
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
	err := handle(x)
	if !errors.Is(err, bounds.ErrLarge) || x.shares.turn {
		return err
	}
	x.giveTurn()
	if err := x.takeTurn(); err != nil {
		return err
	}
	return handle(x)
}

// firstTime is how long the first read of a subject keeps others waiting at most. It may
// wait for a storage that does not answer, or never end.
const firstTime = 20 * time.Millisecond

// awaitFirst waits for a turn of those of whom nothing is known, and goes on without one
// if there are too many.
func (x *exchange) awaitFirst() {
	ctx, cancel := context.WithTimeout(x.ctx(), bounds.Patience)
	defer cancel()
	if x.env.turns.all.Acquire(ctx, 1) == nil {
		x.shares.first = sync.OnceFunc(func() { x.env.turns.all.Release(1) })
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
	if err := x.env.turns.acquire(ctx); err != nil {
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
	x.env.turns.readers.Count(x.reader(), bounds.MaxBytes, time.Now())
	x.env.turns.denied(what)
}

// pause gives the turn back while the answer is sent, which may take as long as the
// client wants. What it returns takes it again.
func (x *exchange) pause() (resume func(context.Context) error) {
	if !x.shares.turn {
		return func(context.Context) error { return nil }
	}
	x.giveTurn()
	return func(ctx context.Context) error {
		err := x.env.turns.acquire(ctx)
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
		x.env.turns.release()
		x.shares.turn = false
	}
}

// enterLong begins an answer that is sent while it is made. One that tells of a change
// is always let in.
func (x *exchange) enterLong() error {
	if !x.isRead() {
		return nil
	}
	leave, refused := x.env.turns.long.Enter(string(x.route.op), x.reader())
	if refused != nil {
		x.refuse("long_answers")
		return refused.Err()
	}
	x.shares.leave = leave
	return x.takeTurn()
}

// release ends what the exchange has of all this.
func (x *exchange) release() {
	x.giveTurn()
	if x.shares.leave != nil {
		x.shares.leave()
	}
}
