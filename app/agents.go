package app

import (
	"context"
	"errors"

	"orgd/domain/access"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/ports"
)

// Agents are the use cases on agents.
type Agents struct {
	clock       ports.Clock
	ids         ports.IDs
	agents      ports.AgentStore
	departments ports.DepartmentStore
	identities  ports.IdentityLog
	replies     ports.IdempotencyStore
}

// NewAgents returns the use cases on agents.
func NewAgents(clock ports.Clock, ids ports.IDs, agents ports.AgentStore, departments ports.DepartmentStore, identities ports.IdentityLog, replies ports.IdempotencyStore) *Agents {
	return &Agents{clock: clock, ids: ids, agents: agents, departments: departments, identities: identities, replies: replies}
}

// Agent returns one agent, to be shown.
func (s *Agents) Agent(ctx context.Context, ref identity.Ref) (agent.Record, error) {
	return s.agents.Record(ctx, ref)
}

// List returns a page of agents, to be shown.
func (s *Agents) List(ctx context.Context, q agent.Query) ([]agent.Record, error) {
	return s.agents.Records(ctx, q)
}

// Search returns a page of the agents in which a text is found.
func (s *Agents) Search(ctx context.Context, q agent.SearchQuery) (agent.Found, error) {
	return s.agents.Search(ctx, q)
}

// HireAgent is what a new agent is made from. Reply makes the answer from it.
type HireAgent struct {
	Patch agent.Patch
	Reply func(agent.Record) idempotency.Reply
}

// Hire creates an agent in a department that exists.
func (s *Agents) Hire(ctx context.Context, c Call, in HireAgent) (hired agent.Record, err error) {
	if err := access.CheckIn(c.Actor, access.AgentsCreate, in.Patch.Department().Key); err != nil {
		return hired, err
	}
	refs, _, err := resolve(ctx, s.agents, in.Patch.References())
	if err != nil {
		return hired, err
	}
	ch := newChange(s.clock, s.ids, c).in(in.Patch.Department().Key)
	id, events := agent.ID(s.ids.NewID()), ch.cause(s.ids)
	_, err = s.agents.Create(ctx, *in.Patch.Department(), func(department name.Name) (ports.AgentChange, error) {
		step, err := agent.Hire(id, in.Patch.Resolve(refs).In(department), events)
		if err != nil {
			return ports.AgentChange{}, err
		}
		hired = step.Agent.Record()
		return ch.agentChange(step, func() idempotency.Reply { return in.Reply(hired) }), nil
	})
	return hired, err
}

// ChangeAgent is a change of one agent.
type ChangeAgent struct {
	Ref   identity.Ref
	Patch agent.Patch
}

// Change merges a patch into an agent.
func (s *Agents) Change(ctx context.Context, c Call, in ChangeAgent) (changed agent.Record, err error) {
	patch, refused := s.prepare(ctx, in.Patch)
	if refused != nil && !errors.Is(refused, agent.ErrDepartment) {
		return changed, refused
	}
	ch := newChange(s.clock, s.ids, c)
	events := ch.cause(s.ids)
	_, err = s.agents.Update(ctx, in.Ref, func(a agent.Agent) (ports.AgentChange, error) {
		if err := ch.mayChange(access.AgentsUpdate, a, in.Patch.Department()); err != nil {
			return ports.AgentChange{}, err
		}
		// An unknown department is a rule of the state: the agent's existence
		// and its tag come first.
		if refused != nil {
			return ports.AgentChange{}, refused
		}
		step, err := a.Change(patch, events)
		if err != nil {
			return ports.AgentChange{}, err
		}
		changed = step.Agent.Record()
		return ch.agentChange(step, noReply), nil
	})
	return changed, err
}

// Fire deletes an agent and frees its name.
func (s *Agents) Fire(ctx context.Context, c Call, ref identity.Ref) error {
	ch := newChange(s.clock, s.ids, c)
	events := ch.cause(s.ids)
	_, err := s.agents.Update(ctx, ref, func(a agent.Agent) (ports.AgentChange, error) {
		if err := ch.mayChange(access.AgentsDelete, a, nil); err != nil {
			return ports.AgentChange{}, err
		}
		return ch.agentChange(a.Fire(events), noReply), nil
	})
	return err
}

// mayChange checks permission for the agent's department and for the one that
// it would move to, then the caller's condition.
func (ch change) mayChange(op access.Operation, a agent.Agent, to *name.Name) error {
	departments := []name.Key{a.Department().Key}
	if to != nil {
		departments = append(departments, to.Key)
	}
	if err := access.CheckIn(ch.call.Actor, op, departments...); err != nil {
		return err
	}
	return ch.call.If.Check(a.Tag())
}

// prepare resolves the names in a patch: agents to ids, and the department to
// its name as it writes it. An unknown department is agent.ErrDepartment.
func (s *Agents) prepare(ctx context.Context, p agent.Patch) (agent.Patch, error) {
	refs, _, err := resolve(ctx, s.agents, p.References())
	if err != nil {
		return p, err
	}
	p = p.Resolve(refs)
	if p.Department() == nil {
		return p, nil
	}
	d, err := s.written(ctx, *p.Department())
	if err != nil {
		return p, err
	}
	return p.In(d), nil
}

// written returns the name of a department as it writes it, for an agent that comes into it, or
// agent.ErrDepartment.
func (s *Agents) written(ctx context.Context, asked name.Name) (name.Name, error) {
	d, err := s.departments.Name(ctx, asked.Key)
	if errors.Is(err, department.ErrNotFound) {
		err = agent.NoDepartment(asked)
	}
	return d, err
}

// cause is the change as the agent's events record it.
func (ch change) cause(ids ports.IDs) activity.Cause {
	return activity.Cause{At: ch.at, By: ch.call.Actor.Subject, Reason: ch.call.Reason, IDs: &activity.IDs{New: ids.NewID}}
}

func (ch change) agentChange(s agent.Step, reply func() idempotency.Reply) ports.AgentChange {
	to := s.Agent.Revision
	if s.Deleted {
		to = 0
	}
	return ports.AgentChange{Step: s, Trail: logged(ch.trail(s.Change.Action, audit.Agent(string(s.Agent.ID())), s.From, to, reply), s.Change)}
}
