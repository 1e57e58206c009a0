package portstest

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"orgd/domain/agent"
	"orgd/domain/identity"
)

// Older is the schema of a store for [StoredBeforeAField].
var Older = agent.Schema{{Path: "strategic_output_mode", Since: 2}}

// StoredBeforeAField checks that an agent that was stored before a field came is read with the
// default of the field, whoever reads it. Its version keeps its text and its hash. Reading makes
// no version, and the next change stores the field. The stores have the schema [Older]. replace
// stores another text and hash for the identity of an agent and for its version 1, and leaves
// nothing of them in memory.
func StoredBeforeAField(t *testing.T, s Stores, replace func(id agent.ID, text, hash string) error) {
	w := &world{tester: t, Stores: s, made: new(atomic.Int64)}
	w.createDepartment("Ops")
	a := w.hire("Ada", "Ops")
	whole := a.Identity.Canonical()
	older := strings.Replace(whole, `"strategic_output_mode":null,`, "", 1)
	if older == whole {
		t.Fatal("the identity has not the field")
	}
	hash := fmt.Sprintf("%x", sha256.Sum256([]byte(older)))
	for what, read := range map[string]func() (agent.Record, error){
		"Record": func() (agent.Record, error) { return w.Agents.Record(w.Context(), byID(a.ID())) },
		"Records": func() (agent.Record, error) {
			page, err := w.Agents.Records(w.Context(), agent.Query{Limit: 1})
			return append(page, agent.Record{})[0], err
		},
	} {
		w.wantNil("replace", replace(a.ID(), older, hash))
		for range 2 { // stored, and in memory
			got, err := read()
			w.wantNil(what, err)
			w.want(what, got.Identity, whole)
		}
	}
	version := func(n int64) identity.Version {
		v, err := w.Identities.Version(w.Context(), a.ID(), n)
		w.wantNil("Version", err)
		return v
	}
	first := version(1)
	w.want("the stored text and hash", []string{first.Text, first.Hash}, []string{older, hash})
	w.want("the content of version 1", first.Content.Canonical(), whole)
	same := w.change(a.ID(), `{"strategic_output_mode":null}`)
	w.want("revision and version after a change without effect", []int64{same.Revision, same.Version}, []int64{1, 1})
	w.change(a.ID(), `{"role":"Chief"}`)
	next := version(2)
	w.want("version 2", next.Text, strings.Replace(whole, "worker", "Chief", 1))
	d, err := identity.Compare(first, next)
	w.wantNil("Compare", err)
	if len(d.Changes) != 1 || d.Changes[0].Dotted() != "role" {
		t.Errorf("the difference = %v, want the role only", d.Changes)
	}
}
