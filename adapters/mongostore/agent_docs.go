package mongostore

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/agent"
	"orgd/domain/name"
)

// agentDoc is an agent or, when it is fired, what is left of it. Documents of
// the domain are kept as text: nothing that a client sends becomes a field.
type agentDoc struct {
	Head     head   `bson:",inline"`
	Name     string `bson:"name"`
	Folded   string `bson:"folded"`
	Version  int64  `bson:"version"`
	Revision int64  `bson:"revision"`
	Created  int64  `bson:"created"`
	Updated  int64  `bson:"updated"`
	// Fields of an agent that exists. Lists and names search by them.
	Key        string `bson:"key"`
	NameOp     string `bson:"name_op"`
	Department string `bson:"department"`
	// DepartmentID is that of the seat which the agent came into.
	DepartmentID string `bson:"department_id"`
	Place        string `bson:"place"`
	Status       string `bson:"status"`
	Level        string `bson:"level"`
	Identity     string `bson:"identity"`
	Outside      string `bson:"outside"`
}

// liveFields go when an agent is fired.
func liveFields() []string {
	return []string{"key", "name_op", "department", "department_id", "place", "placed", "status", "level", "identity", "outside"}
}

func (d agentDoc) record() agent.Record {
	return agent.Record{
		ID: agent.ID(d.Head.ID), Name: d.Name, Place: agent.Place(d.Place), Identity: d.Identity, Outside: d.Outside,
		Version: d.Version, Revision: d.Revision, CreatedAt: fromMillis(d.Created), UpdatedAt: fromMillis(d.Updated),
	}
}

func (d agentDoc) agent() (agent.Agent, error) {
	a, err := d.record().Agent()
	if err != nil {
		return agent.Agent{}, fmt.Errorf("mongostore: read %w", err)
	}
	return a, nil
}

// agentFields are the fields that a change of an agent writes: all but its
// place, which belongs to reorders, and the token of its name.
func agentFields(a agent.Agent) bson.D {
	return bson.D{
		is("name", a.Name().Text), is("folded", string(a.Name().Key)), is("key", string(a.Name().Key)),
		is("department", string(a.Department().Key)),
		is("status", string(a.Identity.Status)), is("level", string(a.Identity.Level)),
		is("identity", string(a.Identity.Canonical())), is("outside", string(a.Outside())),
		is("version", a.Version), is("revision", a.Revision),
		is("created", millis(a.CreatedAt)), is("updated", millis(a.UpdatedAt)),
	}
}

func (d agentDoc) name() name.Name { return name.Name{Text: d.Name, Key: name.Key(d.Folded)} }

func (d agentDoc) profile() agent.Profile {
	return agent.Profile{
		ID: agent.ID(d.Head.ID), Name: d.name(),
		Department: name.Key(d.Department), DepartmentID: d.DepartmentID,
	}
}
