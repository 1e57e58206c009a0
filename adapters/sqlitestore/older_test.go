package sqlitestore

import (
	"strings"
	"testing"

	"orgd/domain/agent"
	"orgd/domain/identity"
)

// An agent that was stored before a field came is read with the default of the field,
// whoever reads it. Its version keeps its text and its hash. Reading makes no version,
// and the next change stores the field.
func TestStoredBeforeAField(t *testing.T) {
	o := openOrg(t, t.TempDir())
	o.db.fields = agent.Schema{{Path: "strategic_output_mode", Since: 2}}
	o.createDepartment("Ops")
	a := o.hire("Ada", "Ops", 10)
	ref, whole := byID(a.ID()), string(a.Identity.Canonical())
	older := strings.Replace(whole, `"strategic_output_mode":null,`, "", 1)
	if older == whole {
		t.Fatal("the identity has not the field")
	}
	o.check(o.db.Write(t.Context(), func(tx *Tx) error {
		_, err := tx.Exec("UPDATE versions SET identity = ?, hash = 'older' WHERE agent_id = ?", older, packID(a.ID()))
		return err
	}))
	forget := func() { o.db.known = newRecords(maxRecords) } // as after a start

	forget()
	page, err := o.agents.Records(t.Context(), agent.Query{Limit: 1})
	if o.check(err); page[0].Identity != whole {
		t.Errorf("the list shows %s, want %s", page[0].Identity, whole)
	}
	forget()
	for _, how := range []string{"read", "remembered"} {
		rec, err := o.agents.Record(t.Context(), ref)
		if o.check(err); rec.Identity != whole {
			t.Errorf("the agent, %s, is %s, want %s", how, rec.Identity, whole)
		}
	}
	version := func(n int64) identity.Version {
		v, err := (&Identities{o.db}).Version(t.Context(), a.ID(), n)
		o.check(err)
		return v
	}
	if v := version(1); v.Text != older || v.Hash != "older" || string(v.Content.Canonical()) != whole {
		t.Errorf("version 1 = %s %s, want the text and the hash that were stored, and the content with the field", v.Hash, v.Text)
	}
	same, err := o.agents.Update(t.Context(), ref, o.changing(`{"strategic_output_mode":null}`))
	if o.check(err); same.Revision != 1 || same.Version != 1 {
		t.Errorf("a change without effect makes revision %d, version %d", same.Revision, same.Version)
	}
	_, err = o.agents.Update(t.Context(), ref, o.changing(`{"role":"Chief"}`))
	o.check(err)
	v := version(2)
	if want := strings.Replace(whole, "Engineer", "Chief", 1); v.Text != want {
		t.Errorf("version 2 = %s, want %s", v.Text, want)
	}
	d, err := identity.Compare(version(1), v)
	if o.check(err); len(d.Changes) != 1 || d.Changes[0].Dotted() != "role" {
		t.Errorf("the difference = %v, want the role only", d.Changes)
	}
}
