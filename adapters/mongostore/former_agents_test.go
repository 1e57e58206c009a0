package mongostore

import (
	"errors"
	"sync"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/ports"
	"orgd/ports/portstest"
)

// fire deletes an agent, and returns it as it was last.
func (o *office) fire(id agent.ID) agent.Agent {
	o.Helper()
	on := cause()
	last, err := o.Agents.Update(o.Context(), refOf(id), func(a agent.Agent) (ports.AgentChange, error) {
		s := a.Fire(on)
		t := trail(audit.Agent(string(id)), nil)
		t.Audit.From = s.From
		return ports.AgentChange{Step: s, Trail: t}, nil
	})
	o.must(err)
	return last
}

func (o *office) purge(id agent.ID) {
	o.Helper()
	on := cause()
	o.must(o.Agents.Purge(o.Context(), id, func(f agent.Former) (ports.AgentChange, error) {
		return ports.AgentChange{Step: f.Purge(on), Trail: trail(audit.Agent(string(id)), nil)}, nil
	}))
}

// TestFormerPurgeGoesOn: what a process that died has left of a purge is removed.
func TestFormerPurgeGoesOn(t *testing.T) {
	o := newOffice(t)
	o.must(o.createDepartment(t.Context(), "Ops", 0))
	id := o.hire("Ops")
	o.fire(id)
	_, err := o.db.coll(deletedAgentsColl).DeleteOne(t.Context(), mongodb.ByID(string(id)))
	o.must(err)
	_, err = o.db.coll(purgedAgentsColl).InsertOne(t.Context(), purgedDoc{ID: string(id)})
	o.must(err)
	for more := true; more; {
		more, err = o.Storage.DeleteExpired(t.Context(), ports.Expiry{})
		o.must(err)
	}
	for coll, filter := range map[string]bson.D{
		eventsColl: {mongodb.Is("agent", string(id))}, versionsColl: {mongodb.StartsWith("_id", string(id)+"/")}, purgedAgentsColl: {},
	} {
		if n, err := o.db.coll(coll).CountDocuments(t.Context(), filter); n != 0 || err != nil {
			t.Errorf("%d documents of %s are left, %v", n, coll, err)
		}
	}
}

// TestPurgeBesideReports: a report that another replica has begun to commit before an agent is purged is refused, or
// removed when it cannot be under way any more.
func TestPurgeBesideReports(t *testing.T) {
	o := newOffice(t)
	o.must(o.createDepartment(t.Context(), "Ops", 0))
	other := officeOf(t, o.db.replica(t))
	id := o.hire("Ops")
	n := trail(audit.Activities, nil)
	var once sync.Once
	_, err := other.Activities.Append(t.Context(), reports(id, 3), func(ports.Counted) ports.Trail {
		once.Do(func() { // the transaction has begun, and has read what it needs
			o.fire(id)
			o.purge(id)
		})
		return n
	})
	if err != nil && !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("Append = %v, want nil or ErrNotFound", err)
	}
	if _, err := other.report(t.Context(), reports(id, 3)); !errors.Is(err, agent.ErrNotFound) {
		t.Errorf("Append after the purge = %v, want ErrNotFound", err)
	}
	for more := true; more; {
		more, err = other.Storage.DeleteExpired(t.Context(), ports.Expiry{Now: now().Add(agent.PurgeLasts)})
		o.must(err)
	}
	for coll, filter := range map[string]bson.D{eventsColl: {mongodb.Is("agent", string(id))}, rollupsColl: {mongodb.StartsWith("_id", ownerOfAgent(id))}, purgedAgentsColl: {}} {
		if n, err := o.db.coll(coll).CountDocuments(t.Context(), filter); n != 0 || err != nil {
			t.Errorf("%d documents of %s are left, %v", n, coll, err)
		}
	}
}

func TestTraces(t *testing.T) {
	portstest.Traces(t, func(t *testing.T) (portstest.Stores, func() []byte) {
		db := openTest(t)
		return db.Stores(), func() (stored []byte) {
			for coll := range indexes() {
				cursor, err := db.coll(coll).Find(t.Context(), bson.D{})
				if err != nil {
					t.Fatal(err)
				}
				for cursor.Next(t.Context()) {
					stored = append(stored, cursor.Current...)
				}
				if err := cursor.Err(); err != nil {
					t.Fatal(err)
				}
			}
			return stored
		}
	})
}
