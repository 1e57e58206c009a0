package sqlitestore

import (
	"time"

	"orgd/adapters/agentindex"
	"orgd/domain/audit"
	"orgd/domain/name"
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

// A follower holds in memory what the database has. It is told what a commit is about to
// change, and returns what follows it: with an error, it is not certain that the changes are stored.
type follower func(changes) (committed func(error))

// all are the followers of a database, in their order.
func (db *DB) all() []follower {
	return []follower{
		onceStored(func(c changes) { db.agents.Committed(c.indexed()) }),
		func(c changes) func(error) { return db.known.changing(c) },
		afterwards(func(c changes, err error) { db.figures.committed(c.reported, err) }),
		afterwards(db.followEvents),
		afterwards(func(c changes, _ error) {
			if c.purged {
				db.logHasPurged, db.trimmed = true, time.Time{}
			}
		}),
		onceStored(func(c changes) {
			if len(c.trail) > 0 && db.committed != nil {
				db.committed(c.trail)
			}
		}),
		onceStored(func(c changes) {
			if c.logged {
				db.changed.Notify()
			}
		}),
	}
}

// afterwards is a follower that needs to know nothing before.
func afterwards(committed func(changes, error)) follower {
	return func(c changes) func(error) { return func(err error) { committed(c, err) } }
}

// onceStored is a follower of what is stored for certain.
func onceStored(stored func(changes)) follower {
	return afterwards(func(c changes, err error) {
		if err == nil {
			stored(c)
		}
	})
}
