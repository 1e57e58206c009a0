package main

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"orgd/cmd/orgd/internal/terminal"
	"orgd/test/golden"
)

const rendered = `format: 1
departments: [{name: "R&D"}, {name: Design}, {name: Skills}]
agents:
- {name: Ada, role: Reviewer, department: "R&D", level: lead, description: "Reviews: kindly", model: {provider: acme, model_id: big, temperature: 0.2}, tools: {allowed: [Read, "Bash(git diff:*)"], denied: [Write], access_level: restricted}, instructions: "\nReview.\n---\nKindly.\n", metadata: {color: "no", hooks: {a.b: [1, "2"]}}}
- {name: ada!, role: Other, department: Design, instructions: "Do.", metadata: {model: inherit, on: true}}
- {name: Zoë, role: Designer, department: Design, tools: {denied: [Bash]}, personality: {creativity: high}}
- {name: 名前, role: Writer, department: Skills, description: "Two\nlines\n"}
`

// tree returns the files below a directory.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all.WriteString("=== " + filepath.ToSlash(name) + "\n" + string(text) + "\n")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// What is rendered is what the service says: importing it changes nothing.
func TestRender(t *testing.T) {
	o := openRegistry(t, rendered)
	var page strings.Builder
	for _, program := range []string{"claude-code", "codex", "copilot", "opencode"} {
		dir := t.TempDir()
		r := o.run(exitOK, "", "render", "--for", program, "--out", dir)
		page.WriteString("$ orgd render --for " + program + " --out DIR\n" + r.stdout + r.stderr + tree(t, dir) + "\n")
		if r := o.run(exitOK, "", "import", "agents", "--dry-run", "--plan", dir); !strings.Contains(r.stderr, "Nothing to change") {
			t.Errorf("an import of what was rendered for %s would change\n%s%s", program, r.stdout, r.stderr)
		}
		o.run(exitOK, "", "render", "--for", program, "--out", dir, "--check")
	}
	golden.File(t, "testdata/render.txt", page.String())
}

// Files of others stay, and those that were written follow the service.
func TestRenderAgain(t *testing.T) {
	o := openRegistry(t, rendered)
	dir := t.TempDir()
	render := func(code int, args ...string) result {
		t.Helper()
		return o.run(code, "", append([]string{"render", "--for", "claude-code", "--out", dir}, args...)...)
	}
	path := func(name string) string { return filepath.Join(dir, ".claude/agents", name) }
	write := func(name, text string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path(name)), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	exists := func(name string) bool { _, err := os.Lstat(path(name)); return err == nil }

	write("r-d/ada.md", "---\nname: Ada\n---\nMine.\n")
	write("design", "a file\n")
	if r := render(exitFailure); strings.Count(r.stderr, "is in the way") != 3 || exists("skills-") || r.stdout != "" {
		t.Errorf("with files in the way: %s%s, want all three named", r.stdout, r.stderr)
	}
	if err := errorsOf(os.Remove(path("design")), os.Remove(path("r-d/ada.md"))); err != nil {
		t.Fatal(err)
	}
	write("design/mine.md", "---\nname: mine\ndescription: d\n---\nMine.\n")
	if r := render(exitPlanned, "--check"); strings.Count(r.stdout, "\n+ ") != 3 || exists("r-d/ada.md") {
		t.Errorf("--check prints\n%s, and writes nothing", r.stdout)
	}
	render(exitOK)
	before, err := os.Stat(path("r-d/ada.md"))
	if err != nil {
		t.Fatal(err)
	}
	o.run(exitOK, "", "agent", "delete", "Zoë", "--yes")
	o.run(exitOK, "", "agent", "update", "ada!", "--description", "new")
	if r := render(exitOK, "--department", "R&D"); r.stdout != "" {
		t.Errorf("--department of another changes\n%s", r.stdout)
	}
	if r := render(exitOK); r.stdout != "~ .claude/agents/design/ada-"+suffix(t, r.stdout)+".md\n- .claude/agents/design/zoe.md\n" {
		t.Errorf("render prints\n%s", r.stdout)
	}
	after, err := os.Stat(path("r-d/ada.md"))
	if err != nil || !after.ModTime().Equal(before.ModTime()) || exists("design/zoe.md") || !exists("design/mine.md") {
		t.Errorf("what has not changed was written again, or a file of somebody else is gone: %v", err)
	}

	o.run(exitOK, "", "label", "set", "Ada", "production", "1")
	o.run(exitOK, "", "agent", "update", "Ada", "--description", "not released")
	labeled := t.TempDir()
	r := o.run(exitOK, "", "render", "--for", "claude-code", "--out", labeled, "--label", "production", "--omit", "color")
	if text := tree(t, labeled); strings.Count(text, "=== ") != 1 || !strings.Contains(text, "Reviews: kindly") || strings.Contains(text, "color") {
		t.Errorf("--label writes\n%s", text)
	}
	if !strings.Contains(r.stderr, "without the label production: 2") || !strings.Contains(r.stderr, "metadata.color (1)") {
		t.Errorf("--label says\n%s", r.stderr)
	}
	o.run(exitFailure, "", "render", "--for", "claude-code", "--out", labeled, "--label", "prodction")
	o.run(exitFailure, "", "render", "--for", "codex", "--out", labeled, "--department", "Nobody")
	o.run(exitUsage, "", "render", "--for", "codex", "--out", labeled, "--check", "--watch")
}

func errorsOf(all ...error) error {
	i := slices.IndexFunc(all, func(err error) bool { return err != nil })
	if i < 0 {
		return nil
	}
	return all[i]
}

func suffix(t *testing.T, text string) string {
	t.Helper()
	return regexp.MustCompile(`[0-9a-f]{8}`).FindString(text)
}

// A change in the service is in the files soon after.
func TestRenderWatch(t *testing.T) {
	o := openRegistry(t, rendered)
	dir := t.TempDir()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan int)
	var out output
	go func() {
		ended <- run(ctx, []string{"render", "--for", "opencode", "--out", dir, "--watch"}, terminal.Terminal{Getenv: env(o.vars...), Stdout: &out, Stderr: &out})
	}()
	await := func(what string, done func(text string) bool) {
		t.Helper()
		for end := time.Now().Add(deadline); !done(tree(t, dir)); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: not after %s:\n%s\n%s", what, deadline, out.String(), tree(t, dir))
			}
		}
	}
	await("begin", func(text string) bool { return strings.Count(text, "=== ") == 4 })
	o.run(exitOK, "", "agent", "update", "Ada", "--description", "seen at once")
	await("change", func(text string) bool { return strings.Contains(text, "seen at once") })
	o.run(exitOK, "", "agent", "delete", "Zoë", "--yes")
	await("removal", func(text string) bool { return !strings.Contains(text, "Zoë") })
	stop()
	if code := <-ended; code != exitSignal+2 {
		t.Errorf("orgd render --watch = %d", code)
	}
}
