package sqlitestore

import (
	"sync"
	"time"

	"orgd/domain/idempotency"
)

// locks are the idempotency keys that requests hold.
type locks struct {
	mu   sync.Mutex
	held map[idempotency.Key]idempotency.Lock
}

func newLocks() locks { return locks{held: map[idempotency.Key]idempotency.Lock{}} }

// take holds the key for c unless another request holds it.
func (s *locks) take(c idempotency.Lock) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, ok := s.held[c.Key]
	if !ok || held.Owner == c.Owner || c.At.Sub(held.At) > idempotency.Lease {
		s.held[c.Key] = c
		return nil
	}
	if held.Fingerprint != c.Fingerprint {
		return idempotency.ErrReused
	}
	return idempotency.ErrRunning
}

func (s *locks) drop(c idempotency.Lock) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.held[c.Key].Owner == c.Owner {
		delete(s.held, c.Key)
	}
}

// renew makes a lock begin anew, if it is still held.
func (s *locks) renew(c idempotency.Lock, at time.Time) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	held, ok := s.held[c.Key]
	if !ok || held.Owner != c.Owner {
		return idempotency.ErrRunning
	}
	held.At = at
	s.held[c.Key] = held
	return nil
}
