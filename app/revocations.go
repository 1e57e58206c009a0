package app

import (
	"context"
	"time"

	"orgd/domain/session"
)

// overlap is how far a refresh looks back at least while revocations come in:
// replicas of an older release store them by their own clocks.
const overlap = time.Minute

// Load reads all revocations, and drops those that have expired.
func (s *Sessions) Load(ctx context.Context) error {
	now := s.clock.Now()
	all, err := s.store.Revoked(ctx, time.Time{}, now)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	// What this replica revoked while it read is not in all: merge.
	s.read(all)
	for id, until := range s.revoked {
		if !until.After(now) {
			delete(s.revoked, id)
		}
	}
	return nil
}

// Refresh reads the revocations that are new since the last time. Which those
// are does not depend on the clock of the replica that stored them.
func (s *Sessions) Refresh(ctx context.Context) error {
	now := s.clock.Now()
	s.mu.RLock()
	since := s.latest
	s.mu.RUnlock()
	if now.Sub(since).Abs() < overlap {
		since = now.Add(-overlap)
	}
	fresh, err := s.store.Revoked(ctx, since, now)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.read(fresh)
	return nil
}

// read takes in what the storage has. The caller holds the lock.
func (s *Sessions) read(stored []session.Revocation) {
	s.learn(stored...)
	for _, r := range stored {
		if r.At.After(s.latest) {
			s.latest = r.At
		}
	}
}

// learn takes in revocations. The caller holds the lock.
func (s *Sessions) learn(revoked ...session.Revocation) {
	for _, r := range revoked {
		if _, known := s.revoked[r.ID]; !known {
			s.changed.Notify()
		}
		s.revoked[r.ID] = r.Until
	}
}

func (s *Sessions) isRevoked(id string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	_, revoked := s.revoked[id]
	return revoked
}
