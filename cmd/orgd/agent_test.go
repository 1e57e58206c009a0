package main

import (
	"strings"
	"testing"

	"orgd/client"
	"orgd/test/golden"
)

func TestAgentShow(t *testing.T) {
	o := newOffice(t)
	o.staff()
	golden.File(t, "testdata/agent_show.txt", o.session(lines(
		"agent list --department Engineering",
		"agent show Ada",
		"agent show ada --version 1",
		"agent show Hal -o yaml",
		"agent versions Ada",
		"agent versions Ada --limit 1 -o json",
		"agent history Ada",
		"agent performance Ada",
		"agent health Ada",
	)...))
}

// What a prompt holds does nothing to the terminal of whoever reads it.
func TestAgentShowIsHarmless(t *testing.T) {
	o := newOffice(t)
	o.staff()
	if _, err := o.PatchAgent(t.Context(), "Ada", map[string]any{"instructions": "one\x1b[2Jtwo\u202ethree\r\n"}); err != nil {
		t.Fatal(err)
	}
	shown := o.can(t, "agent", "show", "Ada")
	for _, r := range shown {
		if r < ' ' && r != '\n' || r == '\u202e' {
			t.Errorf("orgd agent show writes %q in:\n%q", r, shown)
		}
	}
}

func TestAgentDiffAndRollback(t *testing.T) {
	o := newOffice(t)
	o.staff()
	o.colored = true
	if _, err := o.PatchAgent(t.Context(), "Ada", client.Object{"metadata": map[string]any{"team": "core", "n": 1}, "tools": map[string]any{"allowed": []string{"git", "browser"}}}); err != nil {
		t.Fatal(err)
	}
	seen := o.session(lines("agent diff Ada", "agent diff Ada 1", "agent rollback Ada 1 --dry-run")...)
	o.colored = false
	seen += o.session(lines("agent diff Ada 1 2", "agent diff Ada 1 2 -o json", "agent rollback Ada 1 --dry-run -o yaml", "agent versions Ada")...)
	seen += o.session(
		[]string{"agent", "rollback", "Ada", "1", "--reason", "kindness wins"},
		[]string{"agent", "rollback", "Ada", "1"},
		[]string{"agent", "rollback", "Ada", "4", "--dry-run"},
		[]string{"agent", "versions", "Ada"},
	)
	golden.File(t, "testdata/agent_diff.txt", strings.ReplaceAll(seen, "\x1b", "^"))

	for line, want := range map[string]result{
		"agent diff Ada 2 2":     {exitUsage, "", "the earlier one"},
		"agent diff Ada 4":       {exitFailure, "", "nothing to compare"},
		"agent diff Hal":         {exitFailure, "", "nothing to compare"},
		"agent diff Ada 1 9":     {exitFailure, "", "has no version 9"},
		"agent rollback Ada 9":   {exitFailure, "", "no version 9"},
		"agent rollback Bob 1":   {exitFailure, "", "not found"},
		"agent rollback Ada one": {exitUsage, "", "version"},
	} {
		if r := o.types(t, "", strings.Fields(line)...); r.code != want.code || r.stdout != "" || !strings.Contains(r.stderr, want.stderr) {
			t.Errorf("orgd %s = %+v, want %+v", line, r, want)
		}
	}
}
