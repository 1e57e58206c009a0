// Package memlimit counts requests inside the process: the limiter of a single
// server, and the one that takes over where a shared limiter is lost.
//
// Memory is bounded by traffic. An address or subject is forgotten at the latest
// ten seconds after its last request has left its longest window, as soon as
// another request meets its shard. Until then an address with one subject and
// the default windows costs about 700 bytes, and each window at most 16 KiB or
// 32 bytes for every request admitted in its last period, whichever is less.
package memlimit

import (
	"context"
	"sync/atomic"
	"time"

	"orgd/domain/limit"
)

// Limiter is a ports.Limiter whose state is lost with the process. It is safe
// for concurrent use and runs no goroutines.
type Limiter struct {
	now       func() time.Duration
	addresses table
	subjects  table
}

// New returns a limiter that has counted nothing. now is a monotonic clock: it
// gives the time since some fixed moment and never steps back; see [Uptime].
func New(now func() time.Duration) *Limiter {
	return &Limiter{now: now, addresses: newTable(), subjects: newTable()}
}

// Uptime returns a monotonic clock that starts at 0 now and does not follow
// corrections of the wall clock.
func Uptime() func() time.Duration {
	start := time.Now()
	return func() time.Duration { return time.Since(start) }
}

// Admit implements ports.Limiter.
func (l *Limiter) Admit(ctx context.Context, ask limit.Ask) (limit.Grant, error) {
	grant := limit.Grant{Release: nothing}
	if err := ctx.Err(); err != nil {
		return grant, err
	}
	grant.Usages = make([]limit.Usage, 0, len(ask.AddressWindows)+len(ask.SubjectWindows))
	l.admit(&l.addresses, &grant, ask.Address, ask.AddressWindows, nil)
	l.admit(&l.subjects, &grant, ask.Subject, ask.SubjectWindows, ask.Slot)
	if grant.Denied != nil {
		grant.Denied.Outlast(grant.Usages)
	}
	return grant, nil
}

// admit decides for one group. When an earlier group has refused the request
// this one only reports its state and its wait.
func (l *Limiter) admit(t *table, grant *limit.Grant, key string, windows []limit.Window, slot *limit.Slot) {
	if len(windows) == 0 && slot == nil {
		return
	}
	s := t.shard(key)
	s.mu.Lock()
	defer s.mu.Unlock()
	// The clock is read under the lock: a time from before a wait for the lock
	// would let the request leave its windows too early.
	now := l.now()
	s.evict(now)
	g := s.group(key)
	var room [4]*history
	histories, denied := g.examine(room[:0], now, windows, slot)
	grant.Denied = longer(grant.Denied, denied)
	if grant.Denied == nil {
		g.count(now, windows, histories)
		if slot != nil && slot.Cap > 0 {
			grant.Release = s.hold(g, *slot)
		}
	}
	grant.Usages = appendUsages(grant.Usages, now, windows, histories)
}

// longer returns the denial with the longer wait, a if they are equal.
func longer(a, b *limit.Denial) *limit.Denial {
	if a == nil || b != nil && b.RetryAfter > a.RetryAfter {
		return b
	}
	return a
}

func nothing() {}

// hold takes the slot and returns the function that gives it back once.
func (s *shard) hold(g *group, slot limit.Slot) func() {
	h := g.slot(slot)
	h.held++
	g.held++
	var released atomic.Bool
	return func() {
		if released.Swap(true) {
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		h.held--
		g.held--
	}
}
