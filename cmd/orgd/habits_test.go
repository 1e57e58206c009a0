package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orgd/client"
)

// Who comes from kubectl, gh, terraform or git types what the hand knows, and it does what one
// thinks.
func TestHabits(t *testing.T) {
	o := newOffice(t)
	o.staff()
	for _, c := range []struct{ line, want string }{
		{"agents", "Reviewer"},
		{"agents Ada", "Review strictly."},
		{"agents --last 7d", "BEFORE"},
		{"get agent", "Designer"},
		{"get agent Ada", "Review strictly."},
		{"get agents Ada -o yaml", "model_id: aurora-large-3"},
		{"describe agent Ada", "Review strictly."},
		{"show agent Ada", "Review strictly."},
		{"agent ls", "Reviewer"},
		{"agent get Ada", "Review strictly."},
		{"agent view Ada", "Review strictly."},
		{"departments", "40 %"},
		{"get department Design", "Design"},
		{"department describe Engineering", "Makes things."},
		{"projects", "2500 USD"},
		{"project ls -o name", "proj-"},
		{"activities --last 2d", "task_completed"},
		{"log --last 7d", "found nothing"},
		{"changes --agent Ada", "found nothing"},
		{"labels Ada", "latest"},
		{"label ls Ada", "latest"},
		{"label show Ada latest", "Version"},
		{"agents -o name", "Ada\nHal\n"},
		{"agents -o name --sort=-role", "Ada\nHal\n"},
		{"agents -o name --sort role", "Hal\nAda\n"},
		{"agents -o name --sort role --limit 1", "Hal\n"},
		{"agents -o csv --columns name,department", "NAME,DEPARTMENT\nAda,Engineering\nHal,Design\n"},
		{"agents --columns role,updated --sort role", "ROLE      UPDATED"},
		{"departments -o csv --columns name,budget", "Engineering,40 %"},
		{"agents --web", "/console#/agents\n"},
		{"agent view Ada --web", "/console#/agents/Ada\n"},
		{"changes --web", "/console#/changes\n"},
		{"create department Research", ""},
		{"delete department Research --yes", ""},
		{"department new Research", ""},
		{"department rm Research --yes", ""},
		{"agent add Bob --role Tester --department Design", ""},
		{"rm agents Bob --yes", ""},
		{"tokens", "SESSION"},
		{"token ls -o csv", "SESSION,SUBJECT"},
		{"company get", "Name"},
		{"get company", "Name"},
	} {
		if got := o.can(t, strings.Fields(c.line)...); !strings.Contains(got, c.want) {
			t.Errorf("orgd %s prints no %q:\n%s", c.line, c.want, got)
		}
	}
	for line, want := range map[string]string{
		"agent":                        "rollback     Bring back an earlier version",
		"webhook":                      "redeliver      Send a delivery again.",
		"describe":                     "department  Show a department.",
		"agents --sort age":            "--sort: there is no column \"age\"; there are name, role, department",
		"agents --columns name,age":    "--columns: there is no column \"age\"",
		"agents --watch -o csv":        "--watch: goes with",
		"agents --last 8d":             "must be one of \"7d\",\"30d\",\"90d\"",
		"get agent Ada -o csv":         "only a list is printed as csv",
		"activities --last 1h --watch": "--last: does not go with --watch",
		"agent edit Ada":               "needs a terminal",
	} {
		r := o.types(t, "", strings.Fields(line)...)
		if r.code != exitUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("orgd %s = %d %q, want %q", line, r.code, r.stderr, want)
		}
	}
}

// A name that is not found is answered with the nearest ones.
func TestNearestNames(t *testing.T) {
	o := newOffice(t)
	o.staff()
	for _, name := range []string{"reviewer", "Code Reviewer", "Writer"} {
		if _, err := o.CreateAgent(t.Context(), client.AgentInput{Name: name, Role: "x", Department: "Design"}); err != nil {
			t.Fatal(err)
		}
	}
	for line, want := range map[string]string{
		"agent show revewer":             `agent "revewer" not found; did you mean "reviewer"?`,
		"agent show revi":                `; did you mean "reviewer" or "Code Reviewer"?`,
		"agent show Adda":                `; did you mean "Ada"?`,
		"agent show zzzzzz":              "not found\n",
		"agent update hall --role x":     `; did you mean "Hal"?`,
		"agents --department Engineerng": `; did you mean "Engineering"?`,
		"department show design2":        `; did you mean "Design"?`,
		"project show Checkout":          `("Checkout")?`,
		"agent delete Adda --yes":        `; did you mean "Ada"?`,
		"label list Hall":                `; did you mean "Hal"?`,
	} {
		if r := o.types(t, "", strings.Fields(line)...); r.code != exitFailure || !strings.Contains(r.stderr, want) {
			t.Errorf("orgd %s = %d %q, want %q", line, r.code, r.stderr, want)
		}
	}
}

// A dry run shows what the change then does, and changes nothing.
func TestAgentUpdateDryRun(t *testing.T) {
	o := newOffice(t)
	o.staff()
	const level = "    level: \"senior\" -> \"lead\"\n"
	for line, want := range map[string]result{
		"agent update Ada --dry-run --level lead":            {exitPlanned, "~ agent \"Ada\"\n" + level, ""},
		"agent update Ada --dry-run --level senior":          {exitOK, "", "Nothing to change"},
		"agent update Ada --dry-run --name Eve --level lead": {exitPlanned, level, ""},
		"agent update Ada --dry-run --model=":                {exitPlanned, "model: ", ""},
	} {
		r := o.types(t, "", strings.Fields(line)...)
		if r.code != want.code || !strings.Contains(r.stdout, want.stdout) || !strings.Contains(r.stderr, want.stderr) {
			t.Errorf("orgd %s = %+v, want %+v", line, r, want)
		}
	}
	if a, err := o.Agent(t.Context(), "Ada"); err != nil || a.Revision != 2 {
		t.Errorf("after dry runs Ada has revision %d, %v, want 2", a.Revision, err)
	}
}

// edits runs orgd agent edit with an editor that is a script.
func (o *office) edits(answer, script string, args ...string) result {
	o.Helper()
	editor := filepath.Join(o.TempDir(), "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		o.Fatal(err)
	}
	u := user{vars: append([]string{"EDITOR=" + editor}, o.vars...), interactive: true}
	return u.types(o.T, answer, append([]string{"agent", "edit"}, args...)...)
}

func TestAgentEdit(t *testing.T) {
	o := newOffice(t)
	o.staff()
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	if _, err := o.PatchAgent(t.Context(), "Ada", client.Object{"authority": map[string]any{"reports_to": "Hal"}, "metadata": map[string]any{"n": 1, "m": "x"}}); err != nil {
		t.Fatal(err)
	}
	kept := func(want int) string {
		t.Helper()
		files, err := filepath.Glob(tmp + "/orgd-*")
		if err != nil || len(files) != want {
			t.Fatalf("%d drafts are left, want %d", len(files), want)
		}
		text := ""
		for _, f := range files {
			content, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			text += string(content)
			if err := os.Remove(f); err != nil {
				t.Fatal(err)
			}
		}
		return text
	}
	if r := o.edits("", "true", "Ada"); r.code != exitOK || !strings.Contains(r.stderr, "nothing changed") {
		t.Errorf("orgd agent edit without a change = %+v", r)
	}
	r := o.edits("y\n", `grep -q 'reports_to: Hal' "$1" && ! grep -q revision "$1" && sed -i -e s/strictly/gently/ -e '/ n: 1/d' "$1"`, "Ada", "--reason", "kinder")
	if r.code != exitOK || !strings.Contains(r.stdout, "~ agent \"Ada\"\n") || !strings.Contains(r.stdout, "+Review gently.") || !strings.Contains(r.stdout, "metadata.n: - 1") {
		t.Errorf("orgd agent edit = %+v", r)
	}
	a, err := o.Agent(t.Context(), "Ada")
	if err != nil || a.Instructions != "Review gently.\nSay why.\n" || len(a.Metadata) != 1 || a.Authority.ReportsTo == nil {
		t.Errorf("after the edit Ada is %+v, %v", a, err)
	}
	kept(0)
	if r := o.edits("n\n", `sed -i s/gently/badly/ "$1"`, "Ada"); r.code != exitFailure || !strings.Contains(r.stderr, "Your text is in "+tmp) {
		t.Errorf("orgd agent edit, declined = %+v", r)
	}
	if text := kept(1); !strings.Contains(text, "Review badly.") {
		t.Errorf("a declined text is kept, got %s", text)
	}
	// What is refused comes again with the mistakes, until it is right or left as it is.
	again := `if grep -q 'level: boss' "$1"; then head -3 "$1" >>"` + tmp + `/seen"; sed -i 's/level: boss/level: lead/' "$1"; else sed -i 's/level: senior/level: boss/' "$1"; fi`
	if r := o.edits("y\n", again, "Ada"); r.code != exitFailure {
		t.Errorf("orgd agent edit whose second question has no answer = %+v", r)
	}
	if seen, err := os.ReadFile(tmp + "/seen"); err != nil || !strings.HasPrefix(string(seen), "# This was refused") || !strings.Contains(string(seen), "level") {
		t.Errorf("the editor shows %q, %v", seen, err)
	}
	if text := kept(1); !strings.Contains(text, "level: lead") {
		t.Errorf("the text is kept, got %s", text)
	}
	if r := o.edits("y\n", `grep -q refused "$1" || sed -i 's/^role:.*/role: [/' "$1"`, "Ada"); r.code != exitFailure || !strings.Contains(r.stderr, "still refused") {
		t.Errorf("orgd agent edit with a text that is no YAML = %+v", r)
	}
	kept(1)
	// Somebody else was faster.
	fast := `sed -i s/gently/late/ "$1"; curl -sf -X PATCH -H "Authorization: Bearer ` + strings.TrimPrefix(o.vars[1], "ORGD_TOKEN=") +
		`" -H 'Content-Type: application/merge-patch+json' -d '{"level":"lead"}' ` + strings.TrimPrefix(o.vars[0], "ORGD_SERVER=") + `/api/v1/agents/Ada >/dev/null`
	if r := o.edits("y\n", fast, "Ada"); r.code != exitFailure || !strings.Contains(r.stderr, "ann has changed agent Ada meanwhile, at 20") {
		t.Errorf("orgd agent edit beside another change = %+v", r)
	}
	if text := kept(1); !strings.Contains(text, "Review late.") {
		t.Errorf("the text is kept, got %s", text)
	}
}
