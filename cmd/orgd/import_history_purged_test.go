package main

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
	"orgd/test/gittest"
)

// What was purged does not come back with the history, under no name that the agent had: of
// those who have a file, this comes as it is now.
func TestImportHistoryLeavesOutThePurged(t *testing.T) {
	dir := gittest.Repository(t,
		gittest.Commit{Subject: "1", Write: map[string]string{
			"a/ada.md": definition("Ada", "secret"), "a/bob.md": definition("bob", "secret"), "a/cy.md": definition("cy", "secret"), "a/dee.md": definition("dee", "one"),
		}},
		gittest.Commit{Subject: "2", Write: map[string]string{"a/ada.md": definition("Ada", "two"), "a/bob.md": definition("bob", "two"), "a/dee.md": definition("dee", "two")}, Delete: []string{"a/cy.md"}},
	)
	o := openRegistry(t, "")
	sync := func() string {
		t.Helper()
		return o.run(exitOK, "", "import", "agents", "--history", "--yes", dir).stderr
	}
	sync()
	c, gone := o.service(), o.departed()["cy"]
	if _, err := c.PatchAgent(t.Context(), "bob", client.Object{"name": "Robert"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Ada", "Robert"} {
		gone = append(gone, o.agent(name).ID)
		if err := c.DeleteAgent(t.Context(), name); err != nil {
			t.Fatal(err)
		}
	}
	for _, id := range gone {
		if err := c.PurgeAgent(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	want := "Left out of the history, because they were purged here: Ada, bob, cy. Of those who have a file, it comes as it is now.\n"
	if said := sync(); !strings.Contains(said, want) || !strings.Contains(said, "2 agents to hire, 0 to delete; 2 versions.") {
		t.Errorf("orgd import --history says\n%s\nwant %q", said, want)
	}
	for name, want := range map[string][]string{
		"ada": {"Ada of a: two | 2025-07-01T12:01:00Z Ada: 2"}, "bob": {"bob of a: two | 2025-07-01T12:01:00Z Ada: 2"},
		"dee": {"dee of a: one | 2025-07-01T12:00:00Z Ada: 1", "dee of a: two | 2025-07-01T12:01:00Z Ada: 2"},
	} {
		if diff := cmp.Diff(want, o.past(name)); diff != "" {
			t.Errorf("versions of %s (-want +got):\n%s", name, diff)
		}
	}
	if n := len(o.departed()["cy"]); n != 0 {
		t.Errorf("cy has left %d times, want to be unknown", n)
	}
	gittest.Add(t, dir, 2, gittest.Commit{Subject: "3", Write: map[string]string{"a/ada.md": definition("Ada", "three")}})
	sync()
	if got := o.past("ada"); len(got) != 2 || got[1] != "Ada of a: three | 2025-07-01T12:02:00Z Ada: 3" {
		t.Errorf("versions of ada = %q, want a second one of the next commit", got)
	}
	if said := sync(); !strings.Contains(said, "Nothing to change") {
		t.Errorf("the last import says\n%s\nwant nothing to change", said)
	}
}
