package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
	"orgd/test/gittest"
)

// names are those of all agents, in order.
func (o *registry) names() (names []string) {
	o.Helper()
	for a, err := range o.service().Agents(o.Context(), client.AgentQuery{Summary: true}) {
		if err != nil {
			o.Fatal(err)
		}
		names = append(names, a.Name)
	}
	slices.Sort(names)
	return names
}

// place writes files into a directory.
func place(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// ownRepository is a repository with three agents of its own, one of which is not committed,
// and with what others wrote.
func ownRepository(t *testing.T) string {
	t.Helper()
	dir := gittest.Repository(t, gittest.Commit{Subject: "Begin", Write: map[string]string{
		".gitignore": "build/\n*.draft.md\n", ".claude/agents/core/ada.md": definition("ada", "a"), "plugins/web/agents/bob.md": definition("bob", "b"),
		"vendor/lib/agents/v.md": definition("v", "v"), "web/dist/d.md": definition("d", "d"),
	}})
	place(t, dir, map[string]string{
		"law/cy.md": definition("cy", "c"), "law/x.draft.md": definition("x", "x"), "build/agents/core/y.md": definition("y", "y"),
		"web/node_modules/z/agents/z.md": definition("z", "z"), "web/node_modules/z/README.md": "# z\n", "nested/core/n.md": definition("n", "n"),
	})
	gittest.Git(t, filepath.Join(dir, "nested"), nil, "init", "-q")
	return dir
}

// An import of a whole repository hires what is the repository's own, and says what it
// leaves out and why.
func TestImportTakesWhatTheRepositoryOwns(t *testing.T) {
	dir := ownRepository(t)
	o := openRegistry(t, "")
	r := o.run(exitOK, "", "import", "agents", "--yes", dir)
	if diff := cmp.Diff([]string{"ada", "bob", "cy"}, o.names()); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
	for _, want := range []string{
		"Left out: is ignored by Git; --include takes it (2)\n",
		"Left out: lies in a folder node_modules, which has what others wrote; --include takes it (2)\n",
		"Left out: lies in a folder vendor, which has what others wrote; --include takes it (1)\n",
		"Left out: lies in another repository; --include takes it (1)\n",
		"Files: 10; agents: 3; departments: 3; left out: 7; bad: 0.\n",
	} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("orgd import says\n%s\nwant %q", r.stderr, want)
		}
	}
	r = o.run(exitOK, "", "import", "agents", "--yes", "-v", dir)
	for _, want := range []string{"Left out: law/x.draft.md: is ignored by Git", "Left out: build/agents/core/y.md: is ignored by Git", "Left out: nested/core/n.md: lies in another repository"} {
		if !strings.Contains(r.stderr, want) {
			t.Errorf("orgd import -v says\n%s\nwant %q", r.stderr, want)
		}
	}
	o.run(exitOK, "", "import", "agents", "--yes", "--include", "build/agents/**", dir)
	if !slices.Contains(o.names(), "y") {
		t.Errorf("agents = %q, want y, which --include names", o.names())
	}
	// Who names an ignored folder means it.
	o.run(exitOK, "", "import", "agents", "--yes", "--department", "d", filepath.Join(dir, "build", "agents"))
	if got := o.agent("y").Department; got != "d" {
		t.Errorf("the department of y = %q, want d", got)
	}
}

// The same holds for the history, which has what was committed.
func TestImportHistoryTakesWhatTheRepositoryOwns(t *testing.T) {
	o := openRegistry(t, "")
	r := o.run(exitOK, "", "import", "agents", "--history", "--yes", ownRepository(t))
	if diff := cmp.Diff([]string{"ada", "bob"}, o.names()); diff != "" {
		t.Errorf("agents (-want +got):\n%s", diff)
	}
	if want := "Left out: lies in a folder vendor, which has what others wrote; --include takes it (1)\n"; !strings.Contains(r.stderr, want) {
		t.Errorf("orgd import --history says\n%s\nwant %q", r.stderr, want)
	}
}

// A repository that Git does not read is imported all the same, with a word about it.
func TestImportSaysThatGitDoesNotAnswer(t *testing.T) {
	gittest.Need(t)
	dir := directory(t, map[string]string{"core/ada.md": definition("ada", "a"), ".git": "gitdir: /nowhere\n"})
	o := openRegistry(t, "")
	r := o.run(exitOK, "", "import", "agents", "--yes", dir)
	if want := "Which files Git ignores is not known, so they are taken: git "; !strings.Contains(r.stderr, want) {
		t.Errorf("orgd import says\n%s\nwant %q", r.stderr, want)
	}
}
