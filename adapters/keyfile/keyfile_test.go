package keyfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

func TestReplaceAndCreate(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	for _, text := range []string{"one\n", "two\n"} {
		if err := Replace(path, []byte(text)); err != nil {
			t.Fatalf("Replace = %v", err)
		}
		if got, err := os.ReadFile(path); err != nil || string(got) != text {
			t.Errorf("file = %q, %v, want %q", got, err, text)
		}
	}
	if err := Create(path, []byte("three\n")); !errors.Is(err, fs.ErrExist) {
		t.Errorf("Create over a file = %v, want ErrExist", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "two\n" {
		t.Errorf("file after Create = %q, %v, want it unchanged", got, err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v, want 0600", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(path)); err != nil || len(left) != 1 {
		t.Errorf("left over are %v, %v, want one file", left, err)
	}
}

// A file for everybody keeps its mode and the links to it.
func TestReplaceOpen(t *testing.T) {
	dir := t.TempDir()
	path, link := filepath.Join(dir, "x"), filepath.Join(dir, "link")
	if err := ReplaceOpen(path, []byte("one")); err != nil {
		t.Fatalf("ReplaceOpen = %v", err)
	}
	if err := errors.Join(os.Chmod(path, 0o640), os.Symlink("x", link)); err != nil {
		t.Fatal(err)
	}
	if err := ReplaceOpen(link, []byte("two")); err != nil {
		t.Fatalf("ReplaceOpen of a link = %v", err)
	}
	text, err := os.ReadFile(path)
	info, errStat := os.Lstat(path)
	if about, errLink := os.Lstat(link); string(text) != "two" || info.Mode() != 0o640 || about.Mode()&fs.ModeSymlink == 0 || errors.Join(err, errStat, errLink) != nil {
		t.Errorf("file = %q with mode %v, link with mode %v, %v", text, info.Mode(), about.Mode(), errors.Join(err, errStat, errLink))
	}
	if err := ReplaceOpen(os.DevNull, []byte("three")); err != nil {
		t.Errorf("ReplaceOpen of a device = %v", err)
	}
}
