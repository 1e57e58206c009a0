package ports

import (
	"context"
	"sync"

	"orgd/domain/activity"
)

// LogPage is a part of the log.
type LogPage struct {
	Events []activity.Logged
	// Next is the position up to which the log was read: a reader that goes on
	// from it misses nothing and reads nothing twice. It may move without events.
	Next activity.Seq
	// More says that there may be more behind Next already: the page is full, or
	// reading the next part of the log takes long.
	More bool
}

// EventStream reads the log of all events. Every implementation passes
// portstest.EventStream.
//
// The log has one order for all readers of all replicas. An event is in the log
// before its change is answered, behind every position that anybody got before.
// The events of one change stand together in the order of the step, those of one
// batch in the order of the reports. A change of an agent that was begun after
// another one of it was answered stands behind that.
//
// How far the log reaches back depends on the storage. What entered it before
// Expiry.Events may be cut off. An event that Storage.DeleteExpired has removed for its
// own time is left out, however late it entered.
type EventStream interface {
	// Head returns a position behind every event whose change was answered before
	// the call, zero if the log is that of one process and never had any.
	Head(ctx context.Context) (activity.Seq, error)

	// After returns the first events behind a position, at most limit, in the
	// order of the log. None means that there are none up to Next. A process may
	// learn of another's event a moment after that was answered; then Changed is closed. Next
	// is not before the position, nor before the last event. It returns
	// activity.ErrTooOld if events behind the position may have been cut off, and
	// for a position that no log of this storage can have had yet.
	//
	// A page may have few events, or none, and Next may be the position, although the
	// end of the log is not reached: a part of the log may take longer to read than a
	// call should. Then More is set. Reading goes on meanwhile, so who calls again
	// with Next comes to the end, however little each call may take.
	After(ctx context.Context, position activity.Seq, limit int) (LogPage, error)

	// Progress returns how far this process has read the log for those who are at its
	// end, and its end, which is not before any event whose change was answered before
	// the call. A process that reads the log has read it up to this end soon after.
	Progress(ctx context.Context) (read, end activity.Seq, err error)

	// Stored returns events that entered the log behind one position and up to
	// another, at most limit, from where events are kept: the log need not reach
	// back to them. Events that Storage.DeleteExpired has removed are missing. Those of
	// the minute before the first position may be among them, and their order is
	// about that of the log. The Seq of an event is not behind its position in the
	// log. Next is only for another call with the same end; none means that there
	// are no more, whatever More is.
	Stored(ctx context.Context, after, upTo activity.Seq, limit int) (LogPage, error)

	// Changed returns a channel that is closed after events are appended. Get the
	// channel before reading, so that no event is missed. It may be closed without
	// an event or, if the storage cannot be read, late. So readers read again at
	// least once a second.
	Changed() <-chan struct{}
}

// Broadcast notifies everybody who waits for it. The zero value is ready.
type Broadcast struct {
	mu   sync.Mutex
	next chan struct{} // nil if nobody waits
}

// Wait returns the channel that the next Notify closes.
func (b *Broadcast) Wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next == nil {
		b.next = make(chan struct{})
	}
	return b.next
}

// Notify notifies those who wait.
func (b *Broadcast) Notify() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.next != nil {
		close(b.next)
		b.next = nil
	}
}
