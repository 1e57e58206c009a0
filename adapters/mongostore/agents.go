package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/ports"
)

// Agents keeps agents.
type Agents struct{ db *DB }

// Create implements [ports.AgentStore].
func (s *Agents) Create(ctx context.Context, asked name.Name, hire func(name.Name) (ports.AgentChange, error)) (_ agent.Agent, err error) {
	defer s.db.observer.Begin(&ctx, "agents.create").End(&err)
	var step ports.AgentChange
	err = s.db.write(ctx, func(t *tx) error {
		d, err := departmentFor(t, asked)
		if err != nil {
			return err
		}
		if step, err = hire(d.name()); err != nil {
			return err
		}
		doc := agentOf(step.Agent)
		doc.DepartmentID = d.ID
		t.insert(agentsColl, doc, taken(step.Agent))
		t.recount(nil, &step.Agent.Identity)
		t.addHistory(step)
		return nil
	}, needByID(departmentsColl, string(asked.Key)))
	if err != nil {
		return agent.Agent{}, err
	}
	return step.Agent, nil
}

// departmentFor returns the department that an agent joins, or agent.ErrDepartment.
func departmentFor(t *tx, asked name.Name) (departmentDoc, error) {
	d, err := findDepartment(t, asked.Key)
	if errors.Is(err, department.ErrNotFound) {
		return d, agent.NoDepartment(asked)
	}
	return d, err
}

func taken(a agent.Agent) error {
	return agent.ErrExists.With("an agent of the name %q exists", a.Name().Text)
}

// addHistory writes the audit entry, the version and the events of a step.
func (t *tx) addHistory(step ports.AgentChange) {
	t.addTrail(step.Trail, step.Effective())
	if step.Version != nil {
		t.insert(versionsColl, versionOf(step.Agent.ID(), *step.Version), nil)
	}
	for _, e := range step.Events {
		t.insert(eventsColl, eventOf(e, step.Agent.Department().Key), nil)
	}
}

// Update implements [ports.AgentStore].
func (s *Agents) Update(ctx context.Context, ref identity.Ref, change func(agent.Agent) (ports.AgentChange, error)) (_ agent.Agent, err error) {
	defer s.db.observer.Begin(&ctx, "agents.update").End(&err)
	var step ports.AgentChange
	err = s.db.write(ctx, func(t *tx) error {
		d, err := findAgent(t, ref)
		if err != nil {
			return err
		}
		before, err := d.agent()
		if err != nil {
			return err
		}
		if step, err = change(before); err != nil {
			return err
		}
		if step.Effective() {
			if err := t.replaceAgent(before, d.DepartmentID, step); err != nil {
				return err
			}
		}
		t.addHistory(step)
		return nil
	}, needAgent(ref))
	if err != nil {
		return agent.Agent{}, err
	}
	return step.Agent, nil
}

func needAgent(ref identity.Ref) need {
	by := byRef(ref)[0]
	return need{agentsColl, by.Key, by.Value.(string)}
}

// replaceAgent writes the agent of an effective step. departmentID is that of the
// department before.
func (t *tx) replaceAgent(before agent.Agent, departmentID string, step ports.AgentChange) error {
	id := string(before.ID())
	if step.Deleted {
		t.remove(agentsColl, id)
		t.insert(deletedAgentsColl, deletedAgentDoc{id, before.Name().Text, string(before.Name().Key)}, nil)
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
	doc := agentOf(step.Agent)
	doc.DepartmentID = departmentID
	t.update(agentsColl, id, doc.change(), taken(step.Agent))
	t.recount(&before.Identity, &step.Agent.Identity)
	return nil
}

// Agent implements [ports.AgentStore].
func (s *Agents) Agent(ctx context.Context, ref identity.Ref) (_ agent.Agent, err error) {
	defer s.db.observer.Begin(&ctx, "agents.get").End(&err)
	d, err := findAgent(s.db.ask(ctx), ref)
	if err != nil {
		return agent.Agent{}, err
	}
	return d.agent()
}

// Record implements [ports.AgentStore].
func (s *Agents) Record(ctx context.Context, ref identity.Ref) (_ agent.Record, err error) {
	defer s.db.observer.Begin(&ctx, "agents.get").End(&err)
	d, err := findAgent(s.db.ask(ctx), ref)
	if err != nil {
		return agent.Record{}, err
	}
	return d.record()
}

// findAgent returns an agent, or agent.ErrNotFound.
func findAgent(r reader, ref identity.Ref) (agentDoc, error) {
	d, err := one[agentDoc](r, agentsColl, byRef(ref))
	return d, notFound(err, ref)
}

func byRef(ref identity.Ref) bson.D {
	if ref.ID != "" {
		return byID(string(ref.ID))
	}
	return bson.D{is("key", string(ref.Name))}
}

func notFound(err error, ref identity.Ref) error {
	if errors.Is(err, mongo.ErrNoDocuments) {
		return agent.ErrNotFound.With("agent %q not found", string(ref.ID)+string(ref.Name))
	}
	return err
}

// Resolve implements [ports.AgentStore].
func (s *Agents) Resolve(ctx context.Context, ref identity.Ref) (id agent.ID, n name.Name, err error) {
	defer s.db.observer.Begin(&ctx, "agents.trace").End(&err)
	err = s.db.view(ctx, func(r plain) error {
		d, err := one[deletedAgentDoc](r, agentsColl, byRef(ref))
		if errors.Is(err, mongo.ErrNoDocuments) && ref.ID != "" {
			d, err = one[deletedAgentDoc](r, deletedAgentsColl, byRef(ref))
		}
		id, n = agent.ID(d.ID), name.Name{Text: d.Name, Key: name.Key(d.Key)}
		return notFound(err, ref)
	})
	return id, n, err
}

// Counts implements [ports.AgentStore].
func (s *Agents) Counts(ctx context.Context, departments []name.Key) (counts map[name.Key]agent.Counts, err error) {
	defer s.db.observer.Begin(&ctx, "agents.count").End(&err)
	err = s.db.view(ctx, func(r plain) error {
		counts, err = headcounts(r, departments)
		return err
	})
	return counts, err
}
