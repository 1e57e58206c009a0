package agenthistory_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/cmd/orgd/internal/agenthistory"
	"orgd/test/gittest"
)

// What Git ignores is listed below the directory that is asked about, however this is named.
func TestIgnored(t *testing.T) {
	dir := gittest.Repository(t, gittest.Commit{Write: map[string]string{
		".gitignore": "build/\n*.draft.md\n", "web/.gitignore": "/own.md\n", "web/kept.draft.md": "x", "web/a.md": "x",
	}})
	for _, path := range []string{"build/agents/x/a.md", "web/b.draft.md", "web/own.md", "web/new.md", "a.draft.md"} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(filepath.Join(dir, "web"), link); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]string{
		dir:                         {"a.draft.md", "build/", "web/b.draft.md", "web/own.md"},
		filepath.Join(dir, "web"):   {"b.draft.md", "own.md"},
		link:                        {"b.draft.md", "own.md"},
		filepath.Join(dir, "build"): nil,
		filepath.Join(dir, "build", "agents", "x"): nil,
		t.TempDir(): nil,
	} {
		got, err := agenthistory.Ignored(t.Context(), path)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("Ignored(%s) = %v (-want +got):\n%s", path, err, diff)
		}
	}
}
