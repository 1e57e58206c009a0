// Package examples runs the examples of the client, which is a module of its own and knows no service.
package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"orgd/test/process"
)

// TestExamples runs them on a service that seems to be where they look for it.
func TestExamples(t *testing.T) {
	binary, err := process.Build(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "data")
	token, err := process.Token(t.Context(), binary, dir, "ada@example.com")
	if err != nil {
		t.Fatal(err)
	}
	s, err := process.Start(t.Context(), binary, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Kill)
	cmd := exec.CommandContext(t.Context(), "go", "test", "-v", "-count=1", "-run", "^Example", "orgd/client")
	cmd.Env = append(os.Environ(), "ORGD_TOKEN="+token, "ORGD_TEST_EXAMPLES="+strings.TrimPrefix(s.URL, "http://"))
	out, err := cmd.CombinedOutput()
	passed := strings.Count(string(out), "--- PASS: Example")
	if want := strings.Count(source(t), "// Output:"); err != nil || passed != want {
		t.Errorf("go test = %v, and %d examples passed, want %d:\n%s", err, passed, want, out)
	}
}

// TestDocumentation: every snippet of the page is a part of an example.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/client.md")
	if err != nil {
		t.Fatal(err)
	}
	all := flat(source(t))
	snippets := strings.Split(string(page), "```go\n")[1:]
	for _, s := range snippets {
		snippet, _, _ := strings.Cut(s, "```")
		if !strings.Contains(all, flat(snippet)) {
			t.Errorf("no example has this snippet:\n%s", snippet)
		}
	}
	if len(snippets) < 5 {
		t.Errorf("the page has %d snippets", len(snippets))
	}
}

// source is the file of the examples.
func source(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../client/example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// flat is text without the indentation of its lines.
func flat(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, "\t"))
	}
	return b.String()
}
