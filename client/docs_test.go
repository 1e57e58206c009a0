package client_test

import (
	"os"
	"strings"
	"testing"
)

// TestDocumentation: every snippet of the page is a part of an example.
func TestDocumentation(t *testing.T) {
	page, err := os.ReadFile("../docs/client.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	examples := flat(string(source))
	snippets := strings.Split(string(page), "```go\n")[1:]
	for _, s := range snippets {
		snippet, _, _ := strings.Cut(s, "```")
		if !strings.Contains(examples, flat(snippet)) {
			t.Errorf("no example has this snippet:\n%s", snippet)
		}
	}
	if len(snippets) < 5 {
		t.Errorf("the page has %d snippets", len(snippets))
	}
}

// flat is text without the indentation of its lines.
func flat(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		b.WriteString(strings.TrimLeft(line, "\t"))
	}
	return b.String()
}
