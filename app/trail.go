package app

import (
	"context"
	"errors"
	"time"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/ports"
)

// clockSkew is how far an entry may be older than what entered the log before it: clocks
// of processes differ, and a change may take a while.
const clockSkew = 10 * time.Minute

// Trail is the audit trail in the order of the commits, for those who must miss none.
type Trail struct {
	clock ports.Clock
	log   ports.EventStream
	trail ports.AuditLog
}

// NewTrail returns the trail.
func NewTrail(clock ports.Clock, log ports.EventStream, trail ports.AuditLog) *Trail {
	return &Trail{clock, log, trail}
}

// TrailPosition says how far the trail was read.
type TrailPosition struct {
	UpTo activity.Seq // in the log
	At   time.Time    // what was committed before, by the clocks of all processes, was read
	// Older is how far it was read by time, up to UpTo: the log does not reach back there, or
	// reading has begun at a time. Nil means that all of that was read.
	Older *audit.Position
}

// TrailPage is a part of the trail.
type TrailPage struct {
	Entries []audit.Entry
	Next    TrailPosition
	More    bool // there may be more already
}

// Begin returns the position before the entries from a time on.
func (s *Trail) Begin(ctx context.Context, since time.Time) (TrailPosition, error) {
	now := s.clock.Now()
	head, err := s.log.Head(ctx)
	return TrailPosition{UpTo: head, At: now, Older: &audit.Position{At: since}}, err
}

// After returns those of the next entries, at most limit, that q selects. Who goes on with
// Next misses none, also when the log does not reach back to it any more: then some that were
// read before may come again.
func (s *Trail) After(ctx context.Context, p TrailPosition, q audit.Query, limit int) (TrailPage, error) {
	page, err := s.read(ctx, p, limit)
	var selected []audit.Entry
	for _, e := range page.Entries {
		if q.Selects(e) {
			selected = append(selected, e)
		}
	}
	page.Entries = selected
	return page, err
}

func (s *Trail) read(ctx context.Context, p TrailPosition, limit int) (TrailPage, error) {
	if p.Older != nil {
		return s.readOlder(ctx, p, limit)
	}
	now := s.clock.Now()
	found, err := s.trail.After(ctx, p.UpTo, limit)
	if errors.Is(err, activity.ErrTooOld) {
		if p, err = s.Begin(ctx, p.At.Add(-clockSkew)); err != nil {
			return TrailPage{}, err
		}
		return s.readOlder(ctx, p, limit)
	}
	if err != nil {
		return TrailPage{}, err
	}
	next := TrailPosition{UpTo: found.Next, At: now}
	if found.More {
		next.At = p.At
		if n := len(found.Entries); n > 0 {
			next.At = found.Entries[n-1].At
		}
	}
	return TrailPage{found.Entries, next, found.More}, nil
}

// readOlder reads by time. What is committed meanwhile is behind p.UpTo, so nothing is missed
// that has an earlier time.
func (s *Trail) readOlder(ctx context.Context, p TrailPosition, limit int) (TrailPage, error) {
	found, err := s.trail.From(ctx, *p.Older, limit)
	if err != nil {
		return TrailPage{}, err
	}
	p.Older = nil
	if len(found) == limit {
		at := found[limit-1].Position()
		p.Older = &at
	}
	return TrailPage{found, p, true}, nil
}
