package filelock

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "x")
	open := func() *os.File {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() }) // perhaps the second time
		return f
	}
	first, second := open(), open()
	if err := Lock(first); err != nil {
		t.Fatalf("Lock = %v", err)
	}
	if err := TryLock(second); !errors.Is(err, ErrHeld) {
		t.Errorf("TryLock of a locked file = %v, want ErrHeld", err)
	}
	if err := TryShare(second); !errors.Is(err, ErrHeld) {
		t.Errorf("TryShare of a locked file = %v, want ErrHeld", err)
	}
	if err := Close(first); err != nil {
		t.Errorf("Close = %v", err)
	}
	if err := TryLock(second); err != nil {
		t.Errorf("TryLock after Close = %v", err)
	}
	if err := Close(second); err != nil {
		t.Fatal(err)
	}
	if err := TryShare(open()); err != nil {
		t.Errorf("TryShare after Close = %v", err)
	}
	if err := TryShare(open()); err != nil {
		t.Errorf("TryShare of a shared file = %v", err)
	}
}
