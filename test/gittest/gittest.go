// Package gittest makes Git repositories for tests.
package gittest

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// Commit is one to be made. What it does not name stays as it was in the commit
// before it, or in its first parent.
type Commit struct {
	Author  string // "Ada" by default
	Date    time.Time
	Subject string
	Write   map[string]string // content by path
	Link    map[string]string // target by path
	Delete  []string
	// Parents are indices of commits, for one that does not follow the one before
	// it.
	Parents []int
}

// variable names the program git. Tests without it use nothing but Go.
const variable = "ORGD_TEST_GIT"

// Need skips a test that uses Git if nobody wants that.
func Need(t testing.TB) {
	t.Helper()
	if os.Getenv(variable) == "" {
		t.Skipf("SKIPPED: %s does not name Git; make check and make ci set it", variable)
	}
}

// Repository makes a repository with these commits, the last one checked out,
// and returns its directory. It skips the test if there is no Git.
func Repository(t testing.TB, commits ...Commit) string {
	t.Helper()
	Need(t)
	dir := t.TempDir()
	Git(t, dir, nil, "init", "-q", "-b", "main")
	if len(commits) > 0 {
		Add(t, dir, 0, commits...)
	}
	return dir
}

// Add makes more commits in a repository that has some already.
func Add(t testing.TB, dir string, some int, commits ...Commit) {
	t.Helper()
	var stream bytes.Buffer
	for i, c := range commits {
		c.write(&stream, i, some)
	}
	Git(t, dir, &stream, "fast-import", "--quiet", "--force", "--date-format=raw")
	Git(t, dir, nil, "reset", "-q", "--hard", "main")
}

func (c Commit) write(w *bytes.Buffer, i, some int) {
	if c.Author == "" {
		c.Author = "Ada"
	}
	if c.Date.IsZero() {
		c.Date = time.Date(2025, 7, 1, 12, some+i, 0, 0, time.UTC)
	}
	who := fmt.Sprintf("%s <someone@example.org> %d %s", c.Author, c.Date.Unix(), c.Date.Format("-0700"))
	fmt.Fprintf(w, "commit refs/heads/main\nmark :%d\nauthor %s\ncommitter %s\n", i+1, who, who)
	data(w, c.Subject)
	switch {
	case len(c.Parents) > 0:
		fmt.Fprintf(w, "from :%d\n", c.Parents[0]+1)
		for _, p := range c.Parents[1:] {
			fmt.Fprintf(w, "merge :%d\n", p+1)
		}
	case i > 0:
		fmt.Fprintf(w, "from :%d\n", i)
	case some > 0:
		fmt.Fprint(w, "from refs/heads/main^0\n")
	}
	for _, path := range c.Delete {
		fmt.Fprintf(w, "D %s\n", quoted(path))
	}
	for _, part := range []struct {
		mode  string
		files map[string]string
	}{{"100644", c.Write}, {"120000", c.Link}} {
		for _, path := range slices.Sorted(maps.Keys(part.files)) {
			fmt.Fprintf(w, "M %s inline %s\n", part.mode, quoted(path))
			data(w, part.files[path])
		}
	}
}

func data(w *bytes.Buffer, text string) { fmt.Fprintf(w, "data %d\n%s\n", len(text), text) }

// quoted is a path of any bytes.
func quoted(path string) string {
	var b strings.Builder
	for _, c := range []byte(path) {
		if c < ' ' || c > '~' || c == '"' || c == '\\' {
			fmt.Fprintf(&b, `\%03o`, c)
		} else {
			b.WriteByte(c)
		}
	}
	return `"` + b.String() + `"`
}

// Git runs a command in a repository and returns what it prints.
func Git(t testing.TB, dir string, stdin *bytes.Buffer, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_NOSYSTEM=1")
	if stdin != nil {
		cmd.Stdin = stdin
	}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", args[0], err, out)
	}
	return string(out)
}
