package sqlitestore

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
	"orgd/ports"
	"orgd/ports/portstest"
)

// Somebody else changes the agent between the read and the write.
func TestUpdateMakesTheChangeAgain(t *testing.T) {
	o := openOrg(t, t.TempDir())
	o.createDepartment("Sales")
	id := o.hire("Ann", "Sales", 0).ID()
	var saw []string
	level := o.changing(`{"level":"senior"}`)
	got, err := o.agents.Update(context.Background(), byID(id), func(a agent.Agent) (ports.AgentChange, error) {
		saw = append(saw, a.Identity.Role)
		if len(saw) == 1 {
			_, err := o.agents.Update(context.Background(), byID(id), o.changing(`{"role":"Lead"}`))
			o.check(err)
		}
		return level(a)
	})
	o.check(err)
	if diff := cmp.Diff([]string{"Engineer", "Lead"}, saw); diff != "" {
		t.Errorf("the change saw (-want +got):\n%s", diff)
	}
	if got.Revision != 3 || got.Version != 3 || got.Identity.Role != "Lead" || got.Identity.Level != identity.Senior {
		t.Errorf("Update = revision %d, version %d, %s %s, want 3, 3, senior Lead",
			got.Revision, got.Version, got.Identity.Level, got.Identity.Role)
	}
	stored, err := o.agents.Agent(context.Background(), byID(id))
	if diff := cmp.Diff(got, stored); err != nil || diff != "" {
		t.Errorf("Agent (-updated +stored, error %v):\n%s", err, diff)
	}
}

func TestUpdateFindsWhoHasTheNameThen(t *testing.T) {
	o := openOrg(t, t.TempDir())
	o.createDepartment("Sales")
	first := o.hire("Ann", "Sales", 0).ID()
	ctx := context.Background()
	fire := func(a agent.Agent) (ports.AgentChange, error) {
		return ports.AgentChange{Step: a.Fire(o.cause()), Trail: o.trail("agents/ann", nil)}, nil
	}
	for _, c := range []struct {
		name      string
		meanwhile func() agent.ID
		want      error
	}{
		{"Another", func() agent.ID {
			_, err := o.agents.Update(ctx, byID(first), fire)
			o.check(err)
			return o.hire("Ann", "Sales", 0).ID()
		}, nil},
		{"Nobody", func() agent.ID {
			_, err := o.agents.Update(ctx, byName(t, "Ann"), fire)
			o.check(err)
			return ""
		}, agent.ErrNotFound},
	} {
		var once sync.Once
		var want agent.ID
		change := o.changing(`{"role":%q}`, c.name)
		got, err := o.agents.Update(ctx, byName(t, "Ann"), func(a agent.Agent) (ports.AgentChange, error) {
			once.Do(func() { want = c.meanwhile() })
			return change(a)
		})
		if !errors.Is(err, c.want) || got.ID() != want {
			t.Errorf("%s: Update = %s, %v, want %s, %v", c.name, got.ID(), err, want, c.want)
		}
	}
}

// Neither a refused change nor one without effect waits for the writer.
func TestUpdateThatStoresNothingNeedsNoWriter(t *testing.T) {
	o := openOrg(t, t.TempDir())
	o.createDepartment("Sales")
	a := o.hire("Ann", "Sales", 0)
	busy, release := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		o.check(o.db.Write(context.Background(), func(*engine.Tx) error { close(busy); <-release; return nil }))
	})
	<-busy
	got, err := o.agents.Update(context.Background(), byID(a.ID()), o.changing(`{"level":"mid"}`))
	if err != nil || got.Revision != 1 {
		t.Errorf("Update without effect = revision %d, %v, want 1", got.Revision, err)
	}
	_, err = o.agents.Update(context.Background(), byID(a.ID()), func(agent.Agent) (ports.AgentChange, error) {
		return ports.AgentChange{}, errRefused
	})
	if err != errRefused {
		t.Errorf("refused Update = %v, want %v", err, errRefused)
	}
	close(release)
	wg.Wait()
}

// A lost identity is damage, not an agent that does not exist.
func TestLostIdentityIsNoMissingAgent(t *testing.T) {
	o := openOrg(t, t.TempDir())
	o.createDepartment("Sales")
	a := o.hire("Ann", "Sales", 0)
	o.check(o.db.Write(context.Background(), func(tx *engine.Tx) error {
		_, err := tx.Exec("UPDATE current_identities SET identity = '{'")
		return err
	}))
	if _, err := o.agents.Agent(context.Background(), byID(a.ID())); err == nil || errors.Is(err, agent.ErrNotFound) {
		t.Errorf("Agent = %v, want an error that is not ErrNotFound", err)
	}
}

func TestCreateNeedsAVersion(t *testing.T) {
	o := openOrg(t, t.TempDir())
	o.createDepartment("Sales")
	s := o.hiring("Ann", "Sales", 0)
	s.Version = nil
	if err := portstest.Hire(context.Background(), o.agents, s); err == nil {
		t.Error("Create without a version = nil, want an error")
	}
}

// multiply adds copies of the one agent that there is, with its version and its
// events, in one transaction.
func (o *org) multiply(copies int) {
	o.Helper()
	o.check(o.db.Write(context.Background(), func(tx *engine.Tx) error {
		for _, statement := range []string{
			`INSERT INTO versions (agent_id, number, identity, hash, saved_by, saved_at)
			SELECT unhex(printf('%032x', i)), 1, identity, hash, saved_by, saved_at FROM n, versions WHERE seq = 1`,
			`INSERT INTO current_identities (seq, identity) SELECT i + 1, identity FROM n, current_identities WHERE seq = 1`,
			`INSERT INTO agents (id, name_key, name, department_key, order_key, status, level, identity, unversioned, version, revision, created_at, updated_at)
			SELECT unhex(printf('%032x', i)), 'agent-' || i, 'agent-' || i, department_key,
				unhex(printf('%032x', i)), status, level, i + 1, unversioned, version, revision, created_at, updated_at
			FROM n, agents WHERE identity = 1`,
			`INSERT INTO events (id, type, at, agent_id, agent_name, description, related, initiated_by, metadata)
			SELECT unhex(printf('%016x%016x', seq, i)), type, at, unhex(printf('%032x', i)), agent_name, description,
				related, initiated_by, metadata FROM n, events WHERE seq <= 2`,
		} {
			_, err := tx.Exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?) `+statement, copies)
			if err != nil {
				return err
			}
		}
		return nil
	}))
}

// A directory with 100 000 agents is open, and lists them, within a second.
func TestOpenLargeOrganization(t *testing.T) {
	if testing.Short() {
		t.Skip("makes 100 000 agents")
	}
	dir := t.TempDir()
	const copies = 100_000
	t.Run("Make", func(t *testing.T) { // the subtest closes it
		o := openOrg(t, dir)
		o.createDepartment("Sales")
		o.hire("Ann", "Sales", 200)
		o.multiply(copies)
	})
	start := time.Now()
	o := openOrg(t, dir)
	if took, most := time.Since(start), most(10*time.Second, time.Second); took > most {
		t.Errorf("Open took %v, want less than %v", took, most)
	}
	for want, q := range map[int]agent.Query{
		50: {Limit: 50},
		0:  {Department: "sales", Status: identity.Terminated, Limit: 50},
		11: {Prefix: "agent-9999", Limit: 50},
	} {
		start := time.Now()
		found, err := o.agents.Records(context.Background(), q)
		if err != nil || len(found) != want {
			t.Errorf("Records(%+v) = %d agents, %v, want %d", q, len(found), err, want)
		}
		t.Logf("Records(%+v) took %v", q, time.Since(start))
	}
	n, err := o.agents.Counts(context.Background(), []name.Key{"sales"})
	if err != nil || n["sales"] != (agent.Counts{Total: copies + 1, Active: copies + 1}) {
		t.Errorf("Counts = %+v, %v, want %d", n, err, copies+1)
	}
}
