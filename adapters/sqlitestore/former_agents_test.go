package sqlitestore

import (
	"strings"
	"testing"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/ports"
)

// What a process that died has left of a purge is removed by the next upkeep.
func TestPurgeGoesOn(t *testing.T) {
	o := openOrg(t, t.TempDir())
	o.createDepartment("Ops")
	ids := o.hireMany(0, 2, "Ops", 10)
	_, err := o.db.Stores().Activities.Append(t.Context(), o.reports(300, ids), o.sealed)
	o.check(err)
	on := o.cause()
	_, err = o.agents.Update(t.Context(), byID(ids[0]), func(a agent.Agent) (ports.AgentChange, error) {
		return ports.AgentChange{Step: a.Fire(on), Trail: o.trail("x", nil)}, nil
	})
	o.check(err)
	o.check(o.db.Write(t.Context(), func(tx *engine.Tx) error {
		_, err := tx.Exec(deleteFormer, sqlite.PackID(ids[0]))
		if err == nil {
			_, err = tx.Exec(insertPurged, sqlite.PackID(ids[0]), 0)
		}
		return err
	}))
	for more := true; more; {
		more, err = (&Storage{o.db}).DeleteExpired(t.Context(), ports.Expiry{})
		o.check(err)
	}
	for _, table := range []string{"events WHERE agent_id", "versions WHERE agent_id", "agent_days WHERE owner", "agent_totals WHERE agent_id", "purged_agents WHERE id"} {
		for i, id := range ids {
			var n int
			o.check(o.db.Read(t.Context(), func(v *sqlite.View) error {
				return v.Row("SELECT count(*) FROM "+table+" = ?", sqlite.PackID(id)).Scan(&n)
			}))
			if want := i == 1 && !strings.HasPrefix(table, "purged"); (n > 0) != want {
				t.Errorf("%d rows of %s of agent %d are left", n, table, i)
			}
		}
	}
	if _, err := (&Identities{o.db}).Version(t.Context(), ids[1], 1); err != nil {
		t.Errorf("the version of the other agent: %v", err)
	}
	if _, _, err := o.agents.Resolve(t.Context(), identity.Ref{ID: ids[0]}); err == nil {
		t.Error("the agent is found")
	}
}
