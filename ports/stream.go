package ports

import (
	"context"
	"sync"

	"orgd/domain/activity"
)

// EventStream reads the log of all events. Every implementation passes
// portstest.EventStream.
//
// The log has one order that all replicas share. An event enters it when its
// change is true: before the change is answered if the storage belongs to one
// process, at most a second after the answer if it is shared, five if the
// process that made the change has died. It enters behind everything that
// anybody has read, so whoever follows the log misses nothing. The events of
// one change stand together in the order of the step, those of one batch in the
// order of the reports. A change of an agent that was begun after another one of
// it was answered stands behind that.
//
// The log reaches back as far as runtime events are kept: what entered it before
// Expiry.Events may be cut off. An event that Storage.Forget has removed for its
// own time is left out, however late it entered.
type EventStream interface {
	// Head returns the place behind which there are no events yet, zero if there
	// have never been any.
	Head(ctx context.Context) (activity.Seq, error)

	// After returns the first events behind a place, at most limit, in the order
	// of the log. None means that there are none behind it now. It returns
	// activity.ErrTooOld if events behind the place may have been cut off, and
	// for a place beyond the head.
	After(ctx context.Context, place activity.Seq, limit int) ([]activity.Logged, error)

	// Grown returns a channel that is closed when this process learns that the
	// log has grown. Ask for it before reading and wait for it after: then
	// nothing is missed. It is a hint that may come without growth or, if what
	// carries it between processes fails, not at all, so readers look again at
	// least once a second.
	Grown() <-chan struct{}
}

// Bell wakes everybody who waits for it. The zero value is ready.
type Bell struct {
	mu   sync.Mutex
	next chan struct{} // nil if nobody waits
}

// Next returns the channel that the next Ring closes.
func (b *Bell) Next() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// Ring wakes those who wait.
func (b *Bell) Ring() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
