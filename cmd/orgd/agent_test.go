package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
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

// Instructions that are too long are refused with the file, its size and the bound, before they are sent.
func TestLongInstructions(t *testing.T) {
	o := newOffice(t)
	o.staff()
	file := filepath.Join(t.TempDir(), "long.md")
	if err := os.WriteFile(file, bytes.Repeat([]byte("long"), 50<<10), 0o600); err != nil {
		t.Fatal(err)
	}
	const bound = "must be at most 131072 bytes of UTF-8 (128 KiB), not 204800"
	r := o.types(t, "", "agent", "update", "Ada", "--instructions-file", file)
	if want := "--instructions-file: " + file + ": " + bound; r.code != exitUsage || !strings.Contains(r.stderr, want) {
		t.Errorf("orgd agent update = %d %q, want %q", r.code, r.stderr, want)
	}
}

// A change of line ends is said in one line, and hides no other.
func TestLineEnds(t *testing.T) {
	o := newOffice(t)
	o.staff()
	text := strings.Repeat("Review kindly.\r\n", 40)
	change := func(instructions string) {
		t.Helper()
		if _, err := o.PatchAgent(t.Context(), "Hal", client.Object{"instructions": instructions}); err != nil {
			t.Fatal(err)
		}
	}
	change(text + "Say why.\r\n")
	unix := strings.ReplaceAll(text, "\r", "")
	const only, also = "      only line ends: CRLF → LF\n", "      line ends: CRLF → LF\n      @@ -38,4 +38,4 @@\n       Review kindly.\n       Review kindly.\n       Review kindly.\n" +
		"      -Say why.\n      +Say how.\n"
	planned := func(instructions string) string {
		doc, err := json.Marshal(client.Object{"format": 1, "agents": []any{client.Object{"name": "Hal", "instructions": instructions}}})
		if err != nil {
			t.Fatal(err)
		}
		return o.types(t, string(doc), "plan", "-f", "-").stdout
	}
	const heading = "    instructions:\n"
	for _, c := range []struct{ instructions, want string }{{unix + "Say how.\n", also}, {unix + "Say why.\n", only}} {
		if got := planned(c.instructions); !strings.HasSuffix(got, heading+c.want+"    changed by ann just now\n") {
			t.Errorf("orgd plan shows %s, want %s", got, c.want)
		}
		change(c.instructions)
		if got := o.can(t, "agent", "diff", "Hal"); !strings.HasSuffix(got, heading+c.want) {
			t.Errorf("orgd agent diff shows %s, want %s", got, c.want)
		}
		o.can(t, "agent", "rollback", "Hal", "2")
	}
	if got := o.can(t, "agent", "rollback", "Hal", "3", "--dry-run"); !strings.HasSuffix(got, heading+also) {
		t.Errorf("orgd agent rollback --dry-run shows %s, want %s", got, also)
	}
}

func TestAgentDiffAndRollback(t *testing.T) {
	o := newOffice(t)
	o.staff()
	o.colored = true
	if _, err := o.PatchAgent(t.Context(), "Ada", client.Object{"metadata": map[string]any{"team": "core", "n": 1}, "tools": map[string]any{"allowed": []string{"git", "browser"}}}); err != nil {
		t.Fatal(err)
	}
	seen := o.session(lines("agent diff Ada", "agent rollback Ada 1 --dry-run")...)
	o.colored = false
	seen += o.session(lines("agent diff Ada 1 2", "agent diff Ada 1 2 -o json")...)
	seen += o.session(
		[]string{"agent", "rollback", "Ada", "1", "--reason", "kindness wins"},
		[]string{"agent", "rollback", "Ada", "1"},
		[]string{"agent", "rollback", "Ada", "4", "--dry-run"},
		[]string{"agent", "versions", "Ada"},
	)
	golden.File(t, "testdata/agent_diff.txt", strings.ReplaceAll(seen, "\x1b", "^"))
	for line, want := range map[string]string{"agent rollback Ada 1 --dry-run -o yaml": "\nlevel: mid\n", "agent versions Ada --limit 1 -o json": `"saved_by": "ann",`} {
		if got := o.can(t, strings.Fields(line)...); !strings.Contains(got, want) {
			t.Errorf("orgd %s prints no %q:\n%s", line, want, got)
		}
	}

	for line, want := range map[string]result{
		"agent diff Ada 4 latest": {exitFailure, "", "4 and latest are both version 4"},
		"agent diff Ada 2 1":      {exitUsage, "", "version 2 must be earlier than version 1"},
		"agent diff Ada 4":        {exitFailure, "", "nothing to compare"},
		"agent diff Hal":          {exitFailure, "", "nothing to compare"},
		"agent diff Ada 5":        {exitFailure, "", "agent Ada has no version 5: it has 4 versions"},
		"agent diff Ada -- -1":    {exitUsage, "", "counted from 1"},
		"agent rollback Ada one":  {exitFailure, "", `agent Ada has no label "one", but latest`},
	} {
		if r := o.types(t, "", strings.Fields(line)...); r.code != want.code || r.stdout != "" || !strings.Contains(r.stderr, want.stderr) {
			t.Errorf("orgd %s = %+v, want %+v", line, r, want)
		}
	}
}

// Commands take names for the same where the service does.
func TestNamesInOtherLetters(t *testing.T) {
	o := newOffice(t)
	o.staff()
	o.can(t, "department", "create", "Straße")
	o.can(t, "agent", "create", "Ann", "--role", "Guide", "--department", "strasse")
	o.can(t, "agent", "create", "Weiß", "--role", "Guide", "--department", "STRASSE")
	o.can(t, "agent", "delete", "Weiß", "--yes")
	for _, line := range []string{"department reorder STRASSE", "agent restore weiss", "department reorder-agents strasse WEISS"} {
		if r := o.types(t, "", strings.Fields(line)...); r.code != exitOK {
			t.Errorf("orgd %s = %d:\n%s", line, r.code, r.stderr)
		}
	}
	w := o.start(t, "get", "agents", "--watch", "--department", "STRASSE", "--name-prefix", "WEISS")
	w.shows(w.stdout, "Weiß")
	o.can(t, "agent", "create", "Weiß-Lang", "--role", "Guide", "--department", "strasse")
	w.shows(w.stdout, "Weiß-Lang")
	w.interrupt()
	w.ends(130)
}

func TestAgentRestore(t *testing.T) {
	o := newOffice(t)
	o.staff()
	golden.File(t, "testdata/agent_restore.txt", o.session(lines(
		"get agents --deleted",
		"agent delete Ada --yes",
		"get agents --deleted",
		"agent restore ada --reason mistake",
		"agent versions Ada --limit 1",
		"agent delete Ada --yes",
		"agent restore Ada --name Ava --department Engineering",
	)...))
	for command, want := range map[string]string{
		"get agents --deleted --level mid": "--deleted goes with --limit alone",
		"get agents --deleted --owner eve": "--deleted goes with --limit alone",
		"get agents --deleted --tag eu":    "--deleted goes with --limit alone",
		"agent restore Hal":                `no agent "Hal" was deleted`,
		"agent delete Hal --purge --yes":   `no agent "Hal" was deleted`,
	} {
		if r := o.types(t, "", strings.Fields(command)...); r.code == 0 || !strings.Contains(r.stderr, want) {
			t.Errorf("orgd %s = %d %q, want %q", command, r.code, r.stderr, want)
		}
	}
}
