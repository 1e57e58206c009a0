package app

import (
	"sync"
	"time"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/fault"
	"orgd/ports"
)

// Bounds of what waits for one client: what it may lag behind the others before
// it is cut off.
const (
	maxWaiting      = 4096    // events
	maxWaitingBytes = 8 << 20 // of their texts
)

// ErrSlow ends a stream whose client takes its events slower than they come. It
// may go on from where it is.
var ErrSlow = fault.New(fault.Unavailable, "the client takes its events too slowly")

// filter selects the events of a stream, or the changes.
type filter struct {
	nothing bool
	changes *audit.Query // nil if it selects events, by what follows
	agent   string
	typ     activity.Type
	since   time.Time
}

func (f filter) selects(e activity.Logged) bool {
	switch {
	case f.nothing:
		return false
	case f.changes != nil:
		return e.Change != nil && !e.Change.At.Before(f.since) && f.changes.Selects(*e.Change)
	case e.Change != nil:
		return false
	}
	return (f.agent == "" || f.agent == e.AgentID) && (f.typ == "" || f.typ == e.Type) && !e.At.Before(f.since)
}

// Batch is a part of the log that begins where the one before ended.
type Batch struct {
	Events []activity.Logged // those that the stream selects, in their order; may be none
	// Position is how far the log was read: who goes on from it misses nothing and
	// sees nothing twice.
	Position activity.Seq
	// Resync is set if the log did not reach back to where the client was: events
	// may be missing before Position, and the batch has none.
	Resync bool
}

// inbox holds the events that a stream has yet to take.
type inbox struct {
	filter filter
	filled chan struct{} // has an element if there is something to take

	mu     sync.Mutex
	events []activity.Logged
	size   int
	next   activity.Seq // how far what was put in reaches
	err    error        // why there will be no more
}

func newInbox(f filter) *inbox { return &inbox{filter: f, filled: make(chan struct{}, 1)} }

// reset empties the inbox of a stream that is at a position.
func (in *inbox) reset(position activity.Seq) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.events, in.size, in.next, in.err = nil, 0, position, nil
}

// put adds those events of a page that the stream selects and has not seen. If
// they do not fit beside those that wait, none is added and the inbox ends.
func (in *inbox) put(page ports.LogPage) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.err != nil {
		return
	}
	before, size := len(in.events), in.size
	for _, e := range page.Events {
		if e.Seq > in.next && in.filter.selects(e) {
			in.events = append(in.events, e)
			size += weight(e)
		}
	}
	if before > 0 && (len(in.events) > maxWaiting || size > maxWaitingBytes) {
		clear(in.events[before:])
		in.events, in.err = in.events[:before], ErrSlow
		in.notify()
		return
	}
	in.size = size
	in.next = max(in.next, page.Next)
	if len(in.events) > before {
		in.notify()
	}
}

// weight is roughly what an event costs while it waits.
func weight(e activity.Logged) int {
	n := 256 + len(e.AgentName) + len(e.Description) + len(e.Related) + len(e.Metadata)
	if e.Data != nil {
		n += len(*e.Data)
	}
	if e.Change != nil {
		n += 1024
	}
	return n
}

// fail ends the inbox.
func (in *inbox) fail(err error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.err == nil {
		in.err = err
	}
	in.notify()
}

func (in *inbox) notify() {
	select {
	case in.filled <- struct{}{}:
	default:
	}
}

// take takes what is there. Without events it returns why there will be none.
func (in *inbox) take() (Batch, error) {
	in.mu.Lock()
	defer in.mu.Unlock()
	s := Batch{Events: in.events, Position: in.next}
	in.events, in.size = nil, 0
	if len(s.Events) == 0 {
		return s, in.err
	}
	return s, nil
}
