package app

import (
	"sync/atomic"
	"time"

	"orgd/domain/activity"
	"orgd/domain/fault"
)

const (
	// WatchEvery is the time between two calls of [Streams.Watch].
	WatchEvery = 5 * time.Second
	// stallTolerated is how long a process may not get on with a log that has more. Then
	// its streams end, and their clients may find another replica.
	stallTolerated = 30 * time.Second
)

// ErrStalled ends the streams of a process that does not get on with the log. They may
// go on where they are, at another one or later.
var ErrStalled = fault.New(fault.Unavailable, "this process does not get on with the log of events")

// LogMeter measures how a process follows the log.
type LogMeter interface {
	// LogStalled records for how long the process has not got on with the log although
	// there is more of it, zero while it does.
	LogStalled(d time.Duration)
	// StreamSubscribers adds delta to the clients that follow the log.
	StreamSubscribers(delta int)
}

// stall is how long the process has not got on with the log. Only Watch uses it, but for
// over.
type stall struct {
	read activity.Seq // how far it was then
	at   time.Time    // of the last look
	d    time.Duration
	over atomic.Bool // whether d is more than is tolerated
}

// look takes in how far the log was read and where it ends. Between two looks no more
// counts than twice their usual distance: a process that stood still itself did not try
// to get on.
func (s *stall) look(now time.Time, read, end activity.Seq) {
	if read == s.read && read < end && !s.at.IsZero() {
		s.d += min(now.Sub(s.at), 2*WatchEvery)
	} else {
		s.d = 0
	}
	s.read, s.at = read, now
	s.over.Store(s.d >= stallTolerated)
}
