package client

import (
	"cmp"
	"context"
	"errors"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

// maxRetryAfter is the longest wait that the service can ask a [Runtime] for.
const maxRetryAfter = 5 * time.Minute

// latest is what is known, K, and why it is not the service's now.
type latest[K any] struct {
	known     *K // nil for nothing
	state     ResolveState
	err       error     // of the request
	fileErr   error     // of the file
	confirmed time.Time // when the service has said last what there is; no time if it never has
}

// poll asks for one thing again and again: one request at a time, and not before the pause
// after the last one is over. T is what callers get.
type poll[T, K any] struct {
	runtime *Runtime
	file    string // with what is kept, "" for none
	// ask returns what is known after a request, nil for nothing.
	ask func(ctx context.Context, known *K) (*K, error)
	// state is what an answer, or the error in its place, means.
	state func(known *K, err error) ResolveState
	// result makes what callers get.
	result func(latest[K]) T

	mu       sync.Mutex
	last     latest[K]
	saved    *K            // what the file has
	running  chan struct{} // closed when the request has ended; nil for none
	rounds   int
	next     time.Time // when the pause is over
	notUntil time.Time // when the wait is over that the service has asked for
	hurried  bool      // somebody wants a newer answer than that of the running request
}

// begin reads the file, if it is about the right thing.
func (p *poll[T, K]) begin(fits func(*K) bool) {
	p.last = latest[K]{state: ResolvedDown, err: errNotAsked}
	var k K
	if confirmed := p.runtime.readKept(p.file, &k, func() bool { return fits(&k) }); !confirmed.IsZero() {
		p.saved = &k
		p.last.known, p.last.state, p.last.confirmed = &k, ResolvedKept, confirmed
	}
}

var (
	// errNotAsked is the error of what is known before the first answer.
	errNotAsked = errors.New("client: the service was not asked yet")
	// errStale is the error of an answer that is stale and nothing else.
	errStale = errors.New("client: the last answer is older than MaxStale")
)

// atOnce returns what is known, and begins a request if it is time to. Only if nothing is
// known it waits for that, for the timeout at most.
func (p *poll[T, K]) atOnce(ctx context.Context) T {
	running, last := p.start(ctx)
	if running != nil && last.confirmed.IsZero() {
		ctx, cancel := context.WithTimeout(ctx, p.runtime.cfg.Timeout)
		defer cancel()
		select {
		case <-running:
			last = p.newest()
		case <-ctx.Done():
			last.state, last.err = ResolvedDown, ctx.Err()
		}
	}
	most := p.runtime.cfg.MaxStale
	if most > 0 && last.known != nil && last.state != ResolvedRefused && time.Since(last.confirmed) > most {
		last.state, last.err = ResolvedStale, cmp.Or(last.err, errStale)
	}
	return p.result(last)
}

func (p *poll[T, K]) newest() latest[K] {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// now returns the newest answer: the last one in the pause, else that of a request.
func (p *poll[T, K]) now(ctx context.Context) T {
	if running, _ := p.start(ctx); running != nil {
		select {
		case <-running:
		case <-ctx.Done():
		}
	}
	return p.result(p.newest())
}

// start returns the running request, which it begins if it is time to; nil for none. With it
// comes what is known before.
func (p *poll[T, K]) start(ctx context.Context) (running chan struct{}, last latest[K]) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running != nil || time.Now().Before(p.next) {
		return p.running, p.last
	}
	// Nobody who waits for it can end it, as others wait as well.
	if p.runtime.background(func() { p.round(context.WithoutCancel(ctx)) }) {
		p.running = make(chan struct{})
	}
	return p.running, p.last
}

// round sends a request.
func (p *poll[T, K]) round(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.runtime.life, cancel)()
	last := p.newest()
	last.known, last.err = p.ask(ctx, last.known)
	last.state, last.fileErr = p.state(last.known, last.err), p.save(last.known, last.err == nil)
	if isDefinite(last.err) {
		last.confirmed = time.Now().Round(0) // of the wall clock: the monotonic one stops while the machine sleeps
	}

	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = last
	after := retryAfterOf(last.err)
	p.notUntil = time.Now().Add(after)
	p.next = time.Now().Add(max(after, pauseAfter(p.runtime.cfg.MaxAge, last.err, p.rounds == 0)))
	if p.hurried {
		p.next, p.hurried = p.notUntil, false
	}
	p.rounds++
	close(p.running)
	p.running = nil
}

// save has the file as what is known, with the time of now if that is confirmed.
func (p *poll[T, K]) save(known *K, confirmed bool) error {
	if p.file == "" {
		return nil
	}
	if known == p.saved && known != nil {
		if confirmed {
			now := time.Now()
			_ = os.Chtimes(p.file, now, now) // only the age of the answer is wrong without it
		}
		return nil
	}
	err := p.runtime.writeKept(p.file, known, known == nil)
	if err == nil {
		p.saved = known
	}
	return err
}

// hurry ends the pause, but not the wait that the service has asked for.
func (p *poll[T, K]) hurry() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.next, p.hurried = p.notUntil, p.running != nil
}

// due returns how long the pause still is.
func (p *poll[T, K]) due() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return time.Until(p.next)
}

// pauseAfter is the wait after a request: a third longer if there was no answer. After the
// first one it is any part of that, so that those that start together do not stay together.
func pauseAfter(maxAge time.Duration, err error, first bool) time.Duration {
	factor := jitter()
	if failureState(err) == ResolvedDown {
		factor *= 4.0 / 3
	}
	if first {
		factor *= rand.Float64()
	}
	return times(maxAge, factor)
}

// retryAfterOf is the wait that the service has asked for, and a little more.
func retryAfterOf(err error) time.Duration {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return 0
	}
	return times(min(e.RetryAfter, maxRetryAfter), 1+rand.Float64()/5)
}

// jitter is a number around 1.
func jitter() float64 { return 0.8 + 0.4*rand.Float64() }

func times(d time.Duration, factor float64) time.Duration { return time.Duration(float64(d) * factor) }
