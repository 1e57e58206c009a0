package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/groupcommit"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/identity"
	"orgd/ports"
)

// deletedAgentDoc is an agent that was deleted, as it was last. One that an older release
// has deleted has only its names until [DB.complete] has found the rest.
type deletedAgentDoc struct {
	Last           agentDoc `bson:",inline"`
	DepartmentName string   `bson:"department_name"`
	Deleted        int64    `bson:"deleted"`
	DeletedBy      string   `bson:"deleted_by"`
}

// deletedOf is the agent that a step deletes. last is how it is stored.
func deletedOf(last agentDoc, d agent.Deletion) deletedAgentDoc {
	last.Labels, last.LabelNames = "", nil
	return deletedAgentDoc{last, d.Department, mongodb.Millis(d.At), d.By}
}

func (d deletedAgentDoc) deletion() agent.Deletion {
	return agent.Deletion{
		ID: agent.ID(d.Last.ID), Name: d.Last.Name, Department: d.DepartmentName, At: mongodb.FromMillis(d.Deleted), By: d.DeletedBy,
	}
}

// Deleted implements [ports.AgentStore].
func (s *Agents) Deleted(ctx context.Context, q agent.Deletions) (_ []agent.Deletion, err error) {
	defer s.db.observer.Begin(&ctx, "agents.deleted").End(&err)
	filter := bson.D{mongodb.Compare("deleted", "$gt", 0)}
	if q.After != nil {
		at := mongodb.Millis(q.After.At)
		filter = bson.D{mongodb.Is("deleted", bson.D{mongodb.Is("$gt", 0), mongodb.Is("$lte", at)}), mongodb.Behind("$lt", "deleted", at, "$lt", "_id", string(q.After.ID))}
	}
	return every(s.db.ask(ctx), deletedAgentsColl, filter, func(d deletedAgentDoc) (agent.Deletion, error) { return d.deletion(), nil },
		first(q.Limit, "-deleted", "-_id").SetProjection(mongodb.By("name", "department_name", "deleted", "deleted_by")))
}

// Restore implements [ports.AgentStore].
func (s *Agents) Restore(ctx context.Context, id agent.ID, change func(agent.Former) (ports.AgentChange, error)) (_ agent.Agent, err error) {
	defer s.db.observer.Begin(&ctx, "agents.restore").End(&err)
	step, err := write(ctx, s.db.engine, func(t *tx) (step ports.AgentChange, err error) {
		if step, err = s.db.changeFormer(t, id, change); err != nil {
			return step, err
		}
		d, err := departmentFor(t, step.Agent.Department())
		if err != nil {
			return step, err
		}
		t.addHistory(step)
		t.remove(deletedAgentsColl, string(id))
		t.insert(agentsColl, agentOf(step.Step, d.ID), claimName(step.Agent))
		t.recount(nil, &step.Agent.Identity)
		return step, nil
	}, need{deletedAgentsColl, "_id", string(id)})
	return step.Agent, err
}

// purgedDoc is an agent that was purged, of which documents may be left: others may be committing reports that
// they began before, without a conflict. It stays for longer than a transaction lasts, and then what they have left is
// removed.
type purgedDoc struct {
	ID string `bson:"_id"`
	At int64  `bson:"at,omitempty"`
}

// Purge implements [ports.AgentStore].
func (s *Agents) Purge(ctx context.Context, id agent.ID, change func(agent.Former) (ports.AgentChange, error)) (err error) {
	defer s.db.observer.Begin(&ctx, "agents.purge").End(&err)
	var last int64
	err = s.db.write(ctx, func(t *tx) error {
		step, err := s.db.changeFormer(t, id, change)
		if err != nil {
			return err
		}
		last = step.Agent.Version
		t.addHistory(step)
		t.remove(deletedAgentsColl, string(id))
		t.insert(purgedAgentsColl, purgedDoc{string(id), mongodb.Millis(step.Audit.At)}, nil)
		return nil
	}, need{deletedAgentsColl, "_id", string(id)})
	if err != nil {
		return err
	}
	s.db.contents.Remove(string(id), last)
	for more := true; more; {
		if more, err = s.db.removePurged(ctx, string(id)); err != nil {
			return groupcommit.Unknown(err)
		}
	}
	return nil
}

// changeFormer makes a step of a deleted agent.
func (db *DB) changeFormer(t *tx, id agent.ID, change func(agent.Former) (ports.AgentChange, error)) (step ports.AgentChange, err error) {
	ref := identity.Ref{ID: id}
	d, err := one[deletedAgentDoc](t, deletedAgentsColl, byRef(ref))
	if err == nil && d.Deleted == 0 {
		d, err = db.complete(t, d)
	}
	if err != nil {
		return step, noAgent(err, ref)
	}
	last, err := db.agent(d.Last)
	if err != nil {
		return step, err
	}
	return change(agent.Former{Last: last, Deletion: d.deletion()})
}

// removePurged removes a bounded part of what is left of an agent that was purged.
func (db *DB) removePurged(ctx context.Context, id string) (more bool, _ error) {
	owner := ownerOfAgent(agent.ID(id))
	for coll, filters := range map[string][]bson.D{
		eventsColl:     {{mongodb.Is("agent", id)}},
		versionsColl:   {{mongodb.StartsWith("_id", id+"/")}},
		labelMovesColl: {{mongodb.StartsWith("_id", id+"/")}},
		rollupsColl:    {{mongodb.StartsWith("_id", owner+"\n")}, {mongodb.StartsWith("_id", totalID(owner))}},
	} {
		for _, filter := range filters {
			n, err := db.expire(ctx, coll, filter)
			if err != nil {
				return false, err
			}
			more = more || n > 0
		}
	}
	return more, nil
}

// finishPurges removes a bounded part of what is left of agents that were purged before a time.
func (db *DB) finishPurges(ctx context.Context, before time.Time) (more bool, err error) {
	since := bson.D{mongodb.Is("$gt", max(0, mongodb.Millis(before)))}
	ids, err := db.idsOf(ctx, purgedAgentsColl, bson.D{mongodb.Is("at", bson.D{mongodb.Is("$not", since)})}, 1)
	if err != nil || len(ids) == 0 {
		return false, err
	}
	more, err = db.removePurged(ctx, ids[0])
	if err == nil && !more {
		_, err = db.coll(purgedAgentsColl).DeleteOne(ctx, mongodb.ByID(ids[0]))
	}
	return true, mongodb.Translate(err)
}

// completeDeleted completes a bounded number of agents that an older release has deleted,
// which lists do not have before. It returns how many it has found.
func (db *DB) completeDeleted(ctx context.Context) (int, error) {
	ids, err := db.idsOf(ctx, deletedAgentsColl, bson.D{mongodb.Is("deleted", nil)}, expireAtOnce)
	if err != nil {
		return 0, err
	}
	for _, id := range ids {
		err := db.write(ctx, func(t *tx) error {
			d, err := oneOrZero[deletedAgentDoc](t, deletedAgentsColl, mongodb.ByID(id))
			if err != nil || d.Last.ID == "" || d.Deleted != 0 {
				return err
			}
			if d, err = db.complete(t, d); err != nil {
				return err
			}
			d.Last.ID = ""
			t.update(deletedAgentsColl, id, bson.D{mongodb.Is("$set", d)}, nil)
			return nil
		})
		if err != nil {
			return 0, err
		}
	}
	return len(ids), nil
}

// complete returns an agent that an older release has deleted with what its versions, its
// events and the audit trail say of it. Its fields that no version has are lost.
func (db *DB) complete(r reader, d deletedAgentDoc) (deletedAgentDoc, error) {
	id := d.Last.ID
	ofAgent := bson.D{mongodb.StartsWith("_id", id+"/")}
	newest, err := get(r, versionsColl, ofAgent, versionDoc.version, options.FindOne().SetSort(mongodb.By("-_id")))
	if err != nil {
		return d, err
	}
	hired, err := one[versionDoc](r, versionsColl, ofAgent, options.FindOne().SetSort(mongodb.By("_id")))
	if err != nil {
		return d, err
	}
	fired, err := oneOrZero[eventDoc](r, eventsColl, bson.D{mongodb.Is("agent", id), mongodb.Is("type", activity.Fired)}, options.FindOne().SetSort(mongodb.By("-at", "-_id")))
	if err != nil {
		return d, err
	}
	entry, err := oneOrZero[entryDoc](r, auditColl, bson.D{mongodb.Is("resource", audit.Agent(id))}, options.FindOne().SetSort(mongodb.By("-at", "-_id")))
	if err != nil {
		return d, err
	}
	holder, err := oneOrZero[mongodb.IDDoc](r, agentsColl, bson.D{mongodb.Is("order_key", id)}, options.FindOne().SetProjection(mongodb.By("_id")))
	if err != nil {
		return d, err
	}
	a := agent.Agent{
		Identity: newest.Content, Text: newest.Text, Version: newest.Number, Revision: max(newest.Number, entry.From),
		OrderKey: agent.OrderKey(id), CreatedAt: mongodb.FromMillis(hired.SavedAt), UpdatedAt: newest.SavedAt,
	}
	if holder.ID != "" { // who was deleted held another one
		a.OrderKey = agent.OrderKey(fired.ID)
	}
	deletion := agent.Deletion{Department: a.Department().Text, At: mongodb.FromMillis(max(fired.At, hired.SavedAt)), By: fired.By}
	return deletedOf(agentOf(agent.Step{Agent: a}, ""), deletion), nil
}
