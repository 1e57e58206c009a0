package memory

import (
	"sync"

	"orgd/adapters/lru"
	"orgd/domain/activity"
)

const (
	// MaxEvents bounds the memory of the cached events, in bytes. The feeds that are
	// read all the time are about the same events.
	MaxEvents = 4 << 20
	// maxEvent is the longest text of an event that is cached, in bytes. Otherwise one
	// page of the largest events would evict all others.
	maxEvent = 4 << 10
	// eventOverhead is roughly what a cached event takes besides its text, in bytes.
	eventOverhead = 256
)

// Events caches events that were read, by their positions in the log. Reading the row of
// an event and encoding it takes several times as long as finding it in an index.
//
// An event never changes, and its position never comes again. So nothing here is
// ever out of date; which events there still are, only the database says.
type Events struct {
	mu         sync.Mutex
	byPosition lru.Cache[int64, activity.Encoded]
}

// NewEvents returns a cache of at most so many bytes.
func NewEvents(max int) *Events {
	return &Events{byPosition: lru.New[int64, activity.Encoded](max)}
}

// Remembered returns the events of some positions that are remembered, and the
// other positions.
func (c *Events) Remembered(positions []int64) (found []activity.Encoded, missing []int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found = make([]activity.Encoded, 0, len(positions))
	for _, p := range positions {
		if e, ok := c.byPosition.Get(p); ok {
			found = append(found, e)
		} else {
			missing = append(missing, p)
		}
	}
	return found, missing
}

// Remember caches the event at a position of the log.
func (c *Events) Remember(position int64, e activity.Encoded) {
	if len(e.Text) > maxEvent {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.byPosition.Put(position, e, len(e.Text)+eventOverhead, func(activity.Encoded) {})
}
