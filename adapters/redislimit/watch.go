package redislimit

import (
	"context"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
	"go.uber.org/zap"

	"orgd/domain/limit"
)

const (
	// After failuresInARow, Redis is not asked any more. So it is after minFailures
	// within window, if they are one request in failureShare at least: a node of a
	// cluster may be lost while others answer.
	failuresInARow = 3
	minFailures    = 20
	failureShare   = 5
	window         = 2 * time.Second
)

// newBreaker returns the breaker that requests and probes report to.
func (l *Limiter) newBreaker() *gobreaker.CircuitBreaker[limit.Grant] {
	return gobreaker.NewCircuitBreaker[limit.Grant](gobreaker.Settings{
		Interval:     window,
		BucketPeriod: window / 4,
		Timeout:      l.timing.probe / 2, // so that every probe finds it half open
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return c.ConsecutiveFailures >= failuresInARow ||
				c.TotalFailures >= minFailures && c.TotalFailures*failureShare >= c.Requests
		},
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				l.shared.Store(false)
				signal(l.lost)
			}
		},
	})
}

// signal wakes the receiver. One signal that waits is enough.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// watch probes Redis all the time, so that its loss and its return are noticed also
// without requests. After Open it alone makes limits shared again.
func (l *Limiter) watch() {
	tick := time.NewTicker(l.timing.probe)
	defer tick.Stop()
	for {
		select {
		case <-l.life.Done():
			return
		case <-l.lost:
			l.announce()
		case <-tick.C:
			l.check()
			l.announce()
		}
	}
}

// check probes once.
func (l *Limiter) check() {
	shared := l.Shared()
	_, err := l.breaker.Execute(func() (limit.Grant, error) {
		if !shared {
			if err := l.reconnect(); err != nil {
				return limit.Grant{}, err
			}
		}
		return limit.Grant{}, l.probe(l.cfg.Timeout)
	})
	if err == nil && !shared && l.breaker.State() == gobreaker.StateClosed {
		l.shared.Store(true)
		signal(l.back)
	}
}

// reconnect replaces all connections, because old ones may be dead without an error. It
// may take longer than a request may wait, so requests do not do it.
func (l *Limiter) reconnect() error {
	if err := l.redis.replace(); err != nil {
		l.log.Warn("redislimit: close lost connections", zap.Error(err))
	}
	if err := l.probe(l.timing.timeout); err != nil {
		return err
	}
	var wg sync.WaitGroup
	for range connections {
		wg.Go(func() { _ = l.probe(l.timing.timeout) }) // the next probe meets the error again
	}
	wg.Wait()
	return nil
}

// probe asks what requests ask, because a ping would not notice that Redis refuses to
// write. It has the keys of the last failure, so it reaches the same node of a cluster.
func (l *Limiter) probe(timeout time.Duration) error {
	ask := limit.Ask{AddressWindows: []limit.Window{probeWindow}}
	if f := l.failed.Load(); f != nil {
		ask = probeOf(f.ask)
	}
	ctx, cancel := context.WithTimeout(l.life, timeout)
	defer cancel()
	q := l.question(ask)
	l.ask(ctx, []*question{q})
	if _, err := q.read(); err != nil {
		return l.fail(ask, err)
	}
	return nil
}

// probeWindow is never full and soon forgotten.
var probeWindow = limit.Window{Name: "probe", Cap: 1_000_000, Length: time.Second}

// probeOf asks for the groups of the ask, and for nothing that counts.
func probeOf(ask limit.Ask) limit.Ask {
	probe := limit.Ask{Address: ask.Address, Subject: ask.Subject}
	if len(ask.AddressWindows) > 0 {
		probe.AddressWindows = []limit.Window{probeWindow}
	}
	if len(ask.SubjectWindows) > 0 || ask.Slot != nil {
		probe.SubjectWindows = []limit.Window{probeWindow}
	}
	return probe
}

// failure is the last question that Redis did not answer, and why.
type failure struct {
	ask limit.Ask
	err error
}

// fail remembers the failure and returns its error.
func (l *Limiter) fail(ask limit.Ask, err error) error {
	l.failed.Store(&failure{ask: ask, err: err})
	return err
}

// announce reports when limits begin or cease to be shared. Only Open and then watch call
// it, never at the same time, so the last report is true.
func (l *Limiter) announce() {
	shared := l.Shared()
	if l.announced != nil && *l.announced == shared {
		return
	}
	l.announced = &shared
	if shared {
		l.log.Info("limits are shared through Redis")
	} else {
		l.log.Warn("limits are not shared, because Redis cannot be used: this process admits its part", zap.Error(l.failed.Load().err))
	}
	if l.switched != nil {
		l.switched(shared)
	}
}
