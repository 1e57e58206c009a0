package mongostore

import (
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/agent"
	"orgd/domain/identity"
)

// An agent that was stored before a field came is read with the default of the field,
// whoever reads it. Its version keeps its text and its hash. Reading makes no version,
// and the next change stores the field.
func TestStoredBeforeAField(t *testing.T) {
	o := newOffice(t)
	o.db.fields = agent.Schema{{Path: "strategic_output_mode", Since: 2}}
	o.must(o.createDepartment(t.Context(), "Ops", 0))
	id := o.hire("Ops")
	rec, err := o.Agents.Record(t.Context(), refOf(id))
	o.must(err)
	whole := rec.Identity
	older := strings.Replace(whole, `"strategic_output_mode":null,`, "", 1)
	if older == whole {
		t.Fatal("the identity has not the field")
	}
	for coll, id := range map[string]string{agentsColl: string(id), versionsColl: versionID(id, 1)} {
		_, err := o.db.coll(coll).UpdateByID(t.Context(), id, bson.D{is("$set", bson.D{is("identity", older)})})
		o.must(err)
	}

	page, err := o.Agents.Records(t.Context(), agent.Query{Limit: 1})
	if o.must(err); page[0].Identity != whole {
		t.Errorf("the list shows %s, want %s", page[0].Identity, whole)
	}
	rec, err = o.Agents.Record(t.Context(), refOf(id))
	if o.must(err); rec.Identity != whole {
		t.Errorf("the agent is %s, want %s", rec.Identity, whole)
	}
	version := func(n int64) identity.Version {
		v, err := o.Identities.Version(t.Context(), id, n)
		o.must(err)
		return v
	}
	if v := version(1); v.Text != older || string(v.Content.Canonical()) != whole {
		t.Errorf("version 1 = %s, want the text that was stored, and the content with the field", v.Text)
	}
	o.must(o.patch(t.Context(), id, `{"strategic_output_mode":null}`))
	if a, err := o.Agents.Agent(t.Context(), refOf(id)); err != nil || a.Revision != 1 || a.Version != 1 {
		t.Errorf("a change without effect makes revision %d, version %d, error %v", a.Revision, a.Version, err)
	}
	o.must(o.patch(t.Context(), id, `{"role":"Chief"}`))
	v := version(2)
	if want := strings.Replace(whole, "worker", "Chief", 1); v.Text != want {
		t.Errorf("version 2 = %s, want %s", v.Text, want)
	}
	d, err := identity.Compare(version(1), v)
	if o.must(err); len(d.Changes) != 1 || d.Changes[0].Dotted() != "role" {
		t.Errorf("the difference = %v, want the role only", d.Changes)
	}
}
