package main

import (
	"fmt"
	"strings"
	"testing"

	"orgd/test/gittest"
)

// An import counts what changes, with a history too; --plan shows every agent, and so does the
// answer p.
func TestImportHistoryIsBrief(t *testing.T) {
	commits := []gittest.Commit{{Subject: "Begin", Write: crowd(30)}}
	for i := range 30 {
		commits = append(commits, gittest.Commit{Subject: fmt.Sprint("Bad ", i), Write: map[string]string{"core/agent-00.md": fmt.Sprintf("---\nname: {%d\n---\n", i)}})
	}
	dir := gittest.Repository(t, append(commits, gittest.Commit{Subject: "End", Write: crowd(1)})...)
	o := openRegistry(t, "")
	args := []string{"import", "agents", "--history", "--dry-run", dir}
	brief := o.run(exitPlanned, "", args...)
	if brief.stdout != "" || !strings.Contains(brief.stderr, "Plan: 1 departments to create, 30 agents to hire, 0 to delete; 30 versions.\n") {
		t.Errorf("orgd import --history prints %q and says\n%s\nwant nothing but counts", brief.stdout, brief.stderr)
	}
	if want := "Left out: 10 more, which --verbose names\n"; !strings.Contains(brief.stderr, want) {
		t.Errorf("orgd import --history says\n%s\nwant %q", brief.stderr, want)
	}
	whole := o.run(exitPlanned, "", append(args, "--plan")...)
	if got := strings.Count(whole.stdout, "\n"); got != 31 || whole.stderr != brief.stderr {
		t.Errorf("orgd import --history --plan prints %d lines and says\n%s\nwant 31, and what it says without", got, whole.stderr)
	}
	o.interactive = true
	r := o.run(exitOK, "p\ny\n", "import", "agents", "--history", dir)
	if r.stdout != whole.stdout || len(o.names()) != 30 {
		t.Errorf("after the answer p orgd import --history prints %q, want the plan", r.stdout)
	}
}
