package sqlitestore

import (
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"orgd/domain/activity"
)

const (
	// maxEvents bounds the memory of the events that are remembered, in bytes:
	// the feeds that are looked at all the time are about the same events.
	maxEvents = 4 << 20
	// eventOverhead is what an event takes beside its texts, about.
	eventOverhead = 512
)

// logged is an event and its place in the log.
type logged struct {
	place int64
	activity.Event
}

// events remembers events that were read, by their places in the log. Reading
// one takes longer than finding fifty of them in an index.
//
// An event never changes, and its place never comes again. So nothing here is
// ever out of date; which events there still are, only the database says.
type events struct {
	mu    sync.Mutex
	known lru[int64, activity.Event]
}

func newEvents(max int) *events {
	return &events{known: newLRU[int64, activity.Event](max)}
}

// at returns the events of some places that v has, in any order.
func (c *events) at(v *View, places []int64) ([]activity.Event, error) {
	found, missing := c.remembered(places)
	if len(missing) == 0 {
		return found, nil
	}
	list, err := json.Marshal(missing)
	if err != nil {
		return nil, err
	}
	read := make([]logged, 0, len(missing))
	err = v.Each(selectEventsAt, []any{string(list)}, func(r Row) (err error) {
		var e logged
		e.Event, err = scanEvent(r, &e.place)
		read = append(read, e)
		return err
	})
	if err != nil {
		return nil, err
	}
	if len(read) != len(missing) {
		return nil, fmt.Errorf("an index has %d events that are not stored", len(missing)-len(read))
	}
	c.remember(read)
	for _, e := range read {
		found = append(found, e.Event)
	}
	return found, nil
}

// remembered returns the events of some places that are remembered, and the
// other places.
func (c *events) remembered(places []int64) (found []activity.Event, missing []int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	found = make([]activity.Event, 0, len(places))
	for _, p := range places {
		if e, ok := c.known.get(p); ok {
			found = append(found, e)
		} else {
			missing = append(missing, p)
		}
	}
	return found, missing
}

func (c *events) remember(read []logged) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, e := range read {
		c.known.put(e.place, e.Event, eventSize(e.Event), func(activity.Event) {})
	}
}

func eventSize(e activity.Event) int {
	n := len(e.Related) + len(e.Metadata) + len(e.AgentName) + len(e.Description) + len(e.By) + eventOverhead
	if e.Data != nil {
		n += len(*e.Data)
	}
	return n
}

// inFeedOrder sorts events as a feed shows them.
func inFeedOrder(all []activity.Event) {
	slices.SortFunc(all, func(a, b activity.Event) int { return a.Position().Compare(b.Position()) })
}
