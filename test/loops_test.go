package test

import (
	"os"
	"regexp"
	"testing"
)

// splitting are commands that split what another prints at blanks, as names have them.
var splitting = regexp.MustCompile("(?m)\\bfor \\w+ in [^;\\n]*(?:\\$\\((?:[^(]|$)|`\\w)[^\\n]*|\\bset -- [^\\n]*\\$\\([^(][^\\n]*|" +
	`\|\s*xargs\b[^\n]*|\bwhile (?:IFS=\S* )?read\b[^\n]*`)

// wholeLines has those of them that take lines, or what ends with a zero byte, as they are.
var wholeLines = regexp.MustCompile(`xargs (?:-d '\\n'|-0)|while IFS= read -r\b`)

// No command of a page, of a help or of a script splits at blanks what it reads: agents may be
// called "Ada Lovelace".
func TestLoopsTakeNamesWithBlanks(t *testing.T) {
	for _, bad := range []string{
		"for a in $(orgd get agents -o name); do", "for a in `orgd get agents -o name`; do", "orgd agents -o name | xargs -n 1 orgd agent health",
		"orgd agents -o name | while read a; do", "orgd agents -o name | while read -r a; do", "set -- $(orgd agents -o name)",
	} {
		if m := splitting.FindString(bad); m == "" || wholeLines.MatchString(m) {
			t.Errorf("%q is taken for good", bad)
		}
	}
	files := append(pagesBelow(t, ".."), "../cmd/orgd/testdata/help.txt")
	for _, kind := range []string{".sh", ".yaml"} {
		files = append(files, filesBelow(t, "../deployments", kind)...)
	}
	n := 0
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range splitting.FindAllString(string(text), -1) {
			if n++; !wholeLines.MatchString(m) {
				t.Errorf("%s splits names at their blanks: %s", path, m)
			}
		}
	}
	if n < 2 {
		t.Errorf("%d commands read lists, want more to be found", n)
	}
}
