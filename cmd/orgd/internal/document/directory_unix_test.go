//go:build unix

package document

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// An export writes through no link that somebody has put where it works, and waits for no pipe.
func TestReplaceOfWhatIsInTheWay(t *testing.T) {
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret")
	if err := os.WriteFile(secret, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "company.yaml")
	if err := os.Symlink(secret, filepath.Join(dir, ".company.yaml.tmp")); err != nil {
		t.Fatal(err)
	}
	d := directory{file: []byte(mark + "a: 1\n")}
	if err := d.replace(nil); err != nil {
		t.Errorf("replace = %v", err)
	}
	if text, err := os.ReadFile(secret); string(text) != "mine" || err != nil {
		t.Errorf("behind a link is %q, %v, want it as it was", text, err)
	}
	pipe := filepath.Join(dir, "pipe.yaml")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link.yaml")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{pipe, link} {
		if err := (directory{path: []byte(mark)}).replace(nil); err == nil || !strings.Contains(err.Error(), "was not written by orgd export") {
			t.Errorf("replace of %s = %v, want it refused", filepath.Base(path), err)
		}
	}
}
