// Package redislimit counts requests in Redis, for all replicas of the service
// together, and falls back to the limiter of each process when Redis is lost.
//
// Windows and slots live in Redis and are decided there, by its clock: what the
// clocks of the replicas say does not matter. Nothing in Redis is worth keeping:
// every key expires by itself, and a Redis that has lost everything forgets at
// most the last period. A request waits for Redis for one round trip, and never
// longer than the configured time.
package redislimit

import (
	"context"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"
	"go.uber.org/zap"

	"orgd/adapters/redisconn"
	"orgd/domain/fault"
	"orgd/domain/limit"
	"orgd/ports"
)

// Switched is told when limits begin or cease to be shared, in order and never
// twice at the same time. It must not block.
type Switched func(shared bool)

// Limiter is a ports.Limiter that all replicas share. It is safe for concurrent
// use.
type Limiter struct {
	cfg      Config
	timing   timing
	local    ports.Limiter
	switched Switched
	log      *zap.Logger
	admit    script
	renew    script

	redis   *link
	breaker *gobreaker.CircuitBreaker[limit.Grant]
	shared  atomic.Bool
	failed  atomic.Pointer[failure]
	queue   chan *question
	leases  *leases
	lost    chan struct{} // the breaker has opened
	back    chan struct{} // limits are shared again

	announced *bool           // what was told last; only the watch looks at it
	life      context.Context // ends when the limiter is closed
	end       context.CancelFunc
	running   sync.WaitGroup
}

// timing is what tests change.
type timing struct {
	probe time.Duration // between two probes
	lease time.Duration // how long a slot is held without renewal
	renew time.Duration // between two renewals
	// timeout is how long a connection may take to be made, and what nobody
	// waits for may take.
	timeout time.Duration
}

// maxLease bounds how long the slot of a process that died stays taken. A lease
// is a little shorter, and is renewed so often that two failures are no harm.
const maxLease = 16 * time.Second

func usualTiming() timing {
	return timing{probe: 200 * time.Millisecond, lease: 15 * time.Second, renew: 4 * time.Second, timeout: redisconn.DialTimeout}
}

// Open connects to Redis. While Redis cannot be used, from the beginning or later,
// local decides, with each cap divided by the number of replicas. An error means a
// mistake in cfg; an unreachable Redis is none. switched, unless it is nil, is told
// at once whether limits are shared. The returned function gives all slots back and
// closes the connections; after it local decides.
func Open(cfg Config, local ports.Limiter, switched Switched, log *zap.Logger) (*Limiter, func(), error) {
	if err := cfg.Validate(); err != nil {
		return nil, nil, err
	}
	return open(cfg, usualTiming(), local, switched, log)
}

func open(cfg Config, timing timing, local ports.Limiter, switched Switched, log *zap.Logger) (*Limiter, func(), error) {
	l, err := newLimiter(cfg, timing, local, switched, log)
	if err != nil {
		return nil, nil, err
	}
	l.check()
	l.announce()
	l.start()
	return l, l.close, nil
}

// newLimiter returns a limiter that does nothing yet. cfg is valid, but that tests
// have longer timeouts.
func newLimiter(cfg Config, timing timing, local ports.Limiter, switched Switched, log *zap.Logger) (*Limiter, error) {
	link, err := newLink(cfg, timing.timeout)
	if err != nil {
		return nil, err
	}
	l := &Limiter{
		cfg: cfg, timing: timing, local: local, switched: switched, log: log,
		admit: newScript(admitText), renew: newScript(renewText), redis: link,
		queue: make(chan *question, maxQueued), leases: newLeases(timing.lease),
		lost: make(chan struct{}, 1), back: make(chan struct{}, 1),
	}
	l.life, l.end = context.WithCancel(context.Background())
	l.breaker = l.newBreaker()
	return l, nil
}

func (l *Limiter) start() {
	for range senders {
		l.background(l.sendBatches)
	}
	l.background(l.watch)
	l.background(l.keepLeases)
}

// background does the work until the limiter is closed. A panic ends a turn of
// it, not the server.
func (l *Limiter) background(work func()) {
	l.running.Go(func() {
		for l.life.Err() == nil {
			l.turn(work)
		}
	})
}

func (l *Limiter) turn(work func()) {
	defer func() {
		if v := recover(); v != nil {
			l.log.Error("panic in the limiter", zap.String("panic", fault.PanicText(v)), zap.ByteString("stack", debug.Stack()))
			time.Sleep(l.timing.probe) // not to do it all the time
		}
	}()
	work()
}

func (l *Limiter) close() {
	l.end()
	l.running.Wait()
	l.giveBackLeases(context.Background())
	l.shared.Store(false)
	if err := l.redis.close(); err != nil {
		l.log.Warn("redislimit: close", zap.Error(err))
	}
}

// Shared reports whether Redis decides. If not, local does.
func (l *Limiter) Shared() bool { return l.shared.Load() }

// Admit implements ports.Limiter.
func (l *Limiter) Admit(ctx context.Context, ask limit.Ask) (limit.Grant, error) {
	if err := ctx.Err(); err != nil {
		return limit.Grant{Release: nothing}, err
	}
	if !l.Shared() {
		return l.admitLocally(ctx, ask)
	}
	grant, err := l.breaker.Execute(func() (limit.Grant, error) { return l.admitShared(ask) })
	if err != nil {
		return l.admitLocally(ctx, ask)
	}
	return grant, nil
}

func nothing() {}

// admitShared lets Redis decide. The client may leave meanwhile: the decision is
// awaited nevertheless, because it may have taken a slot.
func (l *Limiter) admitShared(ask limit.Ask) (limit.Grant, error) {
	q := l.question(ask)
	if len(q.groups) == 0 {
		return limit.Grant{Release: nothing}, nil
	}
	err := l.send(q)
	if err == nil {
		var grant limit.Grant
		if grant, err = q.read(); err == nil {
			return l.keepSlot(q, grant), nil
		}
	}
	if x := q.lease(); x != nil {
		l.leases.doubt(x)
	}
	return limit.Grant{}, l.fail(ask, err)
}

// keepSlot keeps the slot that Redis gave for as long as the request runs. A request
// that the other group has refused does not run.
func (l *Limiter) keepSlot(q *question, grant limit.Grant) limit.Grant {
	grant.Release = nothing
	x := q.lease()
	if x == nil || !q.tookSlot() {
		return grant
	}
	if grant.Denied == nil {
		grant.Release = l.leases.hold(x, true)
	} else {
		l.giveBackNow(x)
	}
	return grant
}

// admitLocally decides without Redis. When Redis is back it is told of the slots
// that are still held then.
func (l *Limiter) admitLocally(ctx context.Context, ask limit.Ask) (limit.Grant, error) {
	grant, err := l.local.Admit(context.WithoutCancel(ctx), ask.PerReplica(l.cfg.Replicas))
	if err != nil || grant.Denied != nil || ask.Slot == nil || ask.Slot.Cap <= 0 {
		return grant, err
	}
	locally := grant.Release
	shared := l.leases.hold(l.leases.fresh(l.slotKey(ask)), false)
	grant.Release = func() {
		locally()
		shared()
	}
	return grant, nil
}

// slotKey is the key of the slot that is asked for.
func (l *Limiter) slotKey(ask limit.Ask) string {
	return memberKey(tag(l.cfg.Prefix, ofSubject, ask.Subject), aSlot, ask.Slot.Name, ask.Subject, ask.Slot.Key)
}
