package mongostore

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/agent"
	"orgd/domain/name"
)

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
	Version      int64  `bson:"version"`
	Revision     int64  `bson:"revision"`
	Created      int64  `bson:"created"`
	Updated      int64  `bson:"updated"`
}

// deletedAgentDoc is what is left of an agent that was deleted.
type deletedAgentDoc struct {
	ID   string `bson:"_id"`
	Name string `bson:"name"`
	Key  string `bson:"key"`
}

func agentOf(a agent.Agent) agentDoc {
	return agentDoc{
		ID: string(a.ID()), Key: string(a.Name().Key), Name: a.Name().Text, Department: string(a.Department().Key),
		OrderKey: string(a.OrderKey), Status: string(a.Identity.Status), Level: string(a.Identity.Level),
		Identity: string(a.Identity.Canonical()), Unversioned: string(a.Unversioned()),
		Version: a.Version, Revision: a.Revision, Created: millis(a.CreatedAt), Updated: millis(a.UpdatedAt),
	}
}

// change is the update that makes an agent what d says. Its order key is
// left out: only a reorder changes it.
func (d agentDoc) change() bson.D {
	d.ID, d.OrderKey = "", ""
	return bson.D{is("$set", d)}
}

func (d agentDoc) record() (agent.Record, error) {
	return agent.Record{
		ID: agent.ID(d.ID), Name: d.Name, OrderKey: agent.OrderKey(d.OrderKey), Identity: d.Identity, Unversioned: d.Unversioned,
		Version: d.Version, Revision: d.Revision, CreatedAt: fromMillis(d.Created), UpdatedAt: fromMillis(d.Updated),
	}, nil
}

func (d agentDoc) agent() (agent.Agent, error) {
	r, _ := d.record()
	a, err := r.Agent()
	if err != nil {
		return agent.Agent{}, fmt.Errorf("mongostore: read %w", err)
	}
	return a, nil
}

func (d agentDoc) profile() agent.Profile {
	return agent.Profile{
		ID: agent.ID(d.ID), Name: name.Name{Text: d.Name, Key: name.Key(d.Key)},
		Department: name.Key(d.Department), DepartmentID: d.DepartmentID,
	}
}
