package mongostore

import (
	"context"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
	"go.mongodb.org/mongo-driver/v2/x/bsonx/bsoncore"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/domain/page"
	"orgd/domain/search"
)

// Records implements [ports.AgentStore].
func (s *Agents) Records(ctx context.Context, q agent.Query) (_ []agent.Record, err error) {
	defer s.db.observer.Begin(&ctx, "agents.list").End(&err)
	return list(s.db.ask(ctx), agentsColl, agentsFilter(q), s.db.record, agentsOrder(q))
}

// Keys implements [ports.AgentStore].
func (s *Agents) Keys(ctx context.Context, q agent.Query) (keys []agent.Key, err error) {
	defer s.db.observer.Begin(&ctx, "agents.keys").End(&err)
	q.Prefix, q.After = "", nil
	r, opts := s.db.ask(ctx), options.Find().SetProjection(mongodb.By("key", "name")).SetBatchSize(walkedAtOnce)
	err = walk(r, finding(r, agentsColl, agentsFilter(q), opts), func(raw bson.Raw) (done bool, err error) {
		var k agent.Key
		eachField(raw, func(field []byte, v bsoncore.Value) {
			text, _ := v.StringValueOK()
			switch string(field) {
			case "_id":
				k.ID = agent.ID(text)
			case "key":
				k.Name.Key = name.Key(text)
			case "name":
				k.Name.Text = text
			}
		})
		keys = append(keys, k)
		return false, nil
	})
	return keys, err
}

// RecordsOf implements [ports.AgentStore]. It asks how large the agents are before it reads
// those that fit.
func (s *Agents) RecordsOf(ctx context.Context, ids []agent.ID) (found []agent.Record, err error) {
	defer s.db.observer.Begin(&ctx, "agents.list").End(&err)
	if len(ids) == 0 {
		return nil, nil // an "$in" of nothing is an error
	}
	r, sizes := s.db.ask(ctx), map[agent.ID]int{}
	size := options.Find().SetProjection(bson.D{mongodb.Is("size", bson.D{mongodb.Is("$strLenBytes", "$identity")})})
	err = walk(r, finding(r, agentsColl, bson.D{mongodb.In("_id", ids)}, size), func(raw bson.Raw) (done bool, err error) {
		id, _ := raw.Lookup("_id").StringValueOK()
		n, _ := raw.Lookup("size").AsInt64OK()
		sizes[agent.ID(id)] = int(n)
		return false, nil
	})
	if err != nil {
		return nil, err
	}
	var filling page.Filling
	fit := []agent.ID{}
	for _, id := range ids {
		if n, ok := sizes[id]; ok {
			if fit = append(fit, id); filling.Add(n) {
				break
			}
			if err := page.Allow(ctx, int(filling)); err != nil {
				return nil, err
			}
		}
	}
	found, err = every(r, agentsColl, bson.D{mongodb.In("_id", fit)}, s.db.record)
	slices.SortFunc(found, func(a, b agent.Record) int { return slices.Index(fit, a.ID) - slices.Index(fit, b.ID) })
	return found, err
}

// searchedAtOnce is how many agents MongoDB looks at without being asked for more.
const searchedAtOnce = 500

// Search implements [ports.AgentStore]. MongoDB looks at every agent, so that only those are
// sent that may have the text; of the others, it sends where they are and how large.
func (s *Agents) Search(ctx context.Context, q agent.SearchQuery) (_ agent.Found, err error) {
	defer s.db.observer.Begin(&ctx, "agents.search").End(&err)
	all := q.Query
	all.Limit = 0
	tags := bson.D{mongodb.Is("$map", bson.D{mongodb.Is("input", bson.D{mongodb.Is("$ifNull", bson.A{"$tags", bson.A{}})}), mongodb.Is("in", hasText("$$this", q.Text))})}
	has := bson.D{mongodb.Is("$or", bson.A{hasText("$identity", q.Text), bson.D{mongodb.Is("$anyElementTrue", bson.A{tags})}})}
	opts := agentsOrder(all).SetBatchSize(searchedAtOnce).SetProjection(bson.D{
		mongodb.Is("order_key", 1), mongodb.Is("size", bson.D{mongodb.Is("$strLenBytes", "$identity")}),
		mongodb.Is("agent", bson.D{mongodb.Is("$cond", bson.A{has, "$$ROOT", "$$REMOVE"})}),
	})
	found := agent.Search(q)
	err = walk(s.db.ask(ctx), finding(s.db.ask(ctx), agentsColl, agentsFilter(all), opts), func(raw bson.Raw) (done bool, err error) {
		if done, err = s.look(found, raw); err != nil {
			return true, err
		}
		return done, page.Allow(ctx, found.Bytes)
	})
	return found.Found, err
}

// hasText is the expression that the text may be in a field of JSON, or in a tag, which JSON
// has as it is.
func hasText(field string, text search.Text) bson.D {
	return bson.D{mongodb.Is("$regexMatch", bson.D{mongodb.Is("input", field), mongodb.Is("regex", text.Pattern())})}
}

// look looks at what MongoDB has sent of an agent.
func (s *Agents) look(found *agent.Searching, raw bson.Raw) (done bool, err error) {
	sent, err := raw.LookupErr("agent")
	if err != nil { // it cannot have the text
		id, _ := raw.Lookup("_id").StringValueOK()
		key, _ := raw.Lookup("order_key").StringValueOK()
		size, _ := raw.Lookup("size").AsInt64OK()
		return found.Pass(agent.Position{OrderKey: agent.OrderKey(key), ID: agent.ID(id)}, int(size)), nil
	}
	var d agentDoc
	if err := sent.Unmarshal(&d); err != nil {
		return true, err
	}
	rec, err := s.db.record(d)
	if err != nil {
		return true, err
	}
	return found.Look(rec, func() (agent.Record, error) { return rec, nil })
}

func agentsOrder(q agent.Query) *options.FindOptionsBuilder {
	if q.Prefix != "" {
		return first(q.Limit, "key")
	}
	return first(q.Limit, "order_key", "_id")
}

func agentsFilter(q agent.Query) bson.D {
	filter := mongodb.Given(mongodb.Is("department", string(q.Department)), mongodb.Is("status", string(q.Status)), mongodb.Is("level", string(q.Level)))
	if q.Owner != "" {
		filter = append(filter, mongodb.Is("owner", bson.D{mongodb.Is("$eq", q.Owner), mongodb.Is("$exists", true)}))
	}
	if len(q.Tags) > 0 {
		filter = append(filter, mongodb.Is("tags", bson.D{mongodb.Is("$all", q.Tags), mongodb.Is("$exists", true)}))
	}
	switch {
	case q.Prefix != "" && q.After != nil:
		return append(filter, mongodb.StartsWith("key", string(q.Prefix)),
			mongodb.Is("$and", bson.A{bson.D{mongodb.Compare("key", "$gt", string(q.After.Name))}}))
	case q.Prefix != "":
		return append(filter, mongodb.StartsWith("key", string(q.Prefix)))
	case q.After != nil:
		return append(filter, mongodb.Compare("order_key", "$gte", string(q.After.OrderKey)),
			mongodb.Behind("$gt", "order_key", string(q.After.OrderKey), "$gt", "_id", string(q.After.ID)))
	}
	return filter
}

// findAtOnce bounds the references of one query.
const findAtOnce = 5000

// Names implements [ports.AgentStore].
func (s *Agents) Names(ctx context.Context, ids []agent.ID) (_ map[agent.ID]string, err error) {
	defer s.db.observer.Begin(&ctx, "agents.names").End(&err)
	names := make(map[agent.ID]string, len(ids))
	opts := options.Find().SetProjection(mongodb.By("name"))
	for some := range slices.Chunk(ids, findAtOnce) {
		docs, err := all[agentDoc](s.db.ask(ctx), agentsColl, bson.D{mongodb.In("_id", some)}, opts)
		if err != nil {
			return nil, err
		}
		for _, d := range docs {
			names[agent.ID(d.ID)] = d.Name
		}
	}
	return names, nil
}

// Find implements [ports.AgentStore].
func (s *Agents) Find(ctx context.Context, refs []identity.Ref) (_ map[identity.Ref]agent.Profile, err error) {
	defer s.db.observer.Begin(&ctx, "agents.find").End(&err)
	wanted := map[string][]string{} // values by field
	asked := make(map[identity.Ref]bool, len(refs))
	for _, r := range refs {
		if asked[r] = true; r.ID != "" {
			wanted["_id"] = append(wanted["_id"], string(r.ID))
		} else {
			wanted["key"] = append(wanted["key"], string(r.Name))
		}
	}
	found := map[identity.Ref]agent.Profile{}
	opts := options.Find().SetProjection(mongodb.By("key", "name", "department", "department_id"))
	for field, values := range wanted {
		for some := range slices.Chunk(values, findAtOnce) {
			docs, err := all[agentDoc](s.db.ask(ctx), agentsColl, bson.D{mongodb.In(field, some)}, opts)
			if err != nil {
				return nil, err
			}
			for _, d := range docs {
				for _, r := range []identity.Ref{{ID: agent.ID(d.ID)}, {Name: name.Key(d.Key)}} {
					if asked[r] {
						found[r] = d.profile()
					}
				}
			}
		}
	}
	return found, nil
}

// Resolve implements [ports.AgentStore].
func (s *Agents) Resolve(ctx context.Context, ref identity.Ref) (_ agent.ID, _ name.Name, err error) {
	defer s.db.observer.Begin(&ctx, "agents.trace").End(&err)
	d, err := view(ctx, s.db.engine, func(r reader) (agentDoc, error) {
		d, err := one[agentDoc](r, agentsColl, byRef(ref))
		if mongodb.IsMissing(err) && ref.ID != "" {
			d, err = one[agentDoc](r, deletedAgentsColl, byRef(ref))
		}
		return d, noAgent(err, ref)
	})
	return agent.ID(d.ID), name.Name{Text: d.Name, Key: name.Key(d.Key)}, err
}

// Counts implements [ports.AgentStore].
func (s *Agents) Counts(ctx context.Context, departments []name.Key) (_ map[name.Key]agent.Counts, err error) {
	defer s.db.observer.Begin(&ctx, "agents.count").End(&err)
	return view(ctx, s.db.engine, func(r reader) (map[name.Key]agent.Counts, error) { return headcounts(r, departments) })
}
