package sqlitestore

import (
	"bytes"
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"orgd/domain/activity"
)

// maxNewest is how many positions are read; twice as many are kept.
const maxNewest = 1024

// anyTime is the bound of deletions that may concern every event.
const anyTime = math.MaxInt64

// newest has the newest events of all types in the order of their feed, which no index
// has: without it a page merges an index of each type.
//
// It is never out of date, because no other process changes the database: the writer
// says what a commit has stored before anybody is answered.
type newest struct {
	mu     sync.Mutex
	events []feedPosition // the newest last; none in the database lies between them or behind them
	known  bool           // whether events is what the database has
	whole  bool           // whether the database has no others
}

// feedPosition is where an event is in the feed and in the log.
type feedPosition struct {
	at  int64
	id  []byte // packed
	seq int64
}

func (p feedPosition) compare(q feedPosition) int {
	return cmp.Or(cmp.Compare(p.at, q.at), bytes.Compare(p.id, q.id))
}

// page returns the numbers in the log of the events that q selects, unless others may be
// among them.
func (n *newest) page(q activity.Query) (seqs []int64, ok bool) {
	if q.Type != "" || q.AgentID != "" {
		return nil, false
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	first, end := 0, len(n.events)
	if !q.Since.IsZero() {
		first = n.search(feedPosition{at: millis(q.Since)})
	}
	if q.After != nil {
		end = n.search(feedPosition{at: millis(q.After.At), id: packID(q.After.ID)})
	}
	selected := n.events[min(first, end):end]
	if !n.known || len(selected) < q.Limit && first == 0 && !n.whole {
		return nil, false
	}
	for _, e := range slices.Backward(selected[max(0, len(selected)-q.Limit):]) {
		seqs = append(seqs, e.seq)
	}
	return seqs, true
}

// search returns the index of the first event that is not before a position.
func (n *newest) search(p feedPosition) int {
	i, _ := slices.BinarySearchFunc(n.events, p, feedPosition.compare)
	return i
}

// committed follows a commit, or reports that what the database has now must be read:
// some of the events are deleted, or it is not known which there were.
func (n *newest) committed(stored []feedPosition, deletedBefore int64) (ok bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, e := range stored {
		if i := n.search(e); i > 0 || n.whole {
			n.events = slices.Insert(n.events, i, e)
		}
	}
	concerned := n.whole || len(n.events) > 0 && n.events[0].at < deletedBefore
	if len(n.events) >= 2*maxNewest {
		n.events, n.whole = slices.Delete(n.events, 0, len(n.events)-maxNewest), false
	}
	return n.known && (deletedBefore == 0 || !concerned)
}

func (n *newest) set(events []feedPosition, known bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.events, n.known, n.whole = events, known, known && len(events) < maxNewest
}

// followEvents tells the newest events what a commit has stored and deleted. If that is
// not certain, they are read after the next commit.
func (db *DB) followEvents(c changes, err error) {
	switch {
	case len(c.events) == 0 && c.deletedBefore == 0:
	case err != nil:
		db.newest.set(nil, false)
	case !db.newest.committed(c.events, c.deletedBefore):
		db.readNewest()
	}
}

// readNewest reads the newest events on the writer's connection. If that fails, feeds are
// read without them, and their readers get the error.
func (db *DB) readNewest() {
	query, args := feedQuery("seq, at, id", activity.Query{Limit: maxNewest})
	found, err := rows(&View{context.Background(), db.writer}, query, args, func(r Row) (e feedPosition, err error) {
		err = r.Scan(&e.seq, &e.at, &e.id)
		return e, err
	})
	slices.Reverse(found)
	db.newest.set(found, err == nil)
}
