package sqlitestore

import (
	"bytes"
	"cmp"
	"math"
	"slices"

	"orgd/adapters/agentindex"
	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/name"
	"orgd/domain/performance"
)

// changes is what a commit changes, in the order in which it does.
type changes struct {
	agents      []agentChange
	departments []name.Key // that are gone
	reported    []reported // to the figures of agents
	events      []feedPosition
	entries     []blockRow    // of the audit trail that were added
	trail       []audit.Entry // the same, of changes
	logged      bool          // whether the log has grown
	// deletedBefore is a time before which events were deleted, in milliseconds; 0 if none were.
	deletedBefore int64
	purged        bool // whether something was purged
}

// anyTime is the bound of deletions that may concern every event.
const anyTime = math.MaxInt64

// agentChange is an agent that is not as it was.
type agentChange struct {
	agentindex.Change
	record *record // what a read finds now; nil if nobody has said that
}

func (c changes) and(more changes) changes {
	return changes{
		append(c.agents, more.agents...), append(c.departments, more.departments...), append(c.reported, more.reported...),
		append(c.events, more.events...), append(c.entries, more.entries...), append(c.trail, more.trail...), c.logged || more.logged,
		max(c.deletedBefore, more.deletedBefore), c.purged || more.purged,
	}
}

// indexed are the changes of the index.
func (c changes) indexed() (all []agentindex.Change) {
	for _, a := range c.agents {
		all = append(all, a.Change)
	}
	return all
}

// concernRecords reports whether anything changes that may be remembered: nobody has read an
// agent that is new.
func (c changes) concernRecords() bool {
	return len(c.departments) > 0 || slices.ContainsFunc(c.agents, func(a agentChange) bool { return a.Was != "" })
}

// reported is what a commit has added to the figures of agents.
type reported struct {
	seq  activity.Seq // of its last event that was new
	days map[ownDay]performance.Day
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

// blockRow is what a block has of an entry.
type blockRow struct {
	seq, at int64
	digest  digest
}

// ownDay is a day of an agent or a department.
type ownDay struct {
	owner string // its id
	date  performance.Date
}

// digest is what a block has of an entry: hashes of 16 bits of its actor, its resource and
// its department, a hash of 14 bits of its action, and a bit each for an entry that is no
// report and for one of the change log.
type digest uint64
