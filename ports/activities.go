package ports

import (
	"cmp"
	"context"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/name"
	"orgd/domain/performance"
)

// Report is one event that a client reported, with what it adds to the figures
// of its agent and of the department that the agent was in.
type Report struct {
	Event        activity.Event
	Department   name.Key
	DepartmentID string
	Measures     activity.Measures
}

// Counted is the outcome of a batch of reports.
type Counted struct {
	Accepted   int // stored now
	Duplicates int // ids that were stored before or stand twice in the batch
	// Disagree are the days of agents that the batch adds costs to, and of which performance.Day.Disagrees is true
	// now, by agent and date.
	Disagree []AgentDay
}

// AgentDay is a UTC day of an agent.
type AgentDay struct {
	Agent agent.ID
	Date  performance.Date
}

// Compare orders days by agent and date.
func (d AgentDay) Compare(e AgentDay) int {
	return cmp.Or(cmp.Compare(d.Agent, e.Agent), cmp.Compare(d.Date, e.Date))
}

// ActivityLog keeps events. An AgentStore writes those of its steps. Every
// implementation passes portstest.ActivityLog.
type ActivityLog interface {
	// Append stores the events whose id is new, adds their measures to the
	// daily figures of their agents and departments, each in the order of the batch and
	// costs as performance.Day.Counted says, and stores the trail that
	// seal makes of the outcome, as one atomic step. An event whose id is
	// stored, or stands earlier in the batch, is a duplicate and changes
	// nothing; a batch of duplicates stores its idempotency record, if any, and
	// nothing else. seal may run more than once and touches only its argument.
	// An event of an agent that was purged is agent.ErrNotFound, and nothing is stored. One that is under way
	// while the agent is purged is refused, or removed with it.
	// If the key has a record already, nothing is stored and the error is
	// idempotency.ErrRunning.
	Append(ctx context.Context, reports []Report, seal func(Counted) Trail) (Counted, error)

	// Feed returns the events that q selects as they are shown, in the order
	// of a feed. It ends with the first that is behind its page, see page.Fits and page.ErrLarge.
	Feed(ctx context.Context, q activity.Query) ([]activity.Encoded, error)

	// Find returns those of some events that are stored.
	Find(ctx context.Context, ids []activity.ID) (map[activity.ID]activity.Event, error)

	// Career returns the lifecycle events of an agent, the oldest first, ties
	// by id.
	Career(ctx context.Context, id agent.ID) ([]activity.Event, error)

	// LastActive returns the time of the newest event, of any type, of each of these agents
	// that has one. Its cost grows with the number of ids, not of events.
	LastActive(ctx context.Context, ids []agent.ID) (map[agent.ID]time.Time, error)
}
