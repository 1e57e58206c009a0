package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"orgd/test/golden"
)

// A plan says who made the change that it would undo, and why.
func TestPlanNamesAuthors(t *testing.T) {
	o := openRegistry(t, startDocument)
	dir := t.TempDir()
	o.run(exitOK, "", "export", dir)
	admin := o.vars
	for subject, change := range map[string][]string{"ada": {"agent", "update", "Bob", "--level", "lead"}, "eve": {"agent", "update", "Bob", "--role", "Doctor"}} {
		r := o.run(exitOK, "", "token", "create", "--data-dir", filepath.Dir(strings.TrimPrefix(admin[1], "ORGD_TOKEN_FILE=")), "--role", "editor", "--subject", subject)
		o.vars = []string{admin[0], "ORGD_TOKEN=" + strings.TrimSpace(r.stdout)}
		o.run(exitOK, "", append(change, "--reason", "because of "+subject)...)
		o.vars = admin
	}
	file := o.file("level.yaml", "format: 1\nagents: [{name: Bob, level: senior}]\n")
	r := o.run(exitPlanned, "", "plan", "-f", file)
	if want := "~ agent \"Bob\"\n    level: \"lead\" -> \"senior\"\n    changed by ada just now: because of ada\n"; r.stdout != want {
		t.Errorf("orgd plan =\n%swant\n%s", r.stdout, want)
	}
	if r := o.run(exitPlanned, "", "plan", "-f", file, "-o", "json"); strings.Contains(r.stdout, "because") {
		t.Errorf("orgd plan -o json = %s, want the plan of the service", r.stdout)
	}
}

// A plan of many entries asks for the authors of some, and says so.
func TestPlanOfManyAuthors(t *testing.T) {
	o := openRegistry(t, manyAgents(60))
	text := strings.ReplaceAll(o.export("--sparse"), "role: r", "role: s")
	r := o.run(exitPlanned, text, "plan", "-f", "-")
	if !strings.Contains(r.stderr, "not looked up after the first 50") || !strings.Contains(r.stderr, "60 to update") {
		t.Errorf("orgd plan says %q", r.stderr)
	}
}

// Nothing in a document leaves the blocks of a comment, mentions somebody, or makes it
// longer than hosts take.
func TestPlanInMarkdown(t *testing.T) {
	o := openRegistry(t, startDocument)
	hostile := strings.NewReplacer("Ask before you erase anything.", "```\n    </details>\n    ````\n    @everyone", "Ann Lee", "A|b <b> @all `x`").Replace(changedDocument)
	r := o.run(exitPlanned, "", "plan", "--prune", "-f", o.file("org.yaml", hostile), "-o", "markdown")
	golden.File(t, "testdata/plan.md", r.stdout)
	outside, fence := "", ""
	for line := range strings.Lines(r.stdout) {
		switch {
		case fence == "" && strings.HasPrefix(line, "```"):
			fence = strings.TrimRight(line, "dif\n")
		case fence != "" && strings.TrimSpace(line) == fence:
			fence = ""
		case fence == "":
			outside += line
		}
	}
	if fence != "" || strings.Contains(outside, "@") || strings.Contains(outside, "<b>") || strings.Count(outside, "<details>") != strings.Count(outside, "</details>") {
		t.Errorf("outside of its blocks the comment has\n%s", outside)
	}
	o.run(exitOK, "", "apply", "--yes", "-f", o.file("org.yaml", hostile))
	if r := o.run(exitOK, "", "plan", "-f", o.file("org.yaml", "format: 1\n"), "-o", "markdown"); r.stdout != "### orgd plan: nothing to change\n" {
		t.Errorf("an empty plan is %q", r.stdout)
	}
	var large strings.Builder
	large.WriteString("format: 1\nagents:\n")
	for i := range 900 {
		fmt.Fprintf(&large, "- {name: a%d, role: %s, department: Research}\n", i, strings.Repeat("ä", 60))
	}
	for i := range 9 {
		fmt.Fprintf(&large, "- {name: b%d, role: r, department: Research, description: %q}\n", i, strings.Repeat("line\n", 20))
	}
	r = o.run(exitPlanned, large.String(), "plan", "-f", "-", "-o", "markdown")
	if n := len(r.stdout); n > 60_000 || n < 50_000 || !strings.Contains(r.stdout, "more entries are not listed here") || !strings.HasSuffix(r.stdout, "run orgd plan to see them.\n") {
		t.Errorf("a large plan has %d bytes and ends with %q", n, r.stdout[max(0, n-100):])
	}
}

// A job that looks for drift has sent what it found, and does not fail because of it.
func TestPlanPushesMetrics(t *testing.T) {
	o := openRegistry(t, startDocument)
	var got []string
	status := http.StatusOK
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		_, password, _ := r.BasicAuth()
		got = append(got, r.Method+" "+r.URL.Path+" "+password+" "+strings.Split(string(text), "\n")[1])
		w.WriteHeader(status)
	}))
	defer gateway.Close()
	file := o.file("org.yaml", changedDocument)
	address := strings.Replace(gateway.URL, "http://", "http://u:secret@", 1)
	o.run(exitOK, "", "plan", "-f", file, "--push-metrics", address)
	o.run(exitOK, "", "plan", "-f", o.file("same.yaml", startDocument), "--push-metrics", gateway.URL+"/push/metrics/job/x")
	if want := "PUT /metrics/job/orgd_plan secret orgd_plan_changes 8,PUT /push/metrics/job/x  orgd_plan_changes 0"; strings.Join(got, ",") != want {
		t.Errorf("pushed %q, want %q", strings.Join(got, ","), want)
	}
	status = http.StatusBadRequest
	if r := o.run(exitFailure, "", "plan", "-f", file, "--push-metrics", address); strings.Contains(r.stderr, "secret") || !strings.Contains(r.stderr, "400") {
		t.Errorf("orgd plan says %q", r.stderr)
	}
	if r := o.run(exitFailure, "", "plan", "-f", file, "--push-metrics", "nowhere"); !strings.Contains(r.stderr, "is not a URL with a host") {
		t.Errorf("orgd plan says %q", r.stderr)
	}
}
