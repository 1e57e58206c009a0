// Package groupcommit hands the changes of many callers to one writer, which commits
// together what waits. Each caller is answered for its own change: it may leave, be
// refused or panic without harm to the others.
package groupcommit

import (
	"context"
	"errors"
	"sync"
	"time"

	"orgd/domain/fault"
	"orgd/ports"
)

// retryAfter is what a client waits before it sends a request again that storage did not
// take.
const retryAfter = time.Second

// ErrClosing is the cause of an outage of a store that is closing.
var ErrClosing = errors.New("groupcommit: the store is closing")

var (
	errStopped = errors.New("groupcommit: the writer has stopped")
	errLate    = errors.New("groupcommit: the caller has less time left than the change takes")
)

// Unavailable is a [ports.ErrUnavailable] of what changes nothing.
func Unavailable(cause error) error { return ports.ErrUnavailable.Because(cause).After(retryAfter) }

// NotApplied is a [ports.ErrUnavailable] of a change of which nothing is stored.
func NotApplied(cause error) error {
	return ports.ErrUnavailable.With("the storage did not take the change in time; it was not applied").
		Because(cause).After(retryAfter)
}

// Unknown is a [ports.ErrUnavailable] of a change that may be stored or not.
func Unknown(cause error) error {
	return ports.ErrUnavailable.With("the storage did not confirm the change in time; it may have been applied").
		Because(cause).After(retryAfter)
}

// Queue has the changes that wait for the writer, which runs [Queue.Serve]. Its methods,
// but for that, may be called by any goroutine.
type Queue[C any] struct {
	mu       sync.Mutex
	together []*Job[C]
	alone    []*Job[C]
	oneAlone bool // whether the last batch was a change alone
	closed   bool
	waiting  chan struct{} // has an element after something was put into the queue
	stopped  chan struct{} // closed when the writer has ended
}

// New returns an empty queue.
func New[C any]() *Queue[C] {
	return &Queue[C]{waiting: make(chan struct{}, 1), stopped: make(chan struct{})}
}

// Do hands a change to the writer and returns its answer. If ctx ends, or the writer, it
// does not wait for that: it returns [NotApplied], or [Unknown] if the change had been
// sealed. Whatever it returns, the change does not run afterwards.
func (q *Queue[C]) Do(ctx context.Context, change C) error {
	if err := ctx.Err(); err != nil {
		return NotApplied(err)
	}
	j := &Job[C]{Change: change, ctx: ctx, turn: make(chan struct{}, 1), answer: make(chan error, 1)}
	q.Defer(j)
	cause := errStopped
	select {
	case err := <-j.answer:
		return err
	case <-ctx.Done():
		cause = ctx.Err()
	case <-q.stopped:
	}
	defer j.lock()()
	select {
	case err := <-j.answer: // both at once
		return err
	default:
	}
	if j.left = true; j.sealed {
		return Unknown(cause)
	}
	return NotApplied(cause)
}

// wake wakes the writer. If the queue is closed, it first refuses what waits.
func (q *Queue[C]) wake() {
	if q.closed {
		for _, j := range append(q.together, q.alone...) {
			j.Answer(NotApplied(ErrClosing))
		}
		q.together, q.alone = nil, nil
	}
	select {
	case q.waiting <- struct{}{}:
	default:
	}
}

func (q *Queue[C]) list(alone bool) *[]*Job[C] {
	if alone {
		return &q.alone
	}
	return &q.together
}

// Serve calls commit with the first change of each batch until the queue is closed.
// [Queue.Next] has what else the batch may take, unless the change has to be alone.
// Changes that have to be and the others take turns.
func (q *Queue[C]) Serve(commit func(first *Job[C])) {
	defer close(q.stopped)
	for {
		first, closed := q.first()
		switch {
		case first != nil:
			commit(first)
		case closed:
			return
		default:
			<-q.waiting
		}
	}
}

func (q *Queue[C]) first() (j *Job[C], closed bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.oneAlone = len(q.alone) > 0 && (len(q.together) == 0 || !q.oneAlone)
	return pop(q.list(q.oneAlone)), q.closed
}

// Next returns a change that may be committed together with others, or nil if none
// waits.
func (q *Queue[C]) Next() *Job[C] {
	q.mu.Lock()
	defer q.mu.Unlock()
	return pop(&q.together)
}

func pop[C any](list *[]*Job[C]) (j *Job[C]) {
	if len(*list) > 0 {
		j, (*list)[0] = (*list)[0], nil
		*list = (*list)[1:]
	}
	return j
}

// Return puts changes back of which nothing is stored, before all that wait.
func (q *Queue[C]) Return(jobs ...*Job[C]) {
	var together, alone []*Job[C]
	for _, j := range jobs {
		if j.Unseal(); j.Alone {
			alone = append(alone, j)
		} else {
			together = append(together, j)
		}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.together, q.alone = append(together, q.together...), append(alone, q.alone...)
	q.wake()
}

// Defer puts a change back of which nothing is stored, behind all that wait.
func (q *Queue[C]) Defer(j *Job[C]) {
	j.Unseal()
	q.mu.Lock()
	defer q.mu.Unlock()
	list := q.list(j.Alone)
	*list = append(*list, j)
	q.wake()
}

// Close refuses what waits and what comes. The writer ends after the batch under way:
// then the channel is closed that Close returns.
func (q *Queue[C]) Close() (stopped <-chan struct{}) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.wake()
	return q.stopped
}

// Job is a change on its way. Only the writer uses it.
type Job[C any] struct {
	Change C
	Alone  bool  // whether it has to be committed alone
	Err    error // what the change returned when it ran last

	ctx    context.Context
	turn   chan struct{} // has an element while somebody uses what follows, or the change runs
	left   bool          // whether the caller has left
	sealed bool          // whether a caller who leaves cannot know what was stored
	answer chan error    // takes one without a reader
}

// lock is a mutex whose waiting a synctest bubble understands.
func (j *Job[C]) lock() (unlock func()) {
	j.turn <- struct{}{}
	return func() { <-j.turn }
}

// Run calls f and keeps its error; a panic of f is one. It returns false, and does not call
// f, if the caller has left: then the change has had its answer.
func (j *Job[C]) Run(f func(C) error) bool {
	defer j.lock()()
	if j.gone() {
		return false
	}
	j.Err = guarded(j.Change, f)
	return true
}

// Seal is to be called before what the change writes may be stored. It returns false if
// the caller has left: then the change has had its answer.
func (j *Job[C]) Seal() bool {
	defer j.lock()()
	j.sealed = !j.gone()
	return j.sealed
}

// gone reports whether the caller has left. One who is about to has, while it can be told
// that nothing was stored.
func (j *Job[C]) gone() bool {
	j.left = j.left || !j.sealed && j.ctx.Err() != nil
	return j.left
}

// Unseal is to be called when nothing of a sealed change is stored, and it will run again.
func (j *Job[C]) Unseal() {
	defer j.lock()()
	j.sealed = false
}

// HasTime reports whether the caller waits for so long yet. One who does not is told at
// once that nothing was stored, and the change does not run any more.
func (j *Job[C]) HasTime(least time.Duration) bool {
	defer j.lock()()
	if j.gone() {
		return false
	}
	if until, ok := j.ctx.Deadline(); ok && time.Until(until) < least {
		j.left = true
		j.Answer(NotApplied(errLate))
	}
	return !j.left
}

func guarded[C any](change C, f func(C) error) (err error) {
	defer fault.Recover(&err, "groupcommit: panic in a change")
	return f(change)
}

// Answer ends the change.
func (j *Job[C]) Answer(err error) { j.answer <- err }
