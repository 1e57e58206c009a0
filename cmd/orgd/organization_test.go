package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/cmd/orgd/internal/document"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/test/golden"
)

// registry is a service with an organization, and somebody who changes it.
type registry struct {
	*testing.T
	user
	url, token string
}

// openRegistry starts a service whose organization is as a document says.
func openRegistry(t *testing.T, doc string) *registry {
	t.Helper()
	dir := t.TempDir()
	s := serve(t, false, "--data-dir", dir, "--limits", "off")
	file := filepath.Join(dir, "admin.token")
	o := &registry{T: t, url: s.url, token: readSecret(t, file)}
	o.vars = []string{"ORGD_SERVER=" + s.url, "ORGD_TOKEN_FILE=" + file}
	if doc != "" {
		o.run(exitOK, "", "apply", "--yes", "-f", o.file("start.yaml", doc))
	}
	return o
}

// file writes a file.
func (o *registry) file(name, text string) string {
	o.Helper()
	path := filepath.Join(o.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		o.Fatal(err)
	}
	return path
}

// run runs a command line that ends with a code.
func (o *registry) run(code int, input string, args ...string) result {
	o.Helper()
	r := o.types(o.T, input, args...)
	if r.code != code {
		o.Fatalf("orgd %s = %d, want %d:\n%s", strings.Join(args, " "), r.code, code, r.stderr)
	}
	return r
}

func (o *registry) export(args ...string) string {
	o.Helper()
	return o.run(exitOK, "", append([]string{"export"}, args...)...).stdout
}

const startDocument = `format: 1
company:
  budget_monthly: 1000
  settings: {time_zone: UTC, reviews: {weekly: true, size: 3}}
departments:
- name: Design
  head: Ann
- name: Research
  budget_percent: 20
  teams: [{name: Field, lead: Bob, members: [Bob]}]
agents:
- name: Ann
  role: Designer
  department: Design
  instructions: |
    Draw what is needed.
    Ask before you erase.
    Sign nothing.
  tools: {allowed: [pen, paper, glue]}
- {name: Bob, role: Analyst, department: Research, level: senior, authority: {reports_to: Ann}}
- {name: Cleo, role: Analyst, department: Research, metadata: {seat: 4}, owner: eve@example.com, tags: [eu, support]}
- {name: Dan, role: Clerk, department: Research, model: {provider: acme, model_id: large}}
`

// A document goes into Git in one file and comes out as the same bytes of any
// service, in both languages.
func TestExportAndApply(t *testing.T) {
	from := openRegistry(t, startDocument)
	for _, format := range []string{"yaml", "json"} {
		t.Run(format, func(t *testing.T) {
			from.T = t
			text := from.export("-o", format)
			file := filepath.Join(t.TempDir(), "org."+format)
			if out := from.run(exitOK, "", "export", "-").stdout; out != from.run(exitOK, "", "export").stdout {
				t.Errorf("orgd export - prints\n%s", out)
			}
			if r := from.run(exitOK, "", "export", file); r.stdout != "" {
				t.Errorf("orgd export FILE writes %q on standard output", r.stdout)
			}
			if written, err := os.ReadFile(file); err != nil || string(written) != text {
				t.Errorf("orgd export FILE has written %q, %v, want %q", written, err, text)
			}
			to := openRegistry(t, "")
			to.run(exitPlanned, "", "plan", "-f", file)
			if r := to.run(exitOK, "", "apply", "--yes", "--prune", "-f", file); !strings.Contains(r.stderr, "6 created, 1 updated") {
				t.Errorf("orgd apply says %q", r.stderr)
			}
			if diff := cmp.Diff(text, to.export("-o", format)); diff != "" {
				t.Errorf("export of the copy (-want +got):\n%s", diff)
			}
			r := to.run(exitOK, "", "apply", "--yes", "-f", file)
			if r.stdout != "" || !strings.Contains(r.stderr, "Nothing to change") {
				t.Errorf("orgd apply again = %+v, want nothing to change", r)
			}
			to.run(exitOK, text, "plan", "--prune", "-f", "-")
		})
	}
}

// changedDocument is the organization of startDocument after every kind of
// change. What would steer a terminal does not reach it.
const changedDocument = `format: 1
company:
  budget_monthly: 1200.50
  settings: {time_zone: CET, reviews: {weekly: true, size: 4, extra: [1]}}
departments:
- name: Research
  teams: [{name: Field, lead: Bob, members: [Bob, Ann Lee]}]
- name: Archive
  description: keeps "everything"
agents:
- name: Cleo
  metadata: {seat: 5, note: "red \e[31m"}
  owner: null
  tags: [support, us]
- name: Ann Lee
  previous_name: Ann
  department: Research
  instructions: |
    Draw what is needed.
    Ask before you erase anything.
    Sign nothing.
  tools: {allowed: [pen, ink, glue]}
- name: Bob
  level: lead
  authority: {reports_to: Ann Lee}
- name: Eve
  role: Archivist
  department: Archive
  model: {provider: acme, model_id: small}
  instructions: "Keep.\nFind."
`

func TestPlan(t *testing.T) {
	o := openRegistry(t, startDocument)
	file := o.file("org.yaml", changedDocument)
	before := o.export()
	plain := o.run(exitPlanned, "", "plan", "--prune", "-f", file)
	o.colored = true
	colored := o.run(exitPlanned, "", "plan", "--prune", "-f", file)
	o.colored = false
	golden.File(t, "testdata/plan.txt", "$ orgd plan --prune -f org.yaml\n"+plain.stdout+plain.stderr+"\n$ orgd plan --prune -f org.yaml  # on a terminal\n"+strings.ReplaceAll(colored.stdout, "\x1b", "ESC"))

	json := o.run(exitPlanned, "", "plan", "--prune", "-f", file, "-o", "json")
	if !strings.Contains(json.stdout, `"path": "agents[\"Ann\"].name"`) || json.stderr != "" {
		t.Errorf("orgd plan -o json = %+v", json)
	}
	if diff := cmp.Diff(before, o.export()); diff != "" {
		t.Errorf("a plan has changed something (-before +after):\n%s", diff)
	}
}

// Nothing changes unless somebody says yes.
func TestApplyAsks(t *testing.T) {
	o := openRegistry(t, startDocument)
	file := o.file("org.yaml", changedDocument)
	before := o.export()
	for _, c := range []struct {
		name        string
		interactive bool
		answer      string
		args        []string
		code        int
		says        string
	}{
		{"no terminal", false, "yes\n", nil, exitUsage, "--yes: is needed"},
		{"standard input", true, "format: 1\n", []string{"-f", "-"}, exitUsage, "--yes: is needed with --file -"},
		{"long reason", true, "y\n", []string{"-f", file, "--reason", strings.Repeat("ä", document.MaxReason+1)}, exitUsage, "--reason: must be at most"},
		{"no", true, "no\n", nil, exitFailure, "nothing was changed"},
		{"nothing", true, "\n", nil, exitFailure, "nothing was changed"},
		{"end", true, "", nil, exitFailure, "nothing was changed"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o.T, o.interactive = t, c.interactive
			args := c.args
			if args == nil {
				args = []string{"-f", file}
			}
			if r := o.run(c.code, c.answer, append([]string{"apply"}, args...)...); !strings.Contains(r.stderr, c.says) {
				t.Errorf("orgd apply says %q, want %q", r.stderr, c.says)
			}
		})
	}
	o.T, o.interactive = t, true
	if diff := cmp.Diff(before, o.export()); diff != "" {
		t.Fatalf("something has changed (-before +after):\n%s", diff)
	}
	r := o.run(exitOK, "Yes\n", "apply", "-f", file, "--reason", "spring: 50 % more")
	if !strings.Contains(r.stderr, "Change the organization at "+o.url+" like this? [y/N] ") || !strings.Contains(r.stderr, "Done: 2 created") {
		t.Errorf("orgd apply says %q", r.stderr)
	}
	o.run(exitOK, "", "plan", "-f", file)
	if status, body := call(t, "GET", o.url+"/api/v1/agents/Bob/versions?limit=1", o.token, ""); !strings.Contains(body, `"reason":"spring: 50 % more"`) {
		t.Errorf("the version of Bob = %d %s, want the reason", status, body)
	}
}

// interference is a standard input whose reader has to wait for something.
type interference struct {
	first func()
	then  *strings.Reader
}

func (i *interference) Read(b []byte) (int, error) {
	if i.first != nil {
		i.first()
		i.first = nil
	}
	return i.then.Read(b)
}

// What was confirmed is what happens, or nothing.
func TestApplyOfAnOldPlan(t *testing.T) {
	o := openRegistry(t, startDocument)
	file := o.file("org.yaml", "format: 1\nagents:\n- {name: Bob, level: lead}\n- {name: Dan, level: lead}\n")
	var stdout, stderr output
	code := run(t.Context(), []string{"apply", "-f", file}, terminal.Terminal{
		Getenv: env(o.vars...), Stdout: &stdout, Stderr: &stderr, Interactive: true,
		Stdin: &interference{func() {
			if status, body := call(t, "PATCH", o.url+"/api/v1/agents/Dan", o.token, `{"level":"vp"}`); status != 200 {
				t.Errorf("PATCH = %d %s", status, body)
			}
		}, strings.NewReader("y\n")},
	})
	if code != exitFailure || !strings.Contains(stderr.String(), "somebody else has changed the organization; run the command again") {
		t.Errorf("orgd apply = %d:\n%s", code, &stderr)
	}
	if now := o.export(); !strings.Contains(now, "level: vp") || strings.Contains(now, "level: lead") {
		t.Errorf("the organization is now\n%s", now)
	}
}

// An apply that is interrupted says so, and the same command does the rest.
func TestApplyInterrupted(t *testing.T) {
	t.Parallel() // it waits
	o := openRegistry(t, "")
	var doc strings.Builder
	doc.WriteString("format: 1\ndepartments: [{name: D}]\nagents:\n")
	const agents = 3000
	for i := range agents {
		fmt.Fprintf(&doc, "- {name: a%d, role: r, department: D}\n", i)
	}
	file := o.file("org.yaml", doc.String())
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	var stdout, stderr output
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, []string{"apply", "--yes", "-f", file}, terminal.Terminal{Getenv: env(o.vars...), Stdout: &stdout, Stderr: &stderr})
	}()
	for end := time.Now().Add(deadline); ; time.Sleep(time.Millisecond) {
		if _, body := call(t, "GET", o.url+"/api/v1/agents?limit=1", o.token, ""); strings.Contains(body, `"role":"r"`) {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("no agents after %s", deadline)
		}
	}
	interrupt()
	if got := <-code; got != 130 || !strings.Contains(stderr.String(), "interrupted; what was done stays, and the same command does the rest") {
		t.Errorf("orgd apply, interrupted = %d:\n%s", got, &stderr)
	}
	if r := o.run(exitOK, "", "apply", "--yes", "-f", file); strings.Contains(r.stderr, fmt.Sprintf("Done: %d created", agents)) {
		t.Errorf("orgd apply, once more, says %q, want less than all", r.stderr)
	}
	o.run(exitOK, "", "plan", "-f", file)
}

// Every mistake of a document is told with file, line and field.
func TestMistakesOfDocuments(t *testing.T) {
	o := openRegistry(t, startDocument)
	before := o.export()
	var report strings.Builder
	for _, doc := range []struct{ name, text string }{
		{"entries.yaml", `format: 2
compny: {}
company:
  settings: 3
departments:
- name: Design
  budget_percent: 101
  teams:
  - name: A
    lead: "x; y: \"z\""
    size: 3
- name: design
agents:
- name: Zed
  role: R
  levle: x
  skills:
    primary:
    - {id: a, name: A}
    - id: b
      nme: "b; c"
- role: x
`},
		{"state.json", `{
  "format": 1,
  "departments": [
    {"name": "Design",
     "head": "Nobody"}
  ],
  "agents": [
    {"name": "Ann",
     "department": "Nowhere"},
    {"name": "Zed", "role": "R"}
  ]
}
`},
		{"text.yaml", `format: 1
company: {company_name: A, company_name: B}
agents:
- name: Zed
  name: Zoe
- &zed {name: Zed, role: R, level: boss}
- *zed
- !own {name: Zed}
`},
		{"alias.yaml", "format: 1\nagents:\n- name: *zed\n"},
		{"quotes.yaml", "format: 1\nagents:\n- name: \"Zed\n- {name: Zed, role: R, level: boss}\n"},
		{"list.yaml", "- format: 1\n"},
		{"empty.yaml", ""},
		{"text", "format: 1\nagents: [\n"},
	} {
		file := o.file(doc.name, doc.text)
		for _, args := range [][]string{{"plan", "-f", file}, {"apply", "--yes", "-f", file}} {
			r := o.run(exitFailure, "", args...)
			if r.stdout != "" {
				t.Errorf("orgd %s prints %q", args, r.stdout)
			}
			said := strings.ReplaceAll(r.stderr, filepath.Dir(file)+string(filepath.Separator), "")
			if args[0] == "plan" {
				report.WriteString("$ orgd plan -f " + doc.name + "\n" + said + "\n")
			} else if !strings.HasSuffix(report.String(), said+"\n") {
				t.Errorf("orgd apply says of %s\n%s", doc.name, said)
			}
		}
	}
	golden.File(t, "testdata/mistakes.txt", report.String())
	if diff := cmp.Diff(before, o.export()); diff != "" {
		t.Errorf("something has changed (-before +after):\n%s", diff)
	}
}
