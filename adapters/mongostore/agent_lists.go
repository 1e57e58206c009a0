package mongostore

import (
	"context"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
)

// Agents implements [ports.AgentStore].
func (s *Agents) Agents(ctx context.Context, q agent.Query) ([]agent.Agent, error) {
	return selected(ctx, s, q, agentDoc.agent)
}

// Records implements [ports.AgentStore].
func (s *Agents) Records(ctx context.Context, q agent.Query) ([]agent.Record, error) {
	return selected(ctx, s, q, func(d agentDoc) (agent.Record, error) { return d.record(), nil })
}

// selected returns what read makes of the agents that q selects.
func selected[T any](ctx context.Context, s *Agents, q agent.Query, read func(agentDoc) (T, error)) ([]T, error) {
	opts := options.Find().SetLimit(int64(q.Limit)).SetProjection(unowed())
	if q.Prefix != "" {
		opts.SetSort(bson.D{is("key", 1)})
	} else {
		opts.SetSort(bson.D{is("place", 1), is("_id", 1)})
	}
	var docs []agentDoc
	if err := s.db.all(ctx, s.db.coll(agentsColl), agentsFilter(q), &docs, opts); err != nil {
		return nil, err
	}
	found := make([]T, len(docs))
	for i, d := range docs {
		var err error
		if found[i], err = read(d); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func agentsFilter(q agent.Query) bson.D {
	filter := bson.D{}
	for field, value := range map[string]string{
		"department": string(q.Department), "status": string(q.Status), "level": string(q.Level),
	} {
		if value != "" {
			filter = append(filter, is(field, value))
		}
	}
	if q.Prefix != "" {
		filter = append(filter, startsWith("key", string(q.Prefix)))
		if q.After != nil {
			filter = append(filter, is("$and", bson.A{bson.D{is("key", bson.D{is("$gt", string(q.After.Name))})}}))
		}
		return filter
	}
	if q.After == nil {
		return append(filter, exists("place", true)) // those that were fired have none
	}
	return append(filter, is("place", bson.D{is("$gte", string(q.After.Place))}),
		behind("$gt", "place", string(q.After.Place), "_id", string(q.After.ID)))
}

// findAtOnce bounds the references of one query.
const findAtOnce = 5000

// Find implements [ports.AgentStore].
func (s *Agents) Find(ctx context.Context, refs []identity.Ref) (map[identity.Ref]agent.Profile, error) {
	var ids, keys []string
	asked := make(map[identity.Ref]bool, len(refs))
	for _, r := range refs {
		switch asked[r] = true; {
		case r.ID != "":
			ids = append(ids, string(r.ID))
		default:
			keys = append(keys, string(r.Name))
		}
	}
	found := map[identity.Ref]agent.Profile{}
	add := func(d agentDoc) {
		s.db.sees(d.Updated)
		for _, r := range []identity.Ref{{ID: agent.ID(d.Head.ID)}, {Name: name.Key(d.Folded)}} {
			if asked[r] {
				found[r] = d.profile()
			}
		}
	}
	if err := s.each(ctx, "_id", ids, add); err != nil {
		return nil, err
	}
	return found, s.each(ctx, "key", keys, add)
}

// each calls do for every agent that exists and has one of the values.
func (s *Agents) each(ctx context.Context, field string, values []string, do func(agentDoc)) error {
	opts := options.Find().SetProjection(fields("name", "folded", "department", "department_id", "updated"))
	for some := range slices.Chunk(values, findAtOnce) {
		var docs []agentDoc
		filter := bson.D{in(field, some), is("place", bson.D{is("$exists", true)})}
		if err := s.db.all(ctx, s.db.coll(agentsColl), filter, &docs, opts); err != nil {
			return err
		}
		for _, d := range docs {
			do(d)
		}
	}
	return nil
}

// Counts implements [ports.AgentStore].
func (s *Agents) Counts(ctx context.Context, department name.Key) (agent.Counts, error) {
	return s.db.counts(ctx, s.db.coll(agentsColl), department)
}

func (db *DB) counts(ctx context.Context, from *mongo.Collection, department name.Key) (c agent.Counts, err error) {
	var rows []struct {
		Status string `bson:"_id"`
		N      int64  `bson:"n"`
	}
	pipeline := mongo.Pipeline{
		{is("$match", bson.D{is("department", string(department))})},
		{is("$group", bson.D{is("_id", "$status"), is("n", bson.D{is("$sum", 1)})})},
	}
	err = db.run(ctx, "count", agentsColl, func(ctx context.Context) error {
		cursor, err := from.Aggregate(ctx, pipeline)
		if err != nil {
			return err
		}
		return cursor.All(ctx, &rows)
	})
	for _, r := range rows {
		c.Total += r.N
		if r.Status == string(identity.Active) {
			c.Active += r.N
		}
	}
	return c, err
}
