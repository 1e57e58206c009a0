package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/agent"
	"orgd/domain/department"
	"orgd/domain/name"
	"orgd/ports"
)

// order is the new order of a department's agents. Rev is that of the company
// when it was decided: an agent's place is written only over an older one's.
type order struct {
	Rev    int64       `bson:"rev"`
	Places []placement `bson:"places"`
}

type placement struct {
	ID    string `bson:"id"`
	Place string `bson:"place"`
}

func orderOf(members []agent.Member, before companyDoc) *order {
	if len(members) == 0 {
		return nil
	}
	o := &order{Rev: before.Head.Rev + 1, Places: make([]placement, len(members))}
	for i, m := range members {
		o.Places[i] = placement{ID: string(m.ID), Place: string(m.Place)}
	}
	return o
}

// putOrder writes the places of an order. An agent that was fired has none.
func (db *DB) putOrder(ctx context.Context, o *order) error {
	models := make([]mongo.WriteModel, len(o.Places))
	for i, p := range o.Places {
		models[i] = mongo.NewUpdateOneModel().
			SetFilter(bson.D{
				is("_id", p.ID), exists("place", true),
				is("$or", bson.A{bson.D{exists("placed", false)}, bson.D{is("placed", bson.D{is("$lt", o.Rev)})}}),
			}).
			SetUpdate(set(is("place", p.Place), is("placed", o.Rev)))
	}
	for len(models) > 0 {
		n := min(len(models), atOnce)
		if err := db.updates(ctx, agentsColl, models[:n]); err != nil {
			return err
		}
		if models = models[n:]; len(models) > 0 {
			if err := db.reach("settle.order.half"); err != nil {
				return err
			}
		}
	}
	return nil
}

// Reorder implements [ports.DepartmentStore]. Other reorders would raise the
// company's rev, so places cannot change between reading them and the commit;
// everything else that happens to an agent leaves its place alone.
func (s *Departments) Reorder(ctx context.Context, key name.Key, arrange func(department.Department, []agent.Member) (ports.DepartmentStep, error)) (department.Department, error) {
	return s.on(ctx, key, func(_ companyDoc, before department.Department) (ports.DepartmentStep, error) {
		members, err := s.db.members(ctx, key)
		if err != nil {
			return ports.DepartmentStep{}, err
		}
		return arrange(before, members)
	})
}

// members returns the agents of a department in their order.
func (db *DB) members(ctx context.Context, department name.Key) ([]agent.Member, error) {
	opts := options.Find().SetSort(bson.D{is("place", 1), is("_id", 1)}).SetProjection(fields("key", "place"))
	var docs []agentDoc
	err := db.all(ctx, db.coll(agentsColl), bson.D{is("department", string(department))}, &docs, opts)
	if err != nil {
		return nil, err
	}
	members := make([]agent.Member, len(docs))
	for i, d := range docs {
		members[i] = agent.Member{ID: agent.ID(d.Head.ID), Name: name.Key(d.Key), Place: agent.Place(d.Place)}
	}
	return members, nil
}
