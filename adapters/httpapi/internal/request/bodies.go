package request

import (
	"context"
	"math"
	"sync"
	"time"

	"orgd/domain/fault"
)

// ErrBodies is a body for which there is no memory. It is answered although the client
// may seem to have left, see [ErrIncomplete].
var ErrBodies = &fault.Error{
	Code: fault.ConcurrencyLimited, RetryAfter: time.Second,
	Msg: "the bodies of other requests take all memory that there is for bodies",
}

const (
	// DefaultMaxBody bounds most bodies, in bytes, where there is one.
	DefaultMaxBody = 1 << 20
	// weight is how many bytes are taken for each of a body: another one for what is made
	// of it.
	weight = 2
	// bodyWait is how long a request waits for memory.
	bodyWait = 10 * time.Second
	// lease is how long a body may at least take to arrive while others wait for its
	// memory. A large one has the time that it takes at leasePace.
	lease     = time.Second
	leasePace = 4 << 20 // bytes in a second
	// smallBody bounds small bodies, in bytes: so much is read of any.
	smallBody = 16 << 10
)

// Bodies is the memory for the bodies of all requests. Those of one size do not take that
// of the others.
type Bodies struct{ small, medium, large pool }

// NewBodies returns the memory of a server.
func NewBodies() *Bodies {
	return &Bodies{
		small:  pool{most: smallBody, all: 16 << 20, each: 4 << 20},
		medium: pool{most: DefaultMaxBody, all: 32 << 20, each: 8 << 20},
		large:  pool{most: math.MaxInt64, all: 32 << 20, each: 16 << 20},
	}
}

// Taken returns how many bytes bodies have taken.
func (b *Bodies) Taken() (all int64) {
	for _, p := range []*pool{&b.small, &b.medium, &b.large} {
		p.mu.Lock()
		all += p.taken
		p.mu.Unlock()
	}
	return all
}

// of returns the memory for a body of so many bytes.
func (b *Bodies) of(size int64) *pool {
	for _, p := range []*pool{&b.small, &b.medium} {
		if size <= p.most {
			return p
		}
	}
	return &b.large
}

// pool is the memory of bodies of one size. A subject may have a part of it. Of those who
// wait, the one whose subject has least is the next, and of several the one whose subject
// got something the longest ago: however many requests wait, nobody waits behind a second
// one of anybody. A body that takes too long to arrive gives way.
type pool struct {
	most, all, each int64 // the bounds in bytes: of a body; of all, of those of a subject with their weight

	mu       sync.Mutex
	taken    int64
	subjects map[string]*account // nil: the subject has had nothing for long
	arriving map[*hold]struct{}
	waiting  []*waiter // the first that came is the first
	alarm    *time.Timer
}

// account is what a subject has of a pool.
type account struct {
	taken int64
	last  time.Time // when it got something
}

// maxAccounts bounds the accounts that are kept of subjects that have nothing.
const maxAccounts = 1000

// hold is what a body has of a pool.
type hold struct {
	pool    *pool
	subject string
	size    int64
	until   time.Time // when it gives way to those who wait, if it has not arrived
	giveWay func()
	refused bool // it has given way
}

// hold returns one of nothing. giveWay ends the reading of the body, at once.
func (p *pool) hold(subject string, giveWay func()) *hold {
	return &hold{pool: p, subject: subject, giveWay: giveWay}
}

// waiter waits for more of a hold.
type waiter struct {
	hold  *hold
	more  int64
	ready chan struct{} // closed when it has got it
}

// grow takes memory until the hold has that of a body of so many bytes, or returns
// [ErrBodies]. Call release in any case.
func (h *hold) grow(ctx context.Context, bytes int64) error {
	p := h.pool
	p.mu.Lock()
	more := bytes*weight - h.size
	if more <= 0 {
		defer p.mu.Unlock()
		return h.state()
	}
	w := &waiter{hold: h, more: more}
	if len(p.waiting) == 0 && p.fits(w) {
		defer p.mu.Unlock()
		p.give(w, time.Now())
		return h.state()
	}
	w.ready = make(chan struct{})
	p.waiting = append(p.waiting, w)
	p.distribute()
	p.mu.Unlock()
	return p.wait(ctx, w)
}

// state is ErrBodies if the hold has given way.
func (h *hold) state() error {
	if h.refused {
		return ErrBodies
	}
	return nil
}

// wait waits until the hold has grown. It returns the error of ctx if that ends.
func (p *pool) wait(ctx context.Context, w *waiter) error {
	limit := time.NewTimer(bodyWait)
	defer limit.Stop()
	refused := error(ErrBodies)
	select {
	case <-w.ready:
	case <-limit.C:
	case <-ctx.Done():
		refused = ctx.Err()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, other := range p.waiting {
		if other == w {
			p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
			p.distribute() // for those behind it
			return refused
		}
	}
	return w.hold.state()
}

// fits reports whether there is what w waits for.
func (p *pool) fits(w *waiter) bool { return p.taken+w.more <= p.all && p.mayHave(w) }

// mayHave reports whether the subject may have it, if there is any.
func (p *pool) mayHave(w *waiter) bool { return p.has(w.hold.subject).taken+w.more <= p.each }

// has returns what a subject has.
func (p *pool) has(subject string) account {
	if a := p.subjects[subject]; a != nil {
		return *a
	}
	return account{}
}

func (p *pool) give(w *waiter, now time.Time) {
	if p.subjects == nil {
		p.subjects, p.arriving = map[string]*account{}, map[*hold]struct{}{}
	}
	h := w.hold
	a := p.subjects[h.subject]
	if a == nil {
		a = new(account)
		p.subjects[h.subject] = a
	}
	p.taken += w.more
	a.taken, a.last = a.taken+w.more, now
	if h.size == 0 {
		p.arriving[h] = struct{}{}
	}
	h.size += w.more
	h.until = now.Add(max(lease, time.Duration(float64(h.size/weight)/leasePace*float64(time.Second))))
}

// distribute gives what there is to those who wait. If it is too little, it sees to it that a
// body gives way.
func (p *pool) distribute() {
	now := time.Now()
	for {
		i := p.next()
		if i < 0 {
			return
		}
		w := p.waiting[i]
		if !p.fits(w) {
			p.makeWay(now)
			return
		}
		p.give(w, now)
		close(w.ready)
		p.waiting = append(p.waiting[:i], p.waiting[i+1:]...)
	}
}

// next returns who of those who wait is the next. It returns -1 if there is nobody whose
// subject may have more.
func (p *pool) next() int {
	first, least := -1, account{}
	for i, w := range p.waiting {
		a := p.has(w.hold.subject)
		if a.taken+w.more <= p.each && (first < 0 || a.taken < least.taken || a.taken == least.taken && a.last.Before(least.last)) {
			first, least = i, a
		}
	}
	return first
}

// makeWay ends a body that takes too long to arrive, of the subject that has most, or
// looks again when the first one does.
func (p *pool) makeWay(now time.Time) {
	var late *hold
	var first time.Time
	for h := range p.arriving {
		switch {
		case h.refused:
			return // its memory comes at once
		case h.until.After(now):
			if first.IsZero() || h.until.Before(first) {
				first = h.until
			}
		case late == nil || p.has(h.subject).taken > p.has(late.subject).taken ||
			p.has(h.subject).taken == p.has(late.subject).taken && h.until.Before(late.until):
			late = h
		}
	}
	switch {
	case late != nil:
		late.refused = true
		late.giveWay()
	case !first.IsZero():
		p.look(first.Sub(now))
	}
}

// look distributes again after a while.
func (p *pool) look(after time.Duration) {
	if p.alarm != nil {
		p.alarm.Stop()
	}
	p.alarm = time.AfterFunc(after, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.distribute()
	})
}

// stay has the hold give way to nobody from now on. It returns ErrBodies if it has done so
// already.
func (h *hold) stay() error {
	if h == nil {
		return nil
	}
	h.pool.mu.Lock()
	defer h.pool.mu.Unlock()
	delete(h.pool.arriving, h)
	return h.state()
}

// stands returns ErrBodies if the hold has given way.
func (h *hold) stands() error {
	h.pool.mu.Lock()
	defer h.pool.mu.Unlock()
	return h.state()
}

// release gives everything back.
func (h *hold) release() {
	if h == nil {
		return
	}
	p := h.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.arriving, h)
	if h.size > 0 {
		a := p.subjects[h.subject]
		p.taken -= h.size
		a.taken -= h.size
		h.size = 0
		if a.taken == 0 && len(p.subjects) > maxAccounts {
			delete(p.subjects, h.subject)
		}
	}
	if len(p.waiting) > 0 {
		p.distribute()
	} else if p.alarm != nil {
		p.alarm.Stop()
		p.alarm = nil
	}
}
