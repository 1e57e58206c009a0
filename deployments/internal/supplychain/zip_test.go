package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// The same files make the same bytes.
func TestZip(t *testing.T) {
	from, at := t.TempDir(), time.Unix(1_700_000_000, 0)
	path := filepath.Join(from, "orgd.exe")
	archives := make([][]byte, 2)
	for i := range archives {
		if err := os.WriteFile(path, []byte("program"), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, changed := range []string{path, from} {
			if err := os.Chtimes(changed, at, at); err != nil {
				t.Fatal(err)
			}
		}
		file, to := filepath.Join(t.TempDir(), "x.zip"), filepath.Join(t.TempDir(), "x")
		if err := zipDirectory(file, from); err != nil {
			t.Fatal(err)
		}
		if err := unzip(file, to); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(filepath.Join(to, "orgd.exe")); err != nil || string(text) != "program" {
			t.Errorf("the file in the archive = %q, %v", text, err)
		}
		archives[i], _ = os.ReadFile(file)
	}
	if !bytes.Equal(archives[0], archives[1]) {
		t.Error("the second archive is another one")
	}
}
