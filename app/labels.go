package app

import (
	"context"
	"errors"
	"slices"
	"strings"

	"orgd/domain/access"
	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/label"
	"orgd/ports"
)

// Label is a label as its agent's department has it.
type Label struct {
	agent.Label
	Protected bool
}

// Labels returns the labels of an agent in the order of their names, the latest version's
// among them.
func (s *Agents) Labels(ctx context.Context, ref identity.Ref) ([]Label, error) {
	rec, err := s.agents.Record(ctx, ref)
	if err != nil {
		return nil, err
	}
	a, err := rec.Agent()
	if err != nil {
		return nil, err
	}
	policies, err := s.policies(ctx, a)
	if err != nil {
		return nil, err
	}
	v, err := s.identities.Version(ctx, a.ID(), a.Version)
	if err != nil {
		return nil, err
	}
	latest := Label{Label: agent.Label{Name: label.Latest, Version: v.Number, SetBy: v.SavedBy, SetAt: v.SavedAt, Reason: v.Reason}}
	all := []Label{latest}
	for _, l := range a.Labels {
		all = append(all, Label{l, policies.Protects(l.Name)})
	}
	slices.SortFunc(all, func(x, y Label) int { return strings.Compare(x.Name, y.Name) })
	return all, nil
}

// policies are those of an agent's department. Between two reads the agent may have moved
// and its department may have gone: then it protects nothing that is shown.
func (s *Agents) policies(ctx context.Context, a agent.Agent) (department.Policies, error) {
	d, err := s.departments.Department(ctx, a.Department().Key)
	if errors.Is(err, department.ErrNotFound) {
		err = nil
	}
	return d.Policies, err
}

// PlaceLabel has a label of an agent name a version.
type PlaceLabel struct {
	Ref identity.Ref
	agent.Placing
	Reason *string // instead of the one of the call
}

// PlacedLabel is what came of it.
type PlacedLabel struct {
	Label
	Agent agent.Agent
	New   bool
}

// PlaceLabel has a label name a version.
func (s *Agents) PlaceLabel(ctx context.Context, c Call, in PlaceLabel) (placed PlacedLabel, err error) {
	if in.Reason != nil {
		c.Reason = in.Reason
	}
	ch := newChange(s.clock, s.ids, c)
	events := ch.cause(s.ids)
	_, err = s.agents.Label(ctx, in.Ref, in.Label, in.Version, func(a agent.Agent, d department.Department, below bool) (ports.AgentChange, error) {
		if err := ch.mayChange(access.LabelsMove, a, nil); err != nil {
			return ports.AgentChange{}, err
		}
		rule := ch.labelRule(d, in.Label, below)
		step, err := a.Place(in.Placing, rule, events)
		if err != nil {
			return ports.AgentChange{}, err
		}
		_, was := a.Label(in.Label)
		now, err := step.Agent.Label(in.Label)
		placed = PlacedLabel{Label: Label{now, rule.Protected}, Agent: step.Agent, New: was != nil}
		return ch.agentChange(step, noReply), err
	})
	return placed, err
}

// RemoveLabel removes a label of an agent.
func (s *Agents) RemoveLabel(ctx context.Context, c Call, ref identity.Ref, name string) error {
	ch := newChange(s.clock, s.ids, c)
	events := ch.cause(s.ids)
	_, err := s.agents.Label(ctx, ref, name, 0, func(a agent.Agent, d department.Department, below bool) (ports.AgentChange, error) {
		if err := ch.mayChange(access.LabelsMove, a, nil); err != nil {
			return ports.AgentChange{}, err
		}
		step, err := a.Unplace(name, ch.labelRule(d, name, below), events)
		if err != nil {
			return ports.AgentChange{}, err
		}
		return ch.agentChange(step, noReply), nil
	})
	return err
}

func (ch change) labelRule(d department.Department, name string, below bool) agent.LabelRule {
	return agent.LabelRule{Protected: d.Policies.Protects(name), Direct: ch.call.Actor.MovesProtected(), Below: below}
}

// Resolve returns an agent and what one of its labels names. Its content is that
// of [Agents.Content].
func (s *Agents) Resolve(ctx context.Context, ref identity.Ref, name string) (agent.Resolved, error) {
	rec, err := s.agents.Record(ctx, ref)
	if err != nil {
		return agent.Resolved{}, err
	}
	version, err := rec.VersionOf(name)
	if err != nil {
		return agent.Resolved{}, err
	}
	return rec.Resolve(name, version, identity.Stored{})
}

// Content returns the agent with the content of the version.
func (s *Agents) Content(ctx context.Context, r agent.Resolved) (_ agent.Resolved, err error) {
	r.Content, err = s.identities.Content(ctx, r.ID, r.Version)
	if errors.Is(err, identity.ErrVersionNotFound) {
		err = identity.ErrRecordMissing.With("version %d of agent %s is missing from the storage", r.Version, r.ID)
	}
	return r, err
}

// Labeled returns a page of the agents that have a label.
func (s *Agents) Labeled(ctx context.Context, q agent.LabelQuery) ([]agent.Resolved, error) {
	return s.agents.Labeled(ctx, q)
}

// LabelHistory returns a page of the history of a label of an agent, which may be gone, or
// agent.ErrNoLabel if it never had the label.
func (s *Agents) LabelHistory(ctx context.Context, ref identity.Ref, q agent.Moves) ([]agent.Move, error) {
	id, _, err := s.agents.Resolve(ctx, ref)
	if err != nil {
		return nil, err
	}
	q.Agent = id
	moves, err := s.agents.Moves(ctx, q)
	if err == nil && len(moves) == 0 && q.Before == 0 {
		err = agent.ErrNoLabel.With("agent %s never had a label %q", id, q.Label)
	}
	return moves, err
}
