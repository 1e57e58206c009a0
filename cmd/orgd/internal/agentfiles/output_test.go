package agentfiles

import (
	"os"
	"path/filepath"
	"testing"
)

// Agents are not written through a link that somebody has put beside their files.
func TestApplyFollowsNoLink(t *testing.T) {
	dir := t.TempDir()
	other := filepath.Join(dir, "other")
	if err := os.WriteFile(other, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("other", filepath.Join(dir, "ada.md.unfinished")); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if err := (Output{Root: root, Home: "."}).Apply([]FileChange{{Path: "ada.md", Text: []byte("Ada"), New: true}}); err != nil {
		t.Errorf("Apply = %v", err)
	}
	for name, want := range map[string]string{"other": "mine", "ada.md": "Ada"} {
		if got, err := os.ReadFile(filepath.Join(dir, name)); string(got) != want || err != nil {
			t.Errorf("%s = %q, %v, want %q", name, got, err, want)
		}
	}
}

// Files in another repository below the folder are not ours to remove.
func TestCompareLeavesOtherRepositoriesAlone(t *testing.T) {
	dir := t.TempDir()
	written := "---\n" + marked + `{"department":"D"}` + "\nname: a\n---\n"
	for path, text := range map[string]string{"agents/d/old.md": written, "agents/other/.git/HEAD": "", "agents/other/d/a.md": written} {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	got, err := Output{Root: root, Home: "agents"}.Compare(nil)
	if err != nil || len(got) != 1 || got[0].Path != "agents/d/old.md" {
		t.Errorf("Compare = %v, %v, want only agents/d/old.md to be removed", got, err)
	}
}
