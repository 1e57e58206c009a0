package memory

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

// Changes is what a commit changes, in the order in which it does.
type Changes struct {
	Agents      []AgentChange
	Departments []name.Key // that are gone
	Reported    []Reported // to the figures of agents
	Events      []FeedPosition
	Entries     []BlockRow    // of the audit trail that were added
	Trail       []audit.Entry // the same, of changes
	Logged      bool          // whether the log has grown
	// DeletedBefore is a time before which events were deleted, in milliseconds; 0 if none were.
	DeletedBefore int64
	Purged        bool // whether something was purged
}

// AnyTime is the bound of deletions that may concern every event.
const AnyTime = math.MaxInt64

// AgentChange is an agent that is not as it was.
type AgentChange struct {
	agentindex.Change
	Record *Record // what a read finds now; nil if nobody has said that
}

// And returns what two have changed, one after the other.
func (c Changes) And(more Changes) Changes {
	return Changes{
		append(c.Agents, more.Agents...), append(c.Departments, more.Departments...), append(c.Reported, more.Reported...),
		append(c.Events, more.Events...), append(c.Entries, more.Entries...), append(c.Trail, more.Trail...), c.Logged || more.Logged,
		max(c.DeletedBefore, more.DeletedBefore), c.Purged || more.Purged,
	}
}

// indexed are the changes of the index.
func (c Changes) indexed() (all []agentindex.Change) {
	for _, a := range c.Agents {
		all = append(all, a.Change)
	}
	return all
}

// concernRecords reports whether anything changes that may be remembered: nobody has read an
// agent that is new.
func (c Changes) concernRecords() bool {
	return len(c.Departments) > 0 || slices.ContainsFunc(c.Agents, func(a AgentChange) bool { return a.Was != "" })
}

// Reported is what a commit has added to the figures of agents.
type Reported struct {
	Seq  activity.Seq // of its last event that was new
	Days map[OwnDay]performance.Day
}

// FeedPosition is where an event is in the feed and in the log.
type FeedPosition struct {
	At  int64
	ID  []byte // packed
	Seq int64
}

func (p FeedPosition) compare(q FeedPosition) int {
	return cmp.Or(cmp.Compare(p.At, q.At), bytes.Compare(p.ID, q.ID))
}

// BlockRow is what a block has of an entry.
type BlockRow struct {
	Seq, At int64
	Digest  Digest
}

// OwnDay is a day of an agent or a department.
type OwnDay struct {
	Owner string // its id
	Date  performance.Date
}

// Digest is what a block has of an entry: hashes of 16 bits of its actor, its resource and
// its department, a hash of 14 bits of its action, and a bit each for an entry that is no
// report and for one of the change log.
type Digest uint64
