package activity

import (
	"orgd/domain/fault"
	"orgd/domain/name"
)

// Seq is a position in the log of all events, which has one order for everybody
// and only grows at its end. Zero lies before the first event. Positions ascend
// along the log and may leave numbers out.
type Seq int64

// Logged is an event in the log.
type Logged struct {
	Event
	Seq Seq
	// Department is the one that the agent was in: after the change that made
	// the event, before it for a deletion; for a reported event when it was
	// reported. It may be deleted since.
	Department name.Key
}

// ErrTooOld is a position that the log does not reach back to any more, or that it
// never had.
var ErrTooOld = fault.New(fault.Conflict, "the log of events does not reach back so far")
