package mongodb

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"
)

// Waiting is the context of a caller of [mongostore.engine.write], who waits as long as an operation may
// take, and longer while a large change gets on. It ends with the caller's own, too.
type Waiting struct {
	context.Context

	mu    sync.Mutex
	until time.Time
	over  *time.Timer
}

// NewWaiting returns the context of a caller who waits for d. end frees what it holds.
func NewWaiting(ctx context.Context, d time.Duration) (w *Waiting, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	over := time.AfterFunc(d, func() { cancel(context.DeadlineExceeded) })
	return &Waiting{Context: ctx, until: time.Now().Add(d), over: over}, func() { over.Stop(); cancel(nil) }
}

// Deadline implements [context.Context].
func (w *Waiting) Deadline() (time.Time, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if own, ok := w.Context.Deadline(); ok && own.Before(w.until) {
		return own, true
	}
	return w.until, true
}

// Err implements [context.Context].
func (w *Waiting) Err() error {
	if w.Context.Err() == nil {
		return nil
	}
	return context.Cause(w.Context)
}

// Extend has the caller wait for d from now on at least.
func (w *Waiting) Extend(d time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if until := time.Now().Add(d); until.After(w.until) {
		w.until = until
		w.over.Reset(d)
	}
}

// Pause waits before try n+1, longer the more tries there were, and returns an
// error if ctx ends first.
func Pause(ctx context.Context, n int) error {
	least := time.Millisecond << min(n, 5)
	wait := time.NewTimer(least + rand.N(3*least))
	defer wait.Stop()
	select {
	case <-wait.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// CloseTime bounds the closing of a cursor.
const CloseTime = time.Second
