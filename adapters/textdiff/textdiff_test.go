package textdiff_test

import (
	"strings"
	"testing"

	"orgd/adapters/textdiff"
)

func TestCompare(t *testing.T) {
	const names = "--- old\n+++ new\n"
	for name, c := range map[string]struct{ old, new, lineEnds, unified string }{
		"same":                  {"a\r\nb\n", "a\r\nb\n", "", ""},
		"only CRLF to LF":       {"a\r\nb\r\n", "a\nb\n", "only line ends: CRLF → LF", ""},
		"only LF to CRLF":       {"a\nb", "a\r\nb", "only line ends: LF → CRLF", ""},
		"only CR to LF":         {"a\rb\r", "a\nb\n", "only line ends: CR → LF", ""},
		"only mixed to LF":      {"a\r\nb\n", "a\nb\n", "only line ends: mixed → LF", ""},
		"only mixed to mixed":   {"a\r\nb\n", "a\nb\r\n", "only line ends: mixed → mixed", ""},
		"a line and all ends":   {"a\r\nb\r\nc\r\n", "a\nB\nc\n", "line ends: CRLF → LF", names + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		"the end of a new line": {"a\r\nb\r\n", "a\r\nb\r\nc\n", "line ends: CRLF → mixed", names + "@@ -1,2 +1,3 @@\n a\n b\n+c\n"},
		"a line of mixed ends":  {"a\r\nb\nc\n", "a\r\nB\nc\n", "", names + "@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"},
		"a line and mixed ends": {"a\r\nb\nc\n", "a\nb\r\nC\n", "line ends: mixed → mixed", names + "@@ -1,3 +1,3 @@\n a\n b\n-c\n+C\n"},
		"mixed, a line more":    {"a\r\nb\n", "x\na\r\nb\n", "", names + "@@ -1,2 +1,3 @@\n+x\n a\n b\n"},
		"the last end":          {"a\nb", "a\nb\n", "", names + "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		"the last end and CRLF": {"a\r\nb", "a\nb\n", "line ends: CRLF → LF", names + "@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"},
		"from nothing":          {"", "a\r\n", "", names + "@@ -0,0 +1 @@\n+a\n"},
		"blanks at the end":     {"a \nb\n", "a\nb\n", "", names + "@@ -1,2 +1,2 @@\n-a \n+a\n b\n"},
	} {
		t.Run(name, func(t *testing.T) {
			lineEnds, unified := textdiff.Compare(c.old, c.new)
			if lineEnds != c.lineEnds || unified != c.unified {
				t.Errorf("Compare(%q, %q) = %q, %q, want %q, %q", c.old, c.new, lineEnds, unified, c.lineEnds, c.unified)
			}
		})
	}
}

// One line of many is found, whatever the line ends do.
func TestCompareLongText(t *testing.T) {
	old := strings.Repeat("a line of instructions\r\n", 2000)
	_, unified := textdiff.Compare(old+"end\r\n", strings.ReplaceAll(old, "\r", "")+"END\n")
	if n := strings.Count(unified, "\n"); n != 8 {
		t.Errorf("Compare returns %d lines, want 8:\n%.500s", n, unified)
	}
}
