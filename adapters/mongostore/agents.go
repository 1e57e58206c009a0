package mongostore

import (
	"context"
	"errors"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/ports"
)

var _ ports.AgentStore = (*Agents)(nil)

// Agents keeps agents.
type Agents struct{ db *DB }

// NewAgents returns the agents in db.
func NewAgents(db *DB) *Agents { return &Agents{db} }

// Create implements [ports.AgentStore]. The agent is made before its department
// is read, and once more if that writes its name otherwise.
func (s *Agents) Create(ctx context.Context, asked name.Name, hire hireFunc) (agent.Agent, error) {
	step, err := hire(asked)
	if err != nil {
		return agent.Agent{}, err
	}
	h := home{agentsColl, string(step.Agent.ID())}
	var found *head
	err = retry(ctx, func() (bool, error) {
		done, err := s.db.try(ctx, s.hiring(h, found, &step, hire))
		if done || err != nil {
			return done, err
		}
		if found, err = s.db.headOrNil(ctx, h); err != nil {
			return false, err
		}
		if found != nil && !found.Void {
			return false, agent.ErrExists.With("an agent of this id exists")
		}
		return false, nil
	})
	if err != nil {
		return agent.Agent{}, err
	}
	return step.Agent, nil
}

// hireFunc makes an agent of a department that writes its name so.
type hireFunc = func(department name.Name) (ports.AgentStep, error)

// hiring is the attempt to do a step that hire has made. The step is made anew if
// the department turns out to write its name in another way.
func (s *Agents) hiring(h home, found *head, step *ports.AgentStep, hire hireFunc) *attempt {
	a := s.db.attempt(h, found, step.Note)
	n, d := step.Agent.Name(), step.Agent.Department()
	a.name, a.department = &n, &d
	a.hire(*step)
	a.seated = func(as name.Name) (err error) {
		if as == d {
			return nil
		}
		if *step, err = hire(as); err != nil {
			return err
		}
		a.leave(step.Note)
		a.hire(*step)
		return nil
	}
	return a
}

// hire makes the home that of a new agent.
func (a *attempt) hire(step ports.AgentStep) {
	a.set = append(agentFields(step.Agent), is("place", string(step.Agent.Place)), is("name_op", a.op))
	a.debt.follow(step)
}

// Update implements [ports.AgentStore].
func (s *Agents) Update(ctx context.Context, ref identity.Ref, change func(agent.Agent) (ports.AgentStep, error)) (agent.Agent, error) {
	var result agent.Agent
	err := retry(ctx, func() (bool, error) {
		found, err := s.db.findAgent(ctx, ref, nil)
		if err != nil {
			return false, err
		}
		if found.Head.isFull() {
			return false, s.db.settle(ctx, home{agentsColl, found.Head.ID}, found.Head.Pending)
		}
		before, err := found.agent()
		if err != nil {
			return false, err
		}
		step, err := change(before)
		if err != nil {
			return false, err
		}
		result = step.Agent
		if !step.Effective() {
			return true, s.db.leaveReceipt(ctx, step.Receipt)
		}
		return s.db.try(ctx, s.changing(found, before, step))
	})
	if err != nil {
		return agent.Agent{}, err
	}
	return result, nil
}

func (s *Agents) changing(found agentDoc, before agent.Agent, step ports.AgentStep) *attempt {
	a := s.db.attempt(home{agentsColl, found.Head.ID}, &found.Head, step.Note)
	a.debt.follow(step)
	if step.Deleted {
		a.set, a.unset = bson.D{is("fired", true)}, liveFields()
		a.debt.Freed = &freedName{found.Key, found.NameOp}
		return a
	}
	a.set = agentFields(step.Agent)
	if n := step.Agent.Name(); n.Key != before.Name().Key {
		a.name = &n
		a.set = append(a.set, is("name_op", a.op))
		a.debt.Freed = &freedName{found.Key, found.NameOp}
	}
	if d := step.Agent.Department(); d.Key != before.Department().Key {
		a.department = &d
	}
	return a
}

// follow adds what a step of an agent owes.
func (d *debt) follow(step ports.AgentStep) {
	if step.Version != nil {
		d.Version = versionOf(step.Agent.ID(), *step.Version)
	}
	d.Events = nil
	for i, e := range step.Events {
		doc := eventOf(e, step.Agent.Department().Key)
		doc.Line, doc.Nth, doc.Of = line(doc.At, d.Op), i, len(step.Events)
		d.Events = append(d.Events, doc)
	}
}

// Agent implements [ports.AgentStore].
func (s *Agents) Agent(ctx context.Context, ref identity.Ref) (agent.Agent, error) {
	d, err := s.db.findAgent(ctx, ref, unowed())
	if err != nil {
		return agent.Agent{}, err
	}
	return d.agent()
}

// Record implements [ports.AgentStore].
func (s *Agents) Record(ctx context.Context, ref identity.Ref) (agent.Record, error) {
	d, err := s.db.findAgent(ctx, ref, unowed())
	if err != nil {
		return agent.Record{}, err
	}
	return d.record(), nil
}

// findAgent returns the fields of an agent that exists, or agent.ErrNotFound.
func (db *DB) findAgent(ctx context.Context, ref identity.Ref, projection bson.D) (d agentDoc, err error) {
	err = db.find(ctx, db.coll(agentsColl), liveAgent(ref), projection, &d)
	return d, orNotFound(err, ref)
}

// unowed are all fields of a home but what it owes.
func unowed() bson.D { return bson.D{is("pending", 0)} }

// liveAgent is the filter for an agent that exists.
func liveAgent(ref identity.Ref) bson.D {
	if ref.ID != "" {
		return bson.D{is("_id", string(ref.ID)), exists("key", true)}
	}
	return bson.D{is("key", string(ref.Name))}
}

func orNotFound(err error, ref identity.Ref) error {
	if errors.Is(err, mongo.ErrNoDocuments) {
		return agent.ErrNotFound.With("agent %q not found", string(ref.ID)+string(ref.Name))
	}
	return err
}

// Trace implements [ports.AgentStore].
func (s *Agents) Trace(ctx context.Context, ref identity.Ref) (agent.ID, name.Name, error) {
	filter := liveAgent(ref)
	if ref.ID != "" {
		filter = bson.D{is("_id", string(ref.ID)), exists("void", false)}
	}
	var d agentDoc
	if err := s.db.find(ctx, s.db.coll(agentsColl), filter, fields("name", "folded"), &d); err != nil {
		return "", name.Name{}, orNotFound(err, ref)
	}
	return agent.ID(d.Head.ID), d.name(), nil
}
