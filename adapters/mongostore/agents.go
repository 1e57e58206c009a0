package mongostore

import (
	"context"
	"errors"
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/mongostore/internal/mongodb"
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

// departmentFor returns the department that an agent joins, or agent.ErrDepartment.
func departmentFor(t *tx, asked name.Name) (departmentDoc, error) {
	d, err := findDepartment(t, asked.Key, asStored)
	if errors.Is(err, department.ErrNotFound) {
		return d, agent.NoDepartment(asked)
	}
	return d, err
}

func claimName(a agent.Agent) *claim {
	return &claim{
		need: need{agentsColl, "key", string(a.Name().Key)},
		taken: func(holder bson.Raw) error {
			name, _ := holder.Lookup("name").StringValueOK()
			return agent.Taken(name)
		},
	}
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

func needAgent(ref identity.Ref) need {
	by := byRef(ref)[0]
	return need{agentsColl, by.Key, by.Value.(string)}
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

// findAgent returns an agent, or agent.ErrNotFound.
func findAgent[T any](r reader, ref identity.Ref, convert func(agentDoc) (T, error)) (T, error) {
	a, err := get(r, agentsColl, byRef(ref), convert)
	return a, noAgent(err, ref)
}

func byRef(ref identity.Ref) bson.D {
	if ref.ID != "" {
		return mongodb.ByID(string(ref.ID))
	}
	return bson.D{mongodb.Is("key", string(ref.Name))}
}

func noAgent(err error, ref identity.Ref) error {
	return mongodb.NotFound(err, "agent", string(ref.ID)+string(ref.Name), agent.ErrNotFound)
}

// agentDoc is an agent. Documents of the domain are kept as text: nothing that a
// client sends becomes a field.
type agentDoc struct {
	ID           string `bson:"_id,omitempty"`
	Key          string `bson:"key"`
	Name         string `bson:"name"`
	Department   string `bson:"department"`
	DepartmentID string `bson:"department_id"`
	OrderKey     string `bson:"order_key,omitempty"`
	Status       string `bson:"status"`
	Level        string `bson:"level"`
	Identity     string `bson:"identity"`
	Unversioned  string `bson:"outside"`
	Labels       string `bson:"labels,omitempty"`
	// LabelNames are those of Labels, for finding who has one.
	LabelNames []string `bson:"label_names,omitempty"`
	Owner      *string  `bson:"owner,omitempty"`
	Tags       []string `bson:"tags,omitempty"`
	Version    int64    `bson:"version"`
	Revision   int64    `bson:"revision"`
	Created    int64    `bson:"created"`
	Updated    int64    `bson:"updated"`
}

// agentOf is the agent after a step.
func agentOf(s agent.Step, departmentID string) agentDoc {
	a, r := s.Agent, s.Agent.Record()
	var names []string
	for _, l := range a.Labels {
		names = append(names, l.Name)
	}
	return agentDoc{
		ID: string(a.ID()), Key: string(a.Name().Key), Name: a.Name().Text,
		Department: string(a.Department().Key), DepartmentID: departmentID,
		OrderKey: string(a.OrderKey), Status: string(a.Identity.Status), Level: string(a.Identity.Level),
		Identity: r.Identity, Unversioned: r.Unversioned, Labels: r.Labels, LabelNames: names, Owner: a.Owner, Tags: a.Tags,
		Version: a.Version, Revision: a.Revision, Created: mongodb.Millis(a.CreatedAt), Updated: mongodb.Millis(a.UpdatedAt),
	}
}

// change is the update that makes an agent what d says. Its order key is
// left out: only a reorder changes it.
func (d agentDoc) change() bson.D {
	d.ID, d.OrderKey = "", ""
	change := bson.D{mongodb.Is("$set", d)}
	var unset bson.D
	if d.Labels == "" {
		unset = append(unset, mongodb.Is("labels", ""), mongodb.Is("label_names", ""))
	}
	if d.Owner == nil {
		unset = append(unset, mongodb.Is("owner", ""))
	}
	if len(d.Tags) == 0 {
		unset = append(unset, mongodb.Is("tags", ""))
	}
	if len(unset) > 0 {
		change = append(change, mongodb.Is("$unset", unset))
	}
	return change
}

func (db *DB) record(d agentDoc) (agent.Record, error) {
	r, err := db.fields.Complete(agent.Record{
		ID: agent.ID(d.ID), Name: d.Name, OrderKey: agent.OrderKey(d.OrderKey), Identity: d.Identity, Unversioned: d.Unversioned,
		Owner: d.Owner, Tags: d.Tags, Labels: d.Labels, Status: identity.Status(d.Status), Version: d.Version, Revision: d.Revision, CreatedAt: mongodb.FromMillis(d.Created), UpdatedAt: mongodb.FromMillis(d.Updated),
	})
	return r, damaged(err)
}

func (db *DB) agent(d agentDoc) (agent.Agent, error) {
	r, err := db.record(d)
	if err != nil {
		return agent.Agent{}, err
	}
	a, err := r.Agent()
	return a, damaged(err)
}

// damaged gives an error of reading a stored text its context.
func damaged(err error) error {
	if err != nil {
		err = fmt.Errorf("mongostore: read %w", err)
	}
	return err
}

func (d agentDoc) profile() agent.Profile {
	return agent.Profile{
		ID: agent.ID(d.ID), Name: name.Name{Text: d.Name, Key: name.Key(d.Key)},
		Department: name.Key(d.Department), DepartmentID: d.DepartmentID,
	}
}
