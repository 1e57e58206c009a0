package sqlitestore

import (
	"context"
	"errors"
	"testing"

	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/ports"
)

// place has a label of an agent name a version.
func (o *org) place(id agent.ID, label string, version int64) error {
	on, trail := o.cause(), o.trail(audit.Agent(string(id)), nil)
	_, err := o.agents.Label(context.Background(), byID(id), label, version, func(a agent.Agent, _ department.Department, _ bool) (ports.AgentChange, error) {
		s, err := a.Place(agent.Placing{Label: label, Version: version}, agent.LabelRule{}, on)
		return ports.AgentChange{Step: s, Trail: trail}, err
	})
	return err
}

// A label names any version of an agent that has very many.
func TestLabelsOfManyVersions(t *testing.T) {
	const versions = 10_000
	o := openOrg(t, t.TempDir())
	o.createDepartment("Sales")
	id := o.hire("Ann", "Sales", 0).ID()
	o.rewrite(id, versions-1, 100)
	o.db.Records = memory.NewRecords(memory.MaxRecords) // as after a start
	for _, number := range []int64{1, 5_000, versions} {
		o.check(o.place(id, "production", number))
		found, err := o.agents.Labeled(t.Context(), agent.LabelQuery{Label: "production", Limit: 2})
		if o.check(err); len(found) != 1 || found[0].Version != number {
			t.Fatalf("the agents with the label = %v, want one, at version %d", found, number)
		}
		v, err := (&Identities{o.db}).Version(t.Context(), id, number)
		if o.check(err); found[0].Content != (identity.Stored{Text: v.Text, Hash: v.Hash}) {
			t.Errorf("the content of version %d = %s, want %s", number, found[0].Content.Hash, v.Hash)
		}
	}
	if err := o.place(id, "production", versions+1); !errors.Is(err, agent.ErrNoVersion) {
		t.Errorf("a version behind the last = %v, want %v", err, agent.ErrNoVersion)
	}
	o.check(o.place(id, "production", 1))
	a, err := o.agents.Agent(t.Context(), byID(id))
	if o.check(err); a.Revision != versions+4 || a.Version != versions {
		t.Errorf("the agent has revision %d, version %d, want %d, %d", a.Revision, a.Version, versions+4, versions)
	}
}
