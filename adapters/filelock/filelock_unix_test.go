//go:build unix

package filelock

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"
)

// A child that is just being started has a copy of each open file.
func TestCloseWithACopy(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	first, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := Lock(first); err != nil {
		t.Fatal(err)
	}
	copied, err := unix.Dup(int(first.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(copied)
	if err := Close(first); err != nil {
		t.Errorf("Close = %v", err)
	}
	second, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	if err := TryLock(second); err != nil {
		t.Errorf("TryLock after Close = %v", err)
	}
}
