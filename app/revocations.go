package app

import (
	"context"
	"maps"
	"slices"
	"time"

	"orgd/domain/session"
)

// Load reads all revocations, and drops those that have expired.
func (s *Sessions) Load(ctx context.Context) error {
	now := s.clock.Now()
	if err := s.read(ctx, time.Time{}, now); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	maps.DeleteFunc(s.revoked, func(_ string, until time.Time) bool { return !until.After(now) })
	return nil
}

// Refresh reads the revocations that are new since the last time. Which those
// are does not depend on the clock of the replica that stored them.
func (s *Sessions) Refresh(ctx context.Context) error {
	s.mu.RLock()
	since := s.latest
	s.mu.RUnlock()
	return s.read(ctx, since, s.clock.Now())
}

// read adds the revocations that the storage has since a time to those in memory.
func (s *Sessions) read(ctx context.Context, since, now time.Time) error {
	stored, err := s.store.Revoked(ctx, since, now)
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.learn(stored...)
	for _, r := range stored {
		if r.At.After(s.latest) {
			s.latest = r.At
		}
	}
	return nil
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

// isRevoked reports whether a session was revoked, or one that it was made from.
func (s *Sessions) isRevoked(found session.Session) bool { return s.anyRevoked(found.Sessions()...) }

// anyRevoked reports whether one of these sessions was revoked.
func (s *Sessions) anyRevoked(ids ...string) bool {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return slices.ContainsFunc(ids, func(id string) bool {
		_, revoked := s.revoked[id]
		return revoked
	})
}
