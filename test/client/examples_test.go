package client_test

import (
	"os"
	"os/exec"
	"strings"
	"testing"

	"orgd/client"
)

// source is the directory of the client.
const source = "../../client/"

// TestExamples runs the examples of the client, which is a module of its own and knows no
// service, on one that seems to be where they look for it.
func TestExamples(t *testing.T) {
	s := serve(t)
	token, err := s.token("ada@example.com", client.RoleAdmin)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "test", "-v", "-count=1", "-run", "^Example", "orgd/client")
	cmd.Env = append(os.Environ(), "ORGD_TOKEN="+token, "ORGD_TEST_EXAMPLES="+strings.TrimPrefix(s.url, "http://"))
	out, err := cmd.CombinedOutput()
	passed := strings.Count(string(out), "--- PASS: Example")
	if want := strings.Count(examples(t), "// Output:"); err != nil || passed != want {
		t.Errorf("go test = %v, and %d examples passed, want %d:\n%s", err, passed, want, out)
	}
}

// TestDocumentation: every snippet of the page is a part of an example.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile("../../docs/client.md")
	if err != nil {
		t.Fatal(err)
	}
	all := flat(examples(t))
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

// examples is the file of the examples.
func examples(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile(source + "example_test.go")
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
