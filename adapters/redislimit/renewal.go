package redislimit

import (
	"context"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"
)

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
			l.giveBackLeases(l.life)
		case <-tick.C:
			l.renewLeases()
			l.giveBackLeases(l.life)
		case <-l.back:
			l.renewLeases() // Redis may have forgotten them, and does not know those given without it
			l.giveBackLeases(l.life)
		case <-l.life.Done():
			return
		}
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
		l.patiently(ctx, func(ctx context.Context) { roundTrip(ctx, l.redis.client(), cmds) })
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
		l.patiently(l.life, func(ctx context.Context) { run(ctx, l.redis.client(), calls) })
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

// patiently gives f the time of something that nobody waits for.
func (l *Limiter) patiently(ctx context.Context, f func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, l.timing.timeout)
	defer cancel()
	f(ctx)
}
