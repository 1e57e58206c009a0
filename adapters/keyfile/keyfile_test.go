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
