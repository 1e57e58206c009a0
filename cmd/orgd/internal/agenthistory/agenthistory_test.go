package agenthistory_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/cmd/orgd/internal/agentfiles"
	"orgd/cmd/orgd/internal/agenthistory"
	"orgd/test/gittest"
)

// definition is a file about an agent.
func definition(name, body string) string {
	return "---\nname: " + name + "\n---\n" + body
}

// anywhere is a scope in which every file lies in a place for agents.
var anywhere = agentfiles.Scope{Base: "agents"}

// read reads a history that has to be readable.
func read(t *testing.T, dir string) agenthistory.History {
	t.Helper()
	h, err := agenthistory.Read(t.Context(), dir, anywhere, func(int, int) {})
	if err != nil {
		t.Fatalf("Read = %v, want none", err)
	}
	return h
}

// told is a history in few words.
func told(h agenthistory.History) (lines []string) {
	for _, s := range h.Steps {
		line := h.Commits[s.Commit].Subject + ": " + string(s.Action) + " " + s.Agent.Name
		if s.Action != agenthistory.Fire {
			line += " of " + s.Agent.Department + ": " + s.Agent.Instructions
		}
		lines = append(lines, line)
	}
	return lines
}

// notices are those of a history, without ids and dates.
func notices(h agenthistory.History) (lines []string) {
	for _, n := range h.Notices {
		_, text, _ := strings.Cut(n, ": ")
		lines = append(lines, text)
	}
	return lines
}

func TestRead(t *testing.T) {
	type commit = gittest.Commit
	write := func(subject string, files ...string) commit {
		c := commit{Subject: subject, Write: map[string]string{}}
		for i := 0; i < len(files); i += 2 {
			c.Write[files[i]] = files[i+1]
		}
		return c
	}
	odd := "a \"b\" \\ :?*[ü]/\tx\n.md"
	for name, test := range map[string]struct {
		commits       []commit
		want, notices []string
	}{
		"one life": {
			commits: []commit{
				write("1", "a/ada.md", definition("ada", "one"), "README.md", "Hello"),
				write("2", "README.md", "Hello again"),
				write("3", "a/ada.md", definition("ada", "two")),
				write("4", "a/ada.md", "---\nname: ada\ncolor: red\n---\ntwo"),
				{Subject: "5", Delete: []string{"a/ada.md"}},
				write("6", "a/ada.md", definition("Ada", "three")),
			},
			want: []string{"1: hire ada of a: one", "3: update ada of a: two", "4: update ada of a: two", "5: fire ada", "6: hire Ada of a: three"},
		},
		"moves and names": {
			commits: []commit{
				write("1", "a/ada.md", definition("ada", "one")),
				{Subject: "2", Delete: []string{"a/ada.md"}, Write: map[string]string{"b/ada.md": definition("ada", "one")}},
				{Subject: "3", Delete: []string{"b/ada.md"}, Write: map[string]string{"c/b/other.md": definition("ada", "one")}},
				write("4", "c/b/other.md", definition("ADA", "one")),
				write("5", "c/b/other.md", definition("bob", "one")),
			},
			want: []string{"1: hire ada of a: one", "2: update ada of b: one", "4: update ADA of b: one", "5: fire ADA", "5: hire bob of b: one"},
		},
		"two trade names": {
			commits: []commit{
				write("1", "a/x.md", definition("ada", "one"), "a/y.md", definition("bob", "two")),
				write("2", "a/x.md", definition("bob", "one"), "a/y.md", definition("ada", "two")),
			},
			want: []string{"1: hire ada of a: one", "1: hire bob of a: two", "2: update ada of a: two", "2: update bob of a: one"},
		},
		"broken for a while": {
			commits: []commit{
				write("1", "a/ada.md", definition("ada", "one"), "a/bob.md", "---\nname: ..\n---\n"),
				write("2", "a/ada.md", "---\nname: ada\ntools: [\n---\n"),
				write("3", "a/ada.md", "Nothing in front.\n"),
				write("4", "a/ada.md", definition("ada", "two"), "a/bob.md", definition("bob", "b")),
			},
			want: []string{"1: hire ada of a: one", "4: update ada of a: two", "4: hire bob of a: b"},
			notices: []string{
				`a/bob.md:2: name: the name must not be "." or ".."`,
				"a/ada.md:3: tools: is not YAML: a bracket or quotes without their end, or a list with tabs",
				"a/ada.md: lies in a folder for agents, but has no front matter; --include takes it",
			},
		},
		"no definition any more": {
			commits: []commit{
				write("1", "a/ada.md", definition("ada", "one"), "a/bob.md", definition("bob", "b")),
				write("2", "a/ada.md", "Nothing in front.\n"),
				{Subject: "3", Link: map[string]string{"a/bob.md": "ada.md"}},
			},
			want:    []string{"1: hire ada of a: one", "1: hire bob of a: b", "3: fire ada", "3: fire bob"},
			notices: []string{"a/ada.md: lies in a folder for agents, but has no front matter; --include takes it", "a/bob.md: is a symbolic link"},
		},
		"the same agent twice": {
			commits: []commit{
				write("1", "b/ada.md", definition("ada", "one")),
				write("2", "a/ada.md", definition("Ada", "two")),
				write("3", "b/ada.md", definition("ada", "three")),
				{Subject: "4", Delete: []string{"b/ada.md"}},
			},
			want: []string{"1: hire ada of b: one", "3: update ada of b: three", "4: update Ada of a: two"},
			notices: []string{
				`a/ada.md: left out, because "b/ada.md" defines "ada" too`,
				`a/ada.md: left out, because "b/ada.md" defines "ada" too`,
			},
		},
		"odd names of files": {
			commits: []commit{
				write("1", odd, definition("ada", "one"), "a/-n.md", definition("n", "n"), "a/\xff.md", definition("x", "x")),
				{Subject: "2", Delete: []string{"a/\xff.md"}, Write: map[string]string{odd: definition("ada", "two")}},
			},
			want:    []string{`1: hire ada of a "b" \ :?*[ü]: one`, "1: hire n of a: n", `2: update ada of a "b" \ :?*[ü]: two`},
			notices: []string{`"a/\xff.md": the name of the file must be UTF-8`},
		},
		"a merge": {
			commits: []commit{
				write("1", "a/ada.md", definition("ada", "one"), "a/bob.md", definition("bob", "one")),
				write("2", "a/ada.md", definition("ada", "two")),
				{Subject: "3", Parents: []int{0}, Write: map[string]string{"a/ada.md": definition("ada", "side"), "a/cy.md": definition("cy", "one")}},
				{Subject: "4", Parents: []int{1, 2}, Write: map[string]string{"a/cy.md": definition("cy", "one")}},
			},
			want: []string{
				"1: hire ada of a: one", "1: hire bob of a: one", "2: update ada of a: two", "3: update ada of a: side",
				"3: hire cy of a: one", "4: update ada of a: two",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := read(t, gittest.Repository(t, test.commits...))
			if diff := cmp.Diff(test.want, told(h)); diff != "" {
				t.Errorf("steps (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(test.notices, notices(h)); diff != "" {
				t.Errorf("notices (-want +got):\n%s", diff)
			}
		})
	}
}

// What is bad in the last commit is told, and names that several files have there are
// those of all commits.
func TestReadMistakes(t *testing.T) {
	dir := gittest.Repository(t,
		gittest.Commit{Subject: "1", Write: map[string]string{"a/ada.md": definition("ada", "one"), "a/cy.md": definition("cy", "one")}},
		gittest.Commit{Subject: "2", Write: map[string]string{"b/ada.md": definition("Ada", "two"), "a/cy.md": "---\n"}},
	)
	h := read(t, dir)
	want := []string{"1: hire a-ada of a: one", "1: hire cy of a: one", "2: hire b-Ada of b: two"}
	if diff := cmp.Diff(want, told(h)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if want := "a/cy.md:1: front matter: no line --- ends it"; h.Head.Bad.Error() != want {
		t.Errorf("Read = %v, want\n%s", h.Head.Bad, want)
	}
}

// A directory inside of a repository has its own part of the history, and what is
// not committed has none.
func TestReadFolder(t *testing.T) {
	dir := gittest.Repository(t,
		gittest.Commit{Subject: "1", Write: map[string]string{"x/a/ada.md": definition("ada", "one"), "y/b/bob.md": definition("bob", "one")}},
		gittest.Commit{Subject: "2", Write: map[string]string{"y/b/bob.md": definition("bob", "two")}},
	)
	gittest.Git(t, dir, nil, "rm", "-q", "--cached", "-r", ".")
	h := read(t, filepath.Join(dir, "x"))
	if diff := cmp.Diff([]string{"1: hire ada of a: one"}, told(h)); diff != "" {
		t.Errorf("steps (-want +got):\n%s", diff)
	}
	if len(h.Commits) != 2 || len(h.Head.Agents) != 1 || h.Shallow {
		t.Errorf("Read = %d commits, %d agents, shallow %t, want 2, 1, false", len(h.Commits), len(h.Head.Agents), h.Shallow)
	}
}

// Settings of repository and user change nothing, and start nothing.
func TestReadSettings(t *testing.T) {
	dir := gittest.Repository(t,
		gittest.Commit{Subject: "1", Write: map[string]string{"a/ada.md": definition("ada", "one")}},
		gittest.Commit{Subject: "2", Delete: []string{"a/ada.md"}, Write: map[string]string{"b/ada.md": definition("ada", "one")}},
	)
	want := told(read(t, dir))
	trap := filepath.Join(t.TempDir(), "trap")
	for _, setting := range [][]string{
		{"log.showSignature", "true"}, {"gpg.program", "touch " + trap}, {"diff.renames", "copies"}, {"diff.external", "touch " + trap},
		{"core.quotePath", "true"}, {"color.ui", "always"}, {"log.decorate", "full"}, {"core.pager", "touch " + trap}, {"diff.noprefix", "true"},
		{"core.fsmonitor", "touch " + trap}, {"log.diffMerges", "off"}, {"format.pretty", "full"}, {"diff.relative", "false"},
	} {
		gittest.Git(t, dir, nil, append([]string{"config"}, setting...)...)
	}
	t.Setenv("GIT_DIR", t.TempDir())
	if diff := cmp.Diff(want, told(read(t, dir))); diff != "" {
		t.Errorf("steps with settings (-without +with):\n%s", diff)
	}
	if _, err := os.Stat(trap); err == nil {
		t.Error("a program that the repository names was started")
	}
}

func TestReadShallow(t *testing.T) {
	dir := gittest.Repository(t,
		gittest.Commit{Subject: "1", Write: map[string]string{"a/ada.md": definition("ada", "one")}},
		gittest.Commit{Subject: "2", Write: map[string]string{"a/ada.md": definition("ada", "two")}},
	)
	clone := t.TempDir()
	gittest.Git(t, clone, nil, "clone", "-q", "--depth", "1", "file://"+dir, "in")
	h := read(t, filepath.Join(clone, "in"))
	if diff := cmp.Diff([]string{"2: hire ada of a: two"}, told(h)); diff != "" || !h.Shallow {
		t.Errorf("shallow %t, steps (-want +got):\n%s", h.Shallow, diff)
	}
}

func TestReadRefuses(t *testing.T) {
	empty := gittest.Repository(t)
	for name, test := range map[string]struct{ dir, want string }{
		"no repository": {t.TempDir(), "not a git repository"},
		"no commits":    {empty, "there are no commits yet"},
		"no directory":  {filepath.Join(empty, "none"), "no such file or directory"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := agenthistory.Read(t.Context(), test.dir, anywhere, func(int, int) {})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("Read = %v, want an error with %q", err, test.want)
			}
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := agenthistory.Read(ctx, empty, anywhere, func(int, int) {}); !errors.Is(err, context.Canceled) {
		t.Errorf("Read of a cancelled context = %v, want %v", err, context.Canceled)
	}
}

func TestReason(t *testing.T) {
	id, date := strings.Repeat("ab", 20), time.Date(2025, 8, 1, 22, 18, 29, 0, time.FixedZone("", 3*60*60))
	for name, test := range map[string]struct {
		commit         agenthistory.Commit
		by, why, leave string
	}{
		"plain": {
			agenthistory.Commit{ID: id, Date: date, Author: "Ada Lovelace", Email: "ada@example.org", Subject: "Add  notes"},
			"Ada Lovelace <ada@example.org>", "commit " + id + ": Add notes",
			"2025-08-01T22:18:29+03:00 by Ada Lovelace, commit " + id + ": Add notes",
		},
		"without words": {
			agenthistory.Commit{ID: id + strings.Repeat("c", 24), Date: date},
			"nobody", "commit " + id + strings.Repeat("c", 24),
			"2025-08-01T22:18:29+03:00 by , commit " + id + strings.Repeat("c", 24),
		},
		"odd": {
			agenthistory.Commit{ID: id, Date: date, Author: "a\tb\xff", Subject: strings.Repeat("é\u202e", 300)},
			"a b\ufffd", "commit " + id + ": " + strings.Repeat("é ", 99) + "é…",
			"2025-08-01T22:18:29+03:00 by a b\ufffd, commit " + id + ": " + strings.Repeat("é ", 99) + "é…",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := test.commit.AsOf(date.Add(time.Second))
			if got.By != test.by || got.Reason != test.why || !got.At.Equal(date) {
				t.Errorf("AsOf = %q, %q of %v, want %q, %q of %v", got.By, got.Reason, got.At, test.by, test.why, date)
			}
			if found, ok := agenthistory.CommitIn(got.Reason); !ok || found != test.commit.ID {
				t.Errorf("CommitIn(%q) = %q, %t, want %s", got.Reason, found, ok, test.commit.ID)
			}
			if got := test.commit.Reason(); got != test.leave {
				t.Errorf("Reason = %q, want %q", got, test.leave)
			}
			if now := date.Add(-time.Hour); !test.commit.AsOf(now).At.Equal(now) {
				t.Errorf("a commit from the future is as of %v, want %v", test.commit.AsOf(now).At, now)
			}
		})
	}
	if found, ok := agenthistory.CommitIn("2025-08-01T22:18:29Z commit " + id + " by Ada: Add notes"); !ok || found != id {
		t.Errorf("the commit of a former release is %q, %t, want %s", found, ok, id)
	}
	for _, text := range []string{"", "by hand", "because of commit " + id + " by Ada", "x commit 123 by Ada", "commit " + id + "0"} {
		if found, ok := agenthistory.CommitIn(text); ok {
			t.Errorf("CommitIn(%q) = %s, want none", text, found)
		}
	}
}
