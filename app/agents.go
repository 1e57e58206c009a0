package app

import (
	"context"
	"errors"

	"orgd/domain/access"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/receipt"
	"orgd/ports"
)

// Agents are the use cases on agents.
type Agents struct {
	kit         Kit
	agents      ports.AgentStore
	departments ports.DepartmentStore
	identities  ports.IdentityLog
}

// NewAgents returns the use cases on agents.
func NewAgents(kit Kit, agents ports.AgentStore, departments ports.DepartmentStore, identities ports.IdentityLog) *Agents {
	return &Agents{kit: kit, agents: agents, departments: departments, identities: identities}
}

// Agent returns one agent, to be shown.
func (s *Agents) Agent(ctx context.Context, ref identity.Ref) (agent.Record, error) {
	return s.agents.Record(ctx, ref)
}

// List returns a page of agents, to be shown.
func (s *Agents) List(ctx context.Context, q agent.Query) ([]agent.Record, error) {
	return s.agents.Records(ctx, q)
}

// HireAgent is what a new agent is made from. Reply makes the answer from it.
type HireAgent struct {
	Patch agent.Patch
	Reply func(agent.Agent) receipt.Reply
}

// Hire creates an agent in a department that exists.
func (s *Agents) Hire(ctx context.Context, c Call, in HireAgent) (agent.Agent, error) {
	if err := access.CheckIn(c.Actor, access.AgentsCreate, in.Patch.Department().Key); err != nil {
		return agent.Agent{}, err
	}
	refs, _, err := resolve(ctx, s.agents, in.Patch.References())
	if err != nil {
		return agent.Agent{}, err
	}
	o := s.kit.occasion(c).in(in.Patch.Department().Key)
	id, events := agent.ID(s.kit.IDs.NewID()), s.kit.events(o)
	return s.agents.Create(ctx, *in.Patch.Department(), func(department name.Name) (ports.AgentStep, error) {
		step, err := agent.Hire(id, in.Patch.Resolve(refs).In(department), events)
		if err != nil {
			return ports.AgentStep{}, err
		}
		return o.agentStep(step, in.Reply), nil
	})
}

// ChangeAgent is a change of one agent.
type ChangeAgent struct {
	Ref   identity.Ref
	Patch agent.Patch
}

// Change merges a patch into an agent.
func (s *Agents) Change(ctx context.Context, c Call, in ChangeAgent) (agent.Agent, error) {
	patch, refused := s.prepare(ctx, in.Patch)
	if refused != nil && !errors.Is(refused, agent.ErrDepartment) {
		return agent.Agent{}, refused
	}
	o := s.kit.occasion(c)
	events := s.kit.events(o)
	return s.agents.Update(ctx, in.Ref, func(a agent.Agent) (ports.AgentStep, error) {
		if err := o.mayChange(access.AgentsUpdate, a, in.Patch.Department()); err != nil {
			return ports.AgentStep{}, err
		}
		// An unknown department is a rule of the state: the agent's existence
		// and its tag come first.
		if refused != nil {
			return ports.AgentStep{}, refused
		}
		step, err := a.Change(patch, events)
		return o.agentStep(step, nil), err
	})
}

// Fire deletes an agent and frees its name.
func (s *Agents) Fire(ctx context.Context, c Call, ref identity.Ref) error {
	o := s.kit.occasion(c)
	events := s.kit.events(o)
	_, err := s.agents.Update(ctx, ref, func(a agent.Agent) (ports.AgentStep, error) {
		if err := o.mayChange(access.AgentsDelete, a, nil); err != nil {
			return ports.AgentStep{}, err
		}
		return o.agentStep(a.Fire(events), nil), nil
	})
	return err
}

// mayChange checks permission for the agent's department and for the one that
// it would move to, then the caller's condition.
func (o occasion) mayChange(op access.Operation, a agent.Agent, to *name.Name) error {
	departments := []name.Key{a.Department().Key}
	if to != nil {
		departments = append(departments, to.Key)
	}
	if err := access.CheckIn(o.call.Actor, op, departments...); err != nil {
		return err
	}
	return o.call.If.Check(a.Tag())
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
	d, err := s.departments.Name(ctx, p.Department().Key)
	if errors.Is(err, department.ErrNotFound) {
		return p, agent.NoDepartment(*p.Department())
	}
	if err != nil {
		return p, err
	}
	return p.In(d), nil
}

// events is the occasion as the agent's events will tell it.
func (k Kit) events(o occasion) activity.Occasion {
	ids := make([]activity.ID, activity.MaxEvents)
	for i := range ids {
		ids[i] = activity.ID(k.IDs.NewID())
	}
	return activity.Occasion{At: o.at, By: o.call.Actor.Subject, IDs: ids}
}

func (o occasion) agentStep(s agent.Step, reply func(agent.Agent) receipt.Reply) ports.AgentStep {
	to := s.Agent.Revision
	if s.Deleted {
		to = 0
	}
	note := o.note(audit.Agent(string(s.Agent.ID())), s.From, to, func() receipt.Reply {
		if reply == nil {
			return noReply()
		}
		return reply(s.Agent)
	})
	return ports.AgentStep{Step: s, Note: note}
}
