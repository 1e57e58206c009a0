package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"time"
)

// maxRetryAfter is the longest wait that the service can ask a [Runtime] for.
const maxRetryAfter = 5 * time.Minute

// poll asks for one thing again and again: one request at a time, and not before the pause
// after the last one is over. T is what callers get, K what is known of earlier answers.
type poll[T, K any] struct {
	runtime *Runtime
	ask     func(ctx context.Context, known K) (next T, now K, err error) // err decides the pause

	mu       sync.Mutex
	last     T
	known    K
	running  chan struct{} // closed when the request has ended; nil for none
	rounds   int
	next     time.Time // when the pause is over
	notUntil time.Time // what the service has asked to wait for
	hurried  bool      // somebody wants an answer that is newer than that of the running request
}

// now returns the newest answer: the last one in the pause, else that of a request.
func (p *poll[T, K]) now(ctx context.Context) T {
	p.mu.Lock()
	running := p.running
	if running == nil && !time.Now().Before(p.next) {
		running = make(chan struct{})
		if p.runtime.background(func() { p.round(context.WithoutCancel(ctx)) }) {
			p.running = running
		} else {
			close(running)
		}
	}
	last := p.last
	p.mu.Unlock()
	if running == nil {
		return last
	}
	select {
	case <-running:
	case <-ctx.Done():
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.last
}

// round sends a request. Nobody who waits for it can end it, as others wait as well.
func (p *poll[T, K]) round(ctx context.Context) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(p.runtime.life, cancel)()
	p.mu.Lock()
	known := p.known
	p.mu.Unlock()
	last, known, err := p.ask(ctx, known)

	p.mu.Lock()
	defer p.mu.Unlock()
	p.last, p.known = last, known
	after := retryAfterOf(err)
	p.notUntil = time.Now().Add(after)
	p.next = time.Now().Add(max(after, pauseAfter(p.runtime.cfg.Every, err, p.rounds == 0)))
	if p.hurried {
		p.next, p.hurried = p.notUntil, false
	}
	p.rounds++
	close(p.running)
	p.running = nil
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
func pauseAfter(every time.Duration, err error, first bool) time.Duration {
	seconds := every.Seconds() * jitter()
	if failureState(err) == ResolvedDown {
		seconds *= 4.0 / 3
	}
	if first {
		seconds *= rand.Float64()
	}
	return time.Duration(seconds * float64(time.Second))
}

// retryAfterOf is the wait that the service has asked for, and a little more.
func retryAfterOf(err error) time.Duration {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return 0
	}
	return time.Duration(float64(min(e.RetryAfter, maxRetryAfter)) * (1 + 0.2*rand.Float64()))
}

// jitter is a number around 1.
func jitter() float64 { return 0.8 + 0.4*rand.Float64() }
