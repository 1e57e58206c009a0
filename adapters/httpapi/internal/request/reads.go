package request

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"orgd/domain/limit"
	bounds "orgd/domain/page"
)

// IsRead reports whether the request changes nothing, so that it may be refused at any
// time before its answer.
func (r *Request) IsRead() bool {
	return r.HTTP.Method == http.MethodGet || r.HTTP.Method == http.MethodHead
}

// subject is whose reads are counted together.
func (r *Request) subject() string {
	if r.Session == nil {
		return ""
	}
	return r.Session.Subject
}

// CountRead counts the bytes of the answer. Later reads of the subject wait for a turn if
// there are many.
func (r *Request) CountRead() {
	r.Env.Turns.Readers.Count(r.subject(), r.Writer.Size(), time.Now())
}

// InTurn calls handle for a read, with a turn if it is likely to be large. If a read
// without a turn is found to be large, it gets one and begins again. The caller releases
// the request.
func (r *Request) InTurn(handle func(*Request) error) error {
	switch r.Env.Turns.Readers.Appetite(r.subject(), r.Started) {
	case limit.Large:
		if err := r.takeTurn(); err != nil {
			return err
		}
	case limit.Unknown:
		r.awaitFirst()
	}
	if !r.held.turn {
		r.ctx = bounds.WithoutTurn(r.ctx)
	}
	err := handle(r)
	if !errors.Is(err, bounds.ErrLarge) || r.held.turn {
		return err
	}
	r.EndTurn()
	if err := r.takeTurn(); err != nil {
		return err
	}
	return handle(r)
}

// firstTime bounds the turn of the first read of a subject. It may wait for a storage
// that does not answer, or never end.
const firstTime = 20 * time.Millisecond

// awaitFirst waits for a turn of the first read of a subject, and goes on without one if
// the wait is too long.
func (r *Request) awaitFirst() {
	ctx, cancel := context.WithTimeout(r.Ctx(), bounds.MaxWait)
	defer cancel()
	if r.Env.Turns.All.Acquire(ctx, 1) == nil {
		r.held.first = sync.OnceFunc(func() { r.Env.Turns.All.Release(1) })
		time.AfterFunc(firstTime, r.held.first)
	}
}

// takeTurn waits for the turn of a large read, or returns [bounds.ErrLarge].
func (r *Request) takeTurn() error {
	if r.held.turn {
		return nil
	}
	ctx, cancel := context.WithTimeoutCause(r.Ctx(), bounds.MaxWait, bounds.ErrLarge.After(bounds.MaxWait))
	defer cancel()
	if err := r.Env.Turns.acquire(ctx); err != nil {
		r.countRefused("turns")
		return context.Cause(ctx)
	}
	r.held.turn = true
	r.ctx = bounds.WithTurn(r.ctx)
	return nil
}

// countRefused counts a read that is refused as a large one: its size is known only
// after most of its work.
func (r *Request) countRefused(limiter string) {
	r.Env.Turns.Readers.Count(r.subject(), bounds.MaxBytes, time.Now())
	r.Env.Turns.Denied(limiter)
}

// pause ends the turn while a part of the answer is sent, which may take as long as the
// client wants. resume waits for another one.
func (r *Request) pause() (resume func(context.Context) error) {
	if !r.held.turn {
		return func(context.Context) error { return nil }
	}
	r.EndTurn()
	return func(ctx context.Context) error {
		err := r.Env.Turns.acquire(ctx)
		r.held.turn = err == nil
		return err
	}
}

// EndTurn ends the turn of the request, if it has one.
func (r *Request) EndTurn() {
	if r.held.first != nil {
		r.held.first()
	}
	if r.held.turn {
		r.Env.Turns.release()
		r.held.turn = false
	}
}

// enterLong begins an answer that is sent while it is made. The answer of a change is
// never refused.
func (r *Request) enterLong() error {
	if !r.IsRead() {
		return nil
	}
	leave, refused := r.Env.Turns.Long.Enter(string(r.Route.Op), r.subject())
	if refused != nil {
		r.countRefused("long_answers")
		return refused.Err()
	}
	r.held.leave = leave
	return r.takeTurn()
}

// Release ends the turn and the long answer of the request.
func (r *Request) Release() {
	r.EndTurn()
	if r.held.leave != nil {
		r.held.leave()
	}
}
