package mongostore

import (
	"context"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/groupcommit"
	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/ports"
)

// deletedAgentDoc is an agent that was deleted, as it was last.
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
	filter := bson.D{}
	if q.After != nil {
		at := mongodb.Millis(q.After.At)
		filter = bson.D{mongodb.Is("deleted", bson.D{mongodb.Is("$lte", at)}), mongodb.Behind("$lt", "deleted", at, "$lt", "_id", string(q.After.ID))}
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
