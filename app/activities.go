package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"orgd/domain/access"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/fault"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/ports"
)

// ErrReportedAgent is a batch that reports on agents that do not exist.
var ErrReportedAgent = fault.New(fault.Validation, "a reported agent does not exist")

// Activities are the use cases on the feed of events.
type Activities struct {
	clock     ports.Clock
	ids       ports.IDs
	log       ports.ActivityLog
	agents    ports.AgentNames
	retention time.Duration
}

// NewActivities returns the use cases on events. Runtime events older than
// retention are not taken in; 0 takes them all.
func NewActivities(clock ports.Clock, ids ports.IDs, log ports.ActivityLog, agents ports.AgentNames, retention time.Duration) *Activities {
	return &Activities{clock: clock, ids: ids, log: log, agents: agents, retention: retention}
}

// Feed selects a page of events. Agent, where given, selects those of one
// agent, existing or deleted.
type Feed struct {
	activity.Query
	Agent *identity.Ref
}

// Feed returns a page of events, the newest first. An agent that never existed
// has none.
func (s *Activities) Feed(ctx context.Context, in Feed) ([]activity.Encoded, error) {
	if in.Agent == nil {
		return s.log.Feed(ctx, in.Query)
	}
	events, err := s.OfAgent(ctx, *in.Agent, in.Query)
	if errors.Is(err, agent.ErrNotFound) {
		return nil, nil
	}
	return events, err
}

// OfAgent returns a page of the events of one agent, existing or deleted.
func (s *Activities) OfAgent(ctx context.Context, ref identity.Ref, q activity.Query) ([]activity.Encoded, error) {
	id, _, err := s.agents.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	q.AgentID = string(id)
	return s.log.Feed(ctx, q)
}

// Career returns the lifecycle events of one agent, existing or deleted, the
// oldest first.
func (s *Activities) Career(ctx context.Context, ref identity.Ref) ([]activity.Event, error) {
	id, _, err := s.agents.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	return s.log.Career(ctx, id)
}

// ReportActivity is a batch of events that a client reports. Reply makes the
// answer from the outcome.
type ReportActivity struct {
	Batch jsondoc.Value
	Reply func(Reported) idempotency.Reply
}

// Reported is what came of a batch. Warnings name, in the entries of the batch, what was
// taken in and is not counted although it looks as if it should be, and days whose costs were
// reported in two ways that differ: at most 20 of them.
type Reported struct {
	ports.Counted
	Warnings []string
}

const maxWarnings = 20

func warnings(entries []activity.Entry) (all []string) {
	for i, e := range entries {
		for _, sentence := range e.Unused {
			if len(all) == maxWarnings {
				return all
			}
			all = append(all, fmt.Sprintf("events[%d].%s", i, sentence))
		}
	}
	return all
}

// Report takes a batch in as a whole or not at all. Events that are known by
// their id are counted as duplicates and change nothing.
func (s *Activities) Report(ctx context.Context, c Call, in ReportActivity) (Reported, error) {
	ch := newChange(s.clock, s.ids, c)
	entries, err := activity.ParseBatch(in.Batch, ch.at, s.retention)
	if err != nil {
		return Reported{}, err
	}
	profiles, err := s.profiles(ctx, entries)
	if err != nil {
		return Reported{}, err
	}
	reports := make([]ports.Report, len(entries))
	for i, e := range entries {
		p := profiles[i]
		if err := access.CheckReport(c.Actor, string(p.ID), p.Department); err != nil {
			return Reported{}, err
		}
		if !slices.Contains(ch.departments, p.Department) {
			ch.departments = append(ch.departments, p.Department)
		}
		reports[i] = ports.Report{
			Event:        e.Event(activity.ID(s.ids.NewID()), ch.at, string(p.ID), p.Name.Text),
			Department:   p.Department,
			DepartmentID: p.DepartmentID,
			Measures:     e.Measures,
		}
	}
	unused, names := warnings(entries), map[agent.ID]string{}
	for _, p := range profiles {
		names[p.ID] = p.Name.Text
	}
	outcome := func(n ports.Counted) Reported {
		all := slices.Clone(unused)
		for _, d := range n.Disagree[:min(len(n.Disagree), maxWarnings-len(all))] {
			all = append(all, fmt.Sprintf("agent %q, %s: the sums of cost_incurred and of the cost of task_completed differ by more than a tenth; the larger counts", names[d.Agent], d.Date))
		}
		return Reported{n, all}
	}
	n, err := s.log.Append(ctx, reports, func(n ports.Counted) ports.Trail {
		return ch.trail(audit.Reported, audit.Activities, 0, 0, func() idempotency.Reply { return in.Reply(outcome(n)) })
	})
	if errors.Is(err, agent.ErrNotFound) { // one was purged meanwhile: say which
		if _, unknown := s.profiles(ctx, entries); unknown != nil {
			err = unknown
		}
	}
	return outcome(n), err
}

// profiles looks up the agent of every entry. It returns [ErrReportedAgent]
// with every entry named whose agent does not exist.
func (s *Activities) profiles(ctx context.Context, entries []activity.Entry) ([]agent.Profile, error) {
	refs := make([]identity.Ref, len(entries))
	asked := make([]identity.Ref, 0, len(entries))
	for i, e := range entries {
		ref, err := identity.ParseRef(e.Agent)
		if err != nil {
			continue // no agent has this name: found lacks the zero Ref
		}
		refs[i] = ref
		asked = append(asked, ref)
	}
	found, err := s.agents.Find(ctx, asked)
	if err != nil {
		return nil, err
	}
	var unknown []fault.Mistake
	profiles := make([]agent.Profile, len(entries))
	for i, e := range entries {
		p, ok := found[refs[i]]
		if !ok {
			unknown = append(unknown, fault.Mistake{Path: fmt.Sprintf("events[%d].agent", i), Text: fmt.Sprintf("there is no agent %q", e.Agent)})
		}
		profiles[i] = p
	}
	if len(unknown) > 0 {
		return nil, ErrReportedAgent.Join(unknown)
	}
	return profiles, nil
}
