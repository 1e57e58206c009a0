package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// many are lines that a function makes.
func many(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}

// Of any number of mistakes, a bounded number is printed, and how many more there are. With -v
// all are.
func TestMistakesAreBounded(t *testing.T) {
	o := openRegistry(t, "")
	twice := definition("ada", "")
	twice = strings.Replace(twice, "description", many(3000, func(int) string { return "color: red\n" })+"description", 1)
	oneFile := map[string]string{"core/ada.md": twice, "core/bob.md": definition("..", ""), "core/cy.md": definition("cy", "")}
	manyFiles := map[string]string{}
	for i := range 300 {
		manyFiles[fmt.Sprintf("core/%03d.md", i)] = definition("..", "")
	}
	agents := many(400, func(i int) string { return fmt.Sprintf("- {name: agent-%d, role: R, department: none}\n", i) })
	doc := filepath.Join(t.TempDir(), "org.yaml")
	if err := os.WriteFile(doc, []byte("format: 1\nagents:\n"+agents), 0o600); err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	o.run(exitOK, "", "import", "agents", "--yes", directory(t, crowd(60)))
	place(t, out, files(60, ".claude/agents/core/agent-%02d.md", "of others\n"))
	for _, c := range []struct {
		name  string
		args  []string
		lines int    // at most
		says  string // how many more there are
		all   int    // lines with -v, at least
	}{
		{"one file", []string{"import", "agents", "--yes", directory(t, oneFile)}, 23, "core/ada.md: 2979 more mistakes, which --verbose prints\n", 3001},
		{"one file left out", []string{"import", "agents", "--yes", "--skip-bad", directory(t, oneFile)}, 30, "core/ada.md: 2979 more mistakes, which --verbose prints\n", 3001},
		{"many files", []string{"import", "agents", "--yes", directory(t, manyFiles)}, 103, "200 more mistakes, which --verbose prints\n", 300},
		{"plan", []string{"plan", "-f", doc}, 23, "380 more mistakes, which --verbose prints\n", 400},
		{"apply", []string{"apply", "--yes", "-f", doc}, 23, "380 more mistakes, which --verbose prints\n", 400},
		{"render", []string{"render", "--for", "claude-code", "--out", out}, 22, "orgd: 41 more lines, which --verbose prints\n", 61},
	} {
		code := exitFailure
		if c.name == "one file left out" {
			code = exitOK
		}
		r := o.run(code, "", c.args...)
		if got := strings.Count(r.stderr, "\n"); got > c.lines || !strings.Contains(r.stderr, c.says) {
			t.Errorf("%s: orgd says %d lines, want at most %d with %q:\n%.3000s", c.name, got, c.lines, c.says, r.stderr)
		}
		r = o.run(code, "", append(c.args, "-v")...)
		if got := strings.Count(r.stderr, "\n"); got < c.all || strings.Contains(r.stderr, "--verbose prints") {
			t.Errorf("%s: orgd -v says %d lines, want %d or more:\n%.3000s", c.name, got, c.all, r.stderr)
		}
	}
}

// files are those of a text, numbered.
func files(n int, path, text string) map[string]string {
	all := map[string]string{}
	for i := range n {
		all[fmt.Sprintf(path, i)] = text
	}
	return all
}

// crowd has the files of n agents.
func crowd(n int) map[string]string {
	all := map[string]string{}
	for i := range n {
		name := fmt.Sprintf("agent-%02d", i)
		all["core/"+name+".md"] = definition(name, "")
	}
	return all
}
