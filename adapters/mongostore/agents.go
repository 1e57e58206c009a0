package mongostore

import (
	"context"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/ports"
)

// Create implements [ports.AgentStore].
func (s *Agents) Create(ctx context.Context, asked name.Name, hire func(name.Name) (ports.AgentChange, error)) (_ agent.Agent, err error) {
	defer s.db.observer.Begin(&ctx, "agents.create").End(&err)
	step, err := write(ctx, s.db.engine, func(t *tx) (step ports.AgentChange, err error) {
		d, err := departmentFor(t, asked)
		if err != nil {
			return step, err
		}
		if step, err = hire(d.name()); err != nil {
			return step, err
		}
		t.addHistory(step)
		t.insert(agentsColl, agentOf(step.Step, d.ID), claimName(step.Agent))
		t.recount(nil, &step.Agent.Identity)
		return step, nil
	}, needByID(departmentsColl, string(asked.Key)))
	return step.Agent, err
}

// addHistory writes the audit entry, the version and the events of a step.
func (t *tx) addHistory(step ports.AgentChange) {
	t.addTrail(step.Trail, step.Effective())
	if step.Version != nil {
		t.insert(versionsColl, versionOf(step.Agent.ID(), *step.Version), nil)
	}
	for _, m := range step.Moves {
		t.insert(labelMovesColl, moveOf(step.Agent.ID(), m), nil)
	}
	for _, e := range step.Events {
		t.insert(eventsColl, eventOf(e, step.Agent.Department().Key), nil)
	}
}

// Update implements [ports.AgentStore].
func (s *Agents) Update(ctx context.Context, ref identity.Ref, change func(agent.Agent) (ports.AgentChange, error)) (_ agent.Agent, err error) {
	defer s.db.observer.Begin(&ctx, "agents.update").End(&err)
	step, err := write(ctx, s.db.engine, func(t *tx) (step ports.AgentChange, err error) {
		d, err := findAgent(t, ref, asStored)
		if err != nil {
			return step, err
		}
		before, err := s.db.agent(d)
		if err != nil {
			return step, err
		}
		if step, err = change(before); err != nil {
			return step, err
		}
		t.addHistory(step)
		if step.Effective() {
			err = t.replaceAgent(before, d, step)
		}
		return step, err
	}, needAgent(ref))
	return step.Agent, err
}

// replaceAgent writes the agent of an effective step. stored is how it is stored before.
func (t *tx) replaceAgent(before agent.Agent, stored agentDoc, step ports.AgentChange) error {
	id, departmentID := stored.ID, stored.DepartmentID
	if step.Deleted {
		t.remove(agentsColl, id)
		t.insert(deletedAgentsColl, deletedOf(stored, step.Deletion()), nil)
		t.recount(&before.Identity, nil)
		return nil
	}
	if to := step.Agent.Department(); to.Key != before.Department().Key {
		d, err := departmentFor(t, to)
		if err != nil {
			return err
		}
		departmentID = d.ID
	}
	var takes *claim
	if step.Agent.Name().Key != before.Name().Key {
		takes = claimName(step.Agent)
	}
	t.update(agentsColl, id, agentOf(step.Step, departmentID).change(), takes)
	t.recount(&before.Identity, &step.Agent.Identity)
	return nil
}

// Agent implements [ports.AgentStore].
func (s *Agents) Agent(ctx context.Context, ref identity.Ref) (_ agent.Agent, err error) {
	defer s.db.observer.Begin(&ctx, "agents.get").End(&err)
	return findAgent(s.db.ask(ctx), ref, s.db.agent)
}

// Record implements [ports.AgentStore].
func (s *Agents) Record(ctx context.Context, ref identity.Ref) (_ agent.Record, err error) {
	defer s.db.observer.Begin(&ctx, "agents.get").End(&err)
	return findAgent(s.db.ask(ctx), ref, s.db.record)
}
