package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
	"orgd/test/golden"
)

// directory writes files and returns where they are.
func directory(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "agents")
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// service is a client of the registry.
func (o *registry) service() *client.Client {
	o.Helper()
	c, err := client.New(client.Config{BaseURL: o.url, Token: client.StaticToken(o.token)})
	if err != nil {
		o.Fatal(err)
	}
	return c
}

func (o *registry) agent(name string) client.Agent {
	o.Helper()
	a, err := o.service().Agent(o.Context(), name)
	if err != nil {
		o.Fatal(err)
	}
	return a
}

// collection has one agent in each dialect.
var collection = map[string]string{
	"README.md":               "# Our agents\n",
	"CONTRIBUTING.md":         "---\nname: nobody\n---\n",
	"core/api-designer.md":    "---\nname: api-designer\ndescription: Designs APIs: REST, GraphQL\ntools: Read, Write, Bash(git add:*, git diff:*)\nmodel: sonnet\n---\n\nYou design APIs.\n\nAsk first.\n",
	"core/Reviewer.md":        "\ufeff---\r\nname: \"Reviewer\"\r\ndescription: >\r\n  Reviews\r\n  code\r\nmodel: inherit\r\ntools:\r\n  - Read\r\n  - Grep\r\n---\r\nYou review.\r\n",
	"core/notes.md":           "Some notes.\n",
	"plugins/web/agents/x.md": "---\ndescription: 'no name'\ncolor: red\n---\n",
}

// What an import hires and changes is in the change log, each once, with its reason.
func TestImportIsLogged(t *testing.T) {
	o := newOffice(t)
	o.user = o.admin
	dir := directory(t, map[string]string{"one.md": "---\nname: one\n---\nFirst.\n", "two.md": "---\nname: two\n---\nSecond.\n"})
	o.can(t, "import", "agents", dir, "--department", "Imported", "--yes")
	if err := os.WriteFile(filepath.Join(dir, "two.md"), []byte("---\nname: two\n---\nOther.\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	o.can(t, "import", "agents", dir, "--department", "Imported", "--yes", "--reason", "better words")
	o.can(t, "import", "agents", dir, "--department", "Imported", "--yes") // changes nothing
	var got []string
	for e, err := range o.Changes(t.Context(), client.ChangeQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, fmt.Sprintf("%s %s %q: %s", e.Action, e.Resource.Name, e.ChangedFields, *e.Reason))
	}
	slices.Sort(got)
	const files = ": imported from files by orgd import agents"
	want := []string{"agent.created one []" + files, "agent.created two []" + files, `agent.updated two ["instructions"]: better words`, "department.created Imported []" + files}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("changes of imports (-want +got):\n%s", diff)
	}
}

func TestImport(t *testing.T) {
	o := openRegistry(t, "format: 1\ndepartments: [{name: Core}]\nagents:\n- {name: zed, role: Z, department: Core}\n"+
		"- {name: reviewer, role: R, department: Core, level: lead, model: {provider: acme, model_id: big}, tools: {denied: [Bash]}}\n")
	dir := directory(t, collection)
	r := o.run(exitOK, "", "import", "agents", "--plan", "--yes", dir)
	golden.File(t, "testdata/import.txt", "$ orgd import agents --plan --yes agents\n"+r.stdout+r.stderr)

	api, reviewer, x := o.agent("api-designer"), o.agent("reviewer"), o.agent("x")
	for _, c := range []struct{ what, got, want any }{
		{"role", api.Role, "api-designer"},
		{"department", api.Department, "Core"},
		{"description", api.Description, "Designs APIs: REST, GraphQL"},
		{"provider", api.Model.Provider, "unspecified"},
		{"model", api.Model.ModelID, "sonnet"},
		{"tools", api.Tools.Allowed, []string{"Read", "Write", "Bash(git add:*, git diff:*)"}},
		{"instructions", api.Instructions, "\nYou design APIs.\n\nAsk first.\n"},
		{"reviewer's name", reviewer.Name, "Reviewer"},
		{"reviewer's description", reviewer.Description, "Reviews code\n"},
		{"reviewer's model", reviewer.Model, (*client.Model)(nil)},
		{"reviewer's level, of which the file knows nothing,", reviewer.Level, client.LevelLead},
		{"reviewer's forbidden tools, which the file decides,", reviewer.Tools.Denied, []string{}},
		{"reviewer's metadata", reviewer.Metadata, client.Object{"model": "inherit"}},
		{"x's metadata", x.Metadata, client.Object{"color": "red"}},
		{"x's department", x.Department, "web"},
		{"x's tools", x.Tools.Allowed, []string{}},
	} {
		if diff := cmp.Diff(c.want, c.got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", c.what, diff)
		}
	}
	if v, err := o.service().Version(t.Context(), "x", 1); err != nil || v.Reason == nil || *v.Reason != "imported from files by orgd import agents" {
		t.Errorf("the version of x = %+v, %v, want a reason", v, err)
	}

	before := o.export()
	if r := o.run(exitOK, "", "import", "agents", "--yes", dir); r.stdout != "" || !strings.Contains(r.stderr, "Nothing to change") {
		t.Errorf("orgd import again = %+v, want nothing to change", r)
	}
	if err := os.Remove(filepath.Join(dir, "core", "Reviewer.md")); err != nil {
		t.Fatal(err)
	}
	o.run(exitOK, "", "import", "agents", "--yes", dir)
	if diff := cmp.Diff(before, o.export()); diff != "" {
		t.Errorf("the organization after the same import (-want +got):\n%s", diff)
	}
	if r := o.run(exitOK, "", "import", "agents", "--yes", "--department", "Web", "--provider", "acme", dir); !strings.Contains(r.stderr, "1 updated") {
		t.Errorf("orgd import --department says %q", r.stderr)
	}
	if api = o.agent("api-designer"); api.Department != "web" || api.Model.Provider != "acme" {
		t.Errorf("api-designer = %s of %+v, want web and acme", api.Department, api.Model)
	}
}

// Every mistake is told with file, line and field, those that only the service
// can find too, and nothing is changed.
func TestImportMistakes(t *testing.T) {
	o := openRegistry(t, "format: 1\ndepartments: [{name: core}]\nagents: [{name: ann, role: A, department: core, tools: {denied: [Bash]}}]\n")
	before := o.export()
	var report strings.Builder
	for _, c := range []struct {
		name  string
		files map[string]string
	}{
		{"broken", map[string]string{
			"core/a.md": "---\nname: ..\ndescription: fine\ntools: {a: b}\n---\n", "core/b.md": "---\nname: b\nmodel: [x]\n", "c.md": "---\nname: c\n---\n",
			"core/d.md": "---\nname: d\n---\n", "web/d.md": "---\nmodel: x\nname: D\n---\n", "core/e.md": "---\nname: e\n---\n\xff\n",
		}},
		{"refused", map[string]string{"core/fine.md": "---\nname: fine\n---\n", "core/ann.md": "---\nname: ann/versions\nmodel: x\ntools: Bash\n---\n"}},
		{"empty", map[string]string{"README.md": "Hello\n", "core/notes.md": "Notes\n"}},
	} {
		dir := directory(t, c.files)
		r := o.run(exitFailure, "", "import", "agents", "--yes", dir)
		if r.stdout != "" {
			t.Errorf("orgd import of the %s directory prints %q", c.name, r.stdout)
		}
		report.WriteString("$ orgd import agents --yes " + c.name + "\n" + strings.ReplaceAll(r.stderr, dir, c.name) + "\n")
	}
	golden.File(t, "testdata/import_mistakes.txt", report.String())
	if diff := cmp.Diff(before, o.export()); diff != "" {
		t.Errorf("something has changed (-before +after):\n%s", diff)
	}
}

func TestImportAsks(t *testing.T) {
	o := openRegistry(t, "")
	dir := directory(t, collection)
	before := o.export()
	if r := o.run(exitUsage, "y\n", "import", "agents", dir); !strings.Contains(r.stderr, "--yes: is needed") {
		t.Errorf("orgd import without a terminal says %q", r.stderr)
	}
	if r := o.run(exitUsage, "", "import", "agents", "--history", "--yes", "--reason", "why", dir); !strings.Contains(r.stderr, "--reason: does not go with --history") {
		t.Errorf("orgd import --history --reason says %q", r.stderr)
	}
	o.interactive = true
	if r := o.run(exitFailure, "n\n", "import", "agents", dir); !strings.Contains(r.stderr, "nothing was changed") {
		t.Errorf("orgd import after a no says %q", r.stderr)
	}
	if diff := cmp.Diff(before, o.export()); diff != "" {
		t.Errorf("something has changed (-before +after):\n%s", diff)
	}
	o.run(exitOK, "y\n", "import", "agents", dir)
	o.agent("x")
}

// A bad file stops nothing with --skip-bad, a dry run needs nobody to ask, and the plan is
// shown on demand.
func TestImportGoesOn(t *testing.T) {
	o := openRegistry(t, "")
	dir := directory(t, map[string]string{
		"one/reviewer.md": "---\nname: reviewer\ncolor: red\ndisallowedTools: Write\n---\nOne.\n", "two/reviewer.md": "---\nname: reviewer\nmodel: [a, b]\n---\nTwo.\n",
		"one/bad.md": "---\nname: ..\n---\n", "one/draft.md": "---\nname: draft\n---\n", "one/notes.md": "Notes.\n",
	})
	args := []string{"import", "agents", "--exclude", "**/draft.md", dir}
	before := o.export()
	o.run(exitFailure, "", append(args, "--yes")...)
	args = append(args, "--skip-bad")
	dry := o.run(exitPlanned, "", append(args, "--dry-run")...)
	golden.File(t, "testdata/import_dry_run.txt", "$ orgd import agents --exclude '**/draft.md' --skip-bad --dry-run agents\n"+dry.stdout+strings.ReplaceAll(dry.stderr, dir, "agents"))
	if diff := cmp.Diff(before, o.export()); diff != "" {
		t.Errorf("something has changed (-before +after):\n%s", diff)
	}
	if r := o.run(exitOK, "", append(args, "--yes", "-v")...); !strings.Contains(r.stderr, "Left out: one/notes.md: ") || !strings.Contains(r.stderr, "Left out: one/draft.md: ") {
		t.Errorf("orgd import -v says %q, want every file", r.stderr)
	}
	if a := o.agent("one-reviewer"); !slices.Equal(a.Tools.Denied, []string{"Write"}) || a.Metadata["color"] != "red" {
		t.Errorf("one-reviewer = %+v, %v", a.Tools, a.Metadata)
	}
	if _, err := o.service().PatchAgent(t.Context(), "one-reviewer", client.Object{"metadata": client.Object{"mine": true, "color": "blue"}}); err != nil {
		t.Fatal(err)
	}
	o.interactive = true
	if r := o.run(exitOK, "p\ny\n", args...); !strings.Contains(r.stdout, `metadata.color: "blue" -> "red"`) {
		t.Errorf("orgd import after the answer p prints %q", r.stdout)
	}
	if a := o.agent("one-reviewer"); a.Metadata["mine"] != true || a.Metadata["color"] != "red" {
		t.Errorf("the metadata of one-reviewer = %v, want what others wrote and what the file says", a.Metadata)
	}
	o.run(exitUsage, "", "import", "agents", "--include", "[", dir)
}
