package main

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/test/gittest"
)

// twoPrograms is an agent that is written for two programs.
func twoPrograms(body string) map[string]string {
	return map[string]string{
		".claude/agents/reviewer.md":       "---\nname: reviewer\ndescription: Reviews code\ntools: Read\n---\nReview it.\n",
		".github/agents/reviewer.agent.md": "---\nname: reviewer\ndescription: Reviews code\ntools: [read]\n---\n" + body,
	}
}

// An agent that is written for two programs is one agent.
func TestImportOfTwoPrograms(t *testing.T) {
	o := openRegistry(t, "")
	r := o.run(exitOK, "", "import", "agents", "--yes", "--department", "Core", directory(t, twoPrograms("Review it.\n")))
	if got := o.agent("reviewer"); !slices.Equal(got.Tools.Allowed, []string{"Read"}) || len(o.names()) != 1 {
		t.Errorf("agents = %q, reviewer has the tools %q, want one agent as in the first file", o.names(), got.Tools.Allowed)
	}
	if want := "Left out: is the same agent for another program (1)\n"; !strings.Contains(r.stderr, want) {
		t.Errorf("orgd import says\n%s\nwant %q", r.stderr, want)
	}
	dir := directory(t, twoPrograms("Review all of it.\n"))
	r = o.run(exitFailure, "", "import", "agents", "--yes", "--department", "Core", dir)
	want := filepath.Join(dir, ".github/agents/reviewer.agent.md") + ":2: name: \"reviewer\" is also the name in .claude/agents/reviewer.md:2, " +
		"where the instructions are others; --exclude leaves one of the files out, --include takes one alone\norgd: " + dir + " has 1 mistake; nothing was changed\n"
	if r.stderr != want {
		t.Errorf("orgd import says\n%s\nwant\n%s", r.stderr, want)
	}
}

// In a history, an agent of two programs has one version for each change.
func TestImportHistoryOfTwoPrograms(t *testing.T) {
	dir := gittest.Repository(t,
		gittest.Commit{Subject: "Copilot", Write: map[string]string{".github/agents/core/reviewer.agent.md": definition("reviewer", "one")}},
		gittest.Commit{Subject: "Claude", Write: map[string]string{".claude/agents/core/reviewer.md": definition("reviewer", "one")}},
		gittest.Commit{Subject: "Better", Write: map[string]string{".claude/agents/core/reviewer.md": definition("reviewer", "two"), ".github/agents/core/reviewer.agent.md": definition("reviewer", "two")}},
	)
	o := openRegistry(t, "")
	r := o.run(exitOK, "", "import", "agents", "--history", "--yes", dir)
	want := []string{"reviewer of core: one | 2025-07-01T12:00:00Z Ada: Copilot", "reviewer of core: two | 2025-07-01T12:02:00Z Ada: Better"}
	if diff := cmp.Diff(want, o.past("reviewer")); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
	if strings.Contains(r.stderr, "Left out: commit") || !strings.Contains(r.stderr, "Left out: is the same agent for another program (1)") {
		t.Errorf("orgd import --history says\n%s", r.stderr)
	}
}
