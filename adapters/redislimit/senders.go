package redislimit

import (
	"context"
	"errors"
	"time"

	"orgd/domain/limit"
)

const (
	// senders is how many batches are on their way at the same time. A request
	// finds a free sender and goes at once, unless so many others are waiting that
	// it shares a batch with some of them.
	senders = 8
	// batchSize bounds a batch, maxQueued the requests that wait for a sender.
	batchSize = 128
	maxQueued = 1024
	// grace is for the way from the sender back to the request.
	grace = 5 * time.Millisecond
)

var (
	errBusy   = errors.New("redislimit: too many requests wait for Redis")
	errLate   = errors.New("redislimit: no answer in time")
	errClosed = errors.New("redislimit: closed")
)

// question is one ask on its way.
type question struct {
	groups   []group
	deadline time.Time
	answered chan struct{} // has room for the one signal
}

func (l *Limiter) question(ask limit.Ask) *question {
	q := &question{groups: groups(ask), deadline: time.Now().Add(l.cfg.Timeout), answered: make(chan struct{}, 1)}
	for i := range q.groups {
		l.prepare(&q.groups[i])
	}
	return q
}

// read returns the decision of Redis.
func (q *question) read() (limit.Grant, error) {
	var grant limit.Grant
	for i := range q.groups {
		if err := q.groups[i].read(&grant); err != nil {
			return limit.Grant{}, err
		}
	}
	if grant.Denied != nil {
		grant.Denied.Outlast(grant.Usages)
	}
	return grant, nil
}

// lease returns the lease of the slot that is asked for, or nil.
func (q *question) lease() *lease { return q.groups[len(q.groups)-1].lease }

// tookSlot reports whether the decision, which is known, took the slot.
func (q *question) tookSlot() bool { return q.groups[len(q.groups)-1].admitted() }

// send waits until every group of the question has its answer or its error. An
// error means that nothing is known of what Redis did, and that a sender may still
// be writing to the question.
func (l *Limiter) send(q *question) error {
	select {
	case l.queue <- q:
	default:
		return errBusy
	}
	late := time.NewTimer(l.cfg.Timeout + grace)
	defer late.Stop()
	select {
	case <-q.answered:
		return nil
	case <-late.C:
		return errLate
	case <-l.life.Done():
		return errClosed
	}
}

// sendBatches sends what is waiting, as much at once as there is.
func (l *Limiter) sendBatches() {
	batch := make([]*question, 0, batchSize)
	for {
		select {
		case <-l.life.Done():
			return
		case q := <-l.queue:
			batch = l.gather(batch[:0], q)
			l.deliver(batch)
			clear(batch)
		}
	}
}

// gather adds the question to the batch, and what waits already. Nobody waits any
// longer for a question whose time is over.
func (l *Limiter) gather(batch []*question, q *question) []*question {
	now := time.Now()
	for {
		if now.Before(q.deadline) {
			batch = append(batch, q)
		}
		if len(batch) == batchSize {
			return batch
		}
		select {
		case q = <-l.queue:
		default:
			return batch
		}
	}
}

// deliver asks and wakes those who wait. It waits for as long as the last question may: the
// earlier ones have timeouts of their own.
func (l *Limiter) deliver(batch []*question) {
	if len(batch) == 0 {
		return
	}
	ctx, cancel := context.WithDeadline(l.life, batch[len(batch)-1].deadline)
	defer cancel()
	l.ask(ctx, batch)
	for _, q := range batch {
		q.answered <- struct{}{}
	}
}

// ask sends a batch.
func (l *Limiter) ask(ctx context.Context, batch []*question) {
	calls := make([]*call, 0, 2*len(batch))
	for _, q := range batch {
		for i := range q.groups {
			calls = append(calls, &q.groups[i].call)
		}
	}
	run(ctx, l.redis.client(), calls)
}
