package redislimit

import (
	"context"
	"crypto/rand"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// maxReleased bounds the leases that wait to be given back. One beyond that is
// left to end by itself.
const maxReleased = 4096

// lease is one holder of a slot. What follows the id is guarded by the lock of
// the leases.
type lease struct {
	key, id string
	known   bool      // Redis may have it
	doubted bool      // a command that takes it may still be on its way
	endsAt  time.Time // of a released one: when it has ended by itself
}

// leases are the slots that requests of this process hold, and those that are to
// be given back.
type leases struct {
	owner string // tells processes apart
	lasts time.Duration
	last  atomic.Uint64
	wake  chan struct{} // something is to be given back

	mu       sync.Mutex
	held     map[*lease]struct{}
	released []*lease
}

func newLeases(lasts time.Duration) *leases {
	return &leases{owner: rand.Text()[:16], lasts: lasts, wake: make(chan struct{}, 1), held: map[*lease]struct{}{}}
}

// fresh returns a lease that nobody holds yet.
func (ls *leases) fresh(key string) *lease {
	return &lease{key: key, id: ls.owner + strconv.FormatUint(ls.last.Add(1), 36)}
}

// hold keeps the lease until the returned function is called. known says that
// Redis has it already; otherwise the next renewal tells Redis.
func (ls *leases) hold(l *lease, known bool) (release func()) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l.known = known
	ls.held[l] = struct{}{}
	return func() { ls.release(l) }
}

// release has a lease given back soon. It does nothing the second time.
func (ls *leases) release(l *lease) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if _, held := ls.held[l]; held {
		delete(ls.held, l)
		ls.giveBack(l)
	}
}

// doubt has a lease given back of which nobody knows whether Redis gave it.
func (ls *leases) doubt(l *lease) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l.known, l.doubted = true, true
	ls.giveBack(l)
}

func (ls *leases) giveBack(l *lease) {
	if !l.known || len(ls.released) >= maxReleased {
		return
	}
	l.endsAt = time.Now().Add(ls.lasts)
	ls.released = append(ls.released, l)
	select {
	case ls.wake <- struct{}{}:
	default: // it is called already
	}
}

// takeReleased returns the leases to give back, and forgets them.
func (ls *leases) takeReleased() []*lease {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	all := ls.released
	ls.released = nil
	return all
}

// tried says what became of giving the lease back. It is tried again if it failed
// or if a late command may take it once more, until it has ended by itself.
func (ls *leases) tried(l *lease, err error) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if (err != nil || l.doubted) && time.Now().Before(l.endsAt) && len(ls.released) < maxReleased {
		ls.released = append(ls.released, l)
	}
}

// toRenew returns the leases that are held. Redis knows them from now on.
func (ls *leases) toRenew() []*lease {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	all := make([]*lease, 0, len(ls.held))
	for l := range ls.held {
		l.known = true
		all = append(all, l)
	}
	return all
}

// renewed says what became of renewing the lease. After an error the command may
// still be on its way, and overtake the one that gives the lease back.
func (ls *leases) renewed(l *lease, err error) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l.doubted = l.doubted || err != nil
}

// leaseBatch is how many leases are renewed or given back in one round trip.
const leaseBatch = 256

// keepLeases gives released leases back and renews those that are held. Nobody
// else does, so the two never overtake each other.
func (l *Limiter) keepLeases() {
	tick := time.NewTicker(l.timing.renew)
	defer tick.Stop()
	for {
		select {
		case <-l.leases.wake:
		case <-tick.C:
			l.renewLeases()
		case <-l.back:
			l.renewLeases() // Redis may have forgotten them, and does not know those given without it
		case <-l.life.Done():
			return
		}
		l.giveBackLeases(l.life)
	}
}

func (l *Limiter) giveBackLeases(ctx context.Context) {
	if !l.Shared() {
		return
	}
	for batch := range slices.Chunk(l.leases.takeReleased(), leaseBatch) {
		cmds := make([]redis.Cmder, len(batch))
		for i, x := range batch {
			cmds[i] = zrem(ctx, x)
		}
		l.withTimeout(ctx, func(ctx context.Context) { roundTrip(ctx, l.redis.client(), cmds) })
		for i, x := range batch {
			l.leases.tried(x, cmds[i].Err())
		}
	}
}

func (l *Limiter) renewLeases() {
	if !l.Shared() {
		return
	}
	for batch := range slices.Chunk(l.leases.toRenew(), leaseBatch) {
		calls := make([]*call, len(batch))
		for i, x := range batch {
			c := l.renew.call(1, 3)
			c.add(x.key, l.timing.lease.Microseconds(), maxLease.Milliseconds(), x.id)
			calls[i] = &c
		}
		l.withTimeout(l.life, func(ctx context.Context) { run(ctx, l.redis.client(), calls) })
		for i, x := range batch {
			l.leases.renewed(x, calls[i].reply.Err())
		}
	}
}

// giveBackNow frees the slot of a request that was refused for another reason.
func (l *Limiter) giveBackNow(x *lease) {
	ctx, cancel := context.WithTimeout(l.life, l.cfg.Timeout)
	defer cancel()
	cmd := zrem(ctx, x)
	roundTrip(ctx, l.redis.client(), []redis.Cmder{cmd})
	if cmd.Err() != nil {
		l.leases.doubt(x)
	}
}

func zrem(ctx context.Context, x *lease) *redis.IntCmd {
	return redis.NewIntCmd(ctx, "zrem", x.key, x.id)
}

// withTimeout gives f the timeout of what no request waits for.
func (l *Limiter) withTimeout(ctx context.Context, f func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, l.timing.timeout)
	defer cancel()
	f(ctx)
}
