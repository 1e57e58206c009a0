package app

import (
	"context"
	"errors"

	"orgd/domain/access"
	"orgd/domain/agent"
	"orgd/domain/fault"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/ports"
)

// Versions returns a page of an agent's identity versions, the newest first,
// beginning behind the number before; 0 begins with the newest. Those of a
// deleted agent stay readable by its id.
func (s *Agents) Versions(ctx context.Context, ref identity.Ref, before int64, limit int) (agent.ID, []identity.Version, error) {
	id, _, err := s.agents.Resolve(ctx, ref)
	if err != nil {
		return "", nil, err
	}
	versions, err := s.identities.Versions(ctx, id, before, limit)
	return id, versions, err
}

// Version returns one identity version.
func (s *Agents) Version(ctx context.Context, ref identity.Ref, number int64) (identity.Version, error) {
	id, _, err := s.agents.Resolve(ctx, ref)
	if err != nil {
		return identity.Version{}, err
	}
	return s.version(ctx, id, number)
}

// version returns one identity version, or an error that says how many there are.
func (s *Agents) version(ctx context.Context, id agent.ID, number int64) (identity.Version, error) {
	found, err := s.identities.Version(ctx, id, number)
	if !errors.Is(err, identity.ErrVersionNotFound) {
		return found, err
	}
	latest, failed := s.identities.Versions(ctx, id, 0, 1)
	if failed != nil {
		return found, failed
	}
	if len(latest) == 0 {
		return found, err
	}
	return found, identity.NoVersion(id, number, latest[0].Number)
}

// Diff compares two identity versions of one agent.
func (s *Agents) Diff(ctx context.Context, ref identity.Ref, from, to int64) (identity.Diff, error) {
	if err := identity.CheckDiffOrder(from, to); err != nil {
		return identity.Diff{}, err
	}
	a, err := s.Version(ctx, ref, from)
	if err != nil {
		return identity.Diff{}, err
	}
	b, err := s.version(ctx, a.Content.ID, to)
	if err != nil {
		return identity.Diff{}, err
	}
	return identity.Compare(a, b)
}

// RollbackAgent asks for the content of an earlier version.
type RollbackAgent struct {
	Ref    identity.Ref
	Target int64
	Reason *string // instead of the one of the call
	DryRun bool    // check everything, change nothing
	Reply  func(agent.Record) idempotency.Reply
}

// Rollback writes a new version with the content of an earlier one and returns
// the agent as it is then, or, for a dry run, as it would be.
func (s *Agents) Rollback(ctx context.Context, c Call, in RollbackAgent) (after agent.Record, err error) {
	if in.Reason != nil {
		c.Reason = in.Reason
	}
	ch := newChange(s.clock, s.ids, c)
	events := ch.cause(s.ids)
	var target identity.Version // of the agent of
	var of agent.ID
	roll := func(a agent.Agent) (ports.AgentChange, error) {
		err := access.CheckIn(c.Actor, access.AgentsRollback, a.Department().Key)
		if err != nil {
			return ports.AgentChange{}, err
		}
		if of != a.ID() { // it never changes, and a store that asks twice is not kept waiting
			if target, err = s.version(ctx, a.ID(), in.Target); err != nil {
				return ports.AgentChange{}, err
			}
			of = a.ID()
		}
		if err := ch.mayChange(access.AgentsRollback, a, &target.Content.Department); err != nil {
			return ports.AgentChange{}, err
		}
		into := a.Department()
		if former := target.Content.Department; former.Key != into.Key {
			if into, err = s.written(ctx, former); err != nil {
				return ports.AgentChange{}, err
			}
		}
		back := target
		back.Content.Department = into
		step, err := a.Rollback(back, events)
		if err != nil {
			return ports.AgentChange{}, err
		}
		after = step.Agent.Record()
		reply := func() idempotency.Reply { return in.Reply(after) }
		return ch.in(a.Department().Key, target.Content.Department.Key).agentChange(step, reply), nil
	}
	if in.DryRun {
		err = s.tryRollback(ctx, in.Ref, roll)
	} else {
		_, err = s.agents.Update(ctx, in.Ref, roll)
	}
	return after, asRollback(err, target)
}

// tryRollback does what the commit of a rollback would do, without it.
func (s *Agents) tryRollback(ctx context.Context, ref identity.Ref, roll func(agent.Agent) (ports.AgentChange, error)) error {
	a, err := s.agents.Agent(ctx, ref)
	if err != nil {
		return err
	}
	step, err := roll(a)
	if err != nil {
		return err
	}
	next := step.Agent
	other, err := s.agents.Agent(ctx, identity.Ref{Name: next.Name().Key})
	if errors.Is(err, agent.ErrNotFound) {
		return nil
	}
	if err == nil && other.ID() != next.ID() {
		return agent.Taken(other.Name().Text)
	}
	return err
}

// asRollback turns what a store says of a content that cannot come back into
// the rollback's own error: the caller gave neither name nor department, so it
// is the state that is in the way.
func asRollback(err error, target identity.Version) error {
	switch {
	case errors.Is(err, agent.ErrDepartment):
		return agent.ErrRollback.With("the former department %q no longer exists", target.Content.Department.Text)
	case errors.Is(err, agent.ErrExists):
		return agent.ErrRollback.With("the former name %q is taken: %s", target.Content.Name.Text, fault.Of(err).Msg)
	default:
		return err
	}
}
