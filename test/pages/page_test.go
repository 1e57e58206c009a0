// Package pages runs the commands of the documentation on the real program, each
// page from top to bottom as somebody who pastes it, and compares what they print
// with what the page says.
package pages

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// root is the repository.
const root = "../.."

// block is a code block of a page.
type block struct {
	line     int    // of the page, where it begins
	language string // behind the fence
	text     string

	// mark is the comment before the block, which says that it is no plain
	// script: "background", "fails", or "skip: " and the reason.
	mark string
	// output is what the page says that the commands print; nil if nothing.
	output *string
}

var (
	fence = regexp.MustCompile("^(```+)(\\S*)$")
	mark  = regexp.MustCompile(`^<!-- test: (background|fails|skip: .+) -->$`)
	// fileName is the first line of a block that is a file.
	fileName = regexp.MustCompile(`^(?://|#) (\w[\w.-]*\.\w+)\n`)
)

// blocks reads the code blocks of a page in their order. A block without a
// language, or of JSON, that follows a script is what the script prints.
func blocks(t *testing.T, page string) (all []block) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, page))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(text), "\n")
	said := ""      // the mark before the next block
	behind := false // nothing but white space stands between the last block and here
	for i := 0; i < len(lines); i++ {
		if m := mark.FindStringSubmatch(lines[i]); m != nil {
			said = m[1]
			continue
		}
		open := fence.FindStringSubmatch(lines[i])
		if open == nil {
			if strings.Contains(lines[i], "<!-- test:") || strings.HasPrefix(lines[i], "```") {
				t.Errorf("%s:%d: the test does not understand %q", page, i+1, lines[i])
			}
			behind = behind && strings.TrimSpace(lines[i]) == ""
			continue
		}
		end := i + 1 + slices.Index(lines[i+1:], open[1])
		if end == i {
			t.Fatalf("%s:%d: the block has no end", page, i+1)
		}
		b := block{line: i + 1, language: open[2], text: strings.Join(lines[i+1:end], "\n") + "\n", mark: said}
		if behind && said == "" && (b.language == "" || b.language == "json") {
			all[len(all)-1].output = &b.text
		} else {
			all = append(all, b)
		}
		behind, said, i = b.language == "sh", "", end
	}
	return all
}

// script makes a program for bash of the blocks of a page: it runs them in one
// shell and leaves in dir, for each block, what it printed, and which commands
// failed.
func script(t *testing.T, page string, all []block, dir string) string {
	t.Helper()
	var s strings.Builder
	for i, b := range all {
		name := fileName.FindStringSubmatch(b.text)
		switch {
		case b.language != "sh" && name != nil:
			fmt.Fprintf(&s, "cp %s/%d %s\n", dir, i, name[1])
		case b.language != "sh" || strings.HasPrefix(b.mark, "skip: "):
			continue
		case b.mark == "background":
			fmt.Fprintf(&s, "(source %[1]s/%[2]d) >%[1]s/%[2]d.out 2>&1 &\nready %[1]s/%[2]d.out || { finish; exit 1; }\n", dir, i)
		default:
			fmt.Fprintf(&s, "at %[1]s/%[2]d; source %[1]s/%[2]d >%[1]s/%[2]d.out 2>&1\n", dir, i)
		}
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprint(i)), []byte(b.text), 0o600); err != nil {
			t.Fatalf("%s: %v", page, err)
		}
	}
	return prelude + s.String() + "finish\n"
}

// prelude are the functions that a script needs. A service is ready when it has
// also said where its console is, which a demo does when it is made. A command that fails is noted
// beside what the block prints, unless the block itself looks at its exit code.
const prelude = `
at() { block=$1; }
note() { echo "$1: exit code $2" >>"$block.failed"; }
set -E -o pipefail
trap 'note "$BASH_COMMAND" $?' ERR
ready() {
	while jobs %% >/dev/null 2>&1; do
		grep -qs /console "$1" && curl -s -f -o /dev/null "http://$ORGD_ADDR/api/v1/readyz" && return
		sleep 0.1
	done
	echo "the service did not become ready" >>"$1"
	return 1
}
finish() { trap '' TERM; kill -TERM 0; wait; }
`
