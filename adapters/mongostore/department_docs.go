package mongostore

import (
	"fmt"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/name"
	"orgd/ports"
)

// departmentDoc is a department.
type departmentDoc struct {
	Key      string `bson:"_id"`
	ID       string `bson:"id"`
	Name     string `bson:"name"`
	OrderKey string `bson:"order_key"`
	Share    int64  `bson:"share"`
	Doc      string `bson:"doc"`
	Revision int64  `bson:"revision"`
	Created  int64  `bson:"created"`
	Updated  int64  `bson:"updated"`
}

func departmentOf(d department.Department) departmentDoc {
	return departmentDoc{
		Key: string(d.Name.Key), ID: d.ID, Name: d.Name.Text, OrderKey: string(d.OrderKey), Share: int64(d.BudgetPercent),
		Doc: string(d.Canonical()), Revision: d.Revision, Created: millis(d.CreatedAt), Updated: millis(d.UpdatedAt),
	}
}

func (d departmentDoc) name() name.Name { return name.Name{Text: d.Name, Key: name.Key(d.Key)} }

func (d departmentDoc) department() (department.Department, error) {
	found, err := department.Parse(d.Doc)
	if err != nil {
		return department.Department{}, fmt.Errorf("mongostore: read department %q: %w", d.Key, err)
	}
	found.ID, found.Name, found.OrderKey, found.Revision = d.ID, d.name(), company.OrderKey(d.OrderKey), d.Revision
	found.CreatedAt, found.UpdatedAt = fromMillis(d.Created), fromMillis(d.Updated)
	return found, nil
}

// updateDepartment writes what a step changes of a department. Its order key is left
// out: a change of the company writes it.
func (t *tx) updateDepartment(step ports.DepartmentChange) {
	d := departmentOf(step.State)
	t.update(departmentsColl, d.Key, set(
		is("share", d.Share), is("doc", d.Doc), is("revision", d.Revision), is("updated", d.Updated),
	), nil)
}

// readMembers returns the agents of a department in their order.
func readMembers(r reader, department name.Key) ([]agent.Member, error) {
	docs, err := all[agentDoc](r, agentsColl, bson.D{is("department", string(department))},
		options.Find().SetSort(by("order_key", "_id")).SetProjection(by("key", "order_key")))
	return every(docs, err, func(d agentDoc) (agent.Member, error) {
		return agent.Member{ID: agent.ID(d.ID), Name: name.Key(d.Key), OrderKey: agent.OrderKey(d.OrderKey)}, nil
	})
}

// updateOrder writes the order keys that have changed.
func (t *tx) updateOrder(from, to []agent.Member) {
	keys := make(map[agent.ID]agent.OrderKey, len(from))
	for _, m := range from {
		keys[m.ID] = m.OrderKey
	}
	for _, m := range to {
		if keys[m.ID] != m.OrderKey {
			t.update(agentsColl, string(m.ID), set(is("order_key", string(m.OrderKey))), nil)
		}
	}
}
