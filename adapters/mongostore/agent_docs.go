package mongostore

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
)

// Agents keeps agents.
type Agents struct{ db *DB }

func claimName(a agent.Agent) *claim {
	return &claim{
		need: need{agentsColl, "key", string(a.Name().Key)},
		taken: func(holder bson.Raw) error {
			name, _ := holder.Lookup("name").StringValueOK()
			return agent.Taken(name)
		},
	}
}

func needAgent(ref identity.Ref) need {
	by := byRef(ref)[0]
	return need{agentsColl, by.Key, by.Value.(string)}
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
