package memory

import (
	"slices"
	"sync"

	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
)

// MaxNewest is how many positions are read; twice as many are kept.
const MaxNewest = 1024

// Newest has the newest events of all types in the order of their feed, which no index
// has: without it a page merges an index of each type.
//
// It is never out of date, because no other process changes the database: the writer
// says what a commit has stored before anybody is answered.
type Newest struct {
	mu     sync.Mutex
	events []FeedPosition // the newest last; none in the database lies between them or behind them
	known  bool           // whether events is what the database has
	whole  bool           // whether the database has no others
}

// Page returns the numbers in the log of the events that q selects, unless others may be
// among them.
func (n *Newest) Page(q activity.Query) (seqs []int64, ok bool) {
	if q.Type != "" || q.AgentID != "" {
		return nil, false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	first, end := 0, len(n.events)
	if !q.Since.IsZero() {
		first = n.search(FeedPosition{At: sqlite.Millis(q.Since)})
	}
	if q.After != nil {
		end = n.search(FeedPosition{At: sqlite.Millis(q.After.At), ID: sqlite.PackID(q.After.ID)})
	}
	selected := n.events[min(first, end):end]
	if !n.known || len(selected) < q.Limit && first == 0 && !n.whole {
		return nil, false
	}
	for _, e := range slices.Backward(selected[max(0, len(selected)-q.Limit):]) {
		seqs = append(seqs, e.Seq)
	}
	return seqs, true
}

// search returns the index of the first event that is not before a position.
func (n *Newest) search(p FeedPosition) int {
	i, _ := slices.BinarySearchFunc(n.events, p, FeedPosition.compare)
	return i
}

// Follow takes what a commit has stored and deleted. It reports whether what the database has now
// is known: otherwise it must be read and [newest.Set].
func (n *Newest) Follow(c Changes, err error) (known bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case len(c.Events) == 0 && c.DeletedBefore == 0:
		return true
	case err != nil: // it is read after the next commit
		n.events, n.known, n.whole = nil, false, false
		return true
	}
	for _, e := range c.Events {
		if i := n.search(e); i > 0 || n.whole {
			n.events = slices.Insert(n.events, i, e)
		}
	}
	concerned := n.whole || len(n.events) > 0 && n.events[0].At < c.DeletedBefore
	if len(n.events) >= 2*MaxNewest {
		n.events, n.whole = slices.Delete(n.events, 0, len(n.events)-MaxNewest), false
	}
	return n.known && (c.DeletedBefore == 0 || !concerned)
}

// Set takes the newest events, the newest last. Without known there are none: feeds are read
// without them.
func (n *Newest) Set(events []FeedPosition, known bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events, n.known, n.whole = events, known, known && len(events) < MaxNewest
}
