package request

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"io"
	"os"
	"testing"
)

func TestSpool(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	for _, size := range []int{0, 1, spoolMemory, spoolMemory + 1, 3*spoolMemory + 7} {
		want := bytes.Repeat([]byte("0123456789"), size/10+1)[:size]
		s := NewSpool()
		for rest := want; len(rest) > 0; {
			n := min(len(rest), 100_000)
			if _, err := s.Write(rest[:n]); err != nil {
				t.Fatalf("Write = %v", err)
			}
			rest = rest[n:]
		}
		got, err := io.ReadAll(s.Reader())
		if err != nil || !bytes.Equal(got, want) || s.size != int64(size) || s.Sum() != sha256.Sum256(want) {
			t.Errorf("a spool of %d bytes has %d, %v", size, len(got), err)
		}
		if (s.file != nil) != (size > spoolMemory) {
			t.Errorf("a spool of %d bytes in a file = %t", size, s.file != nil)
		}
		if size > 20 {
			part := make([]byte, 10)
			if _, err := s.ReadAt(part, int64(size-20)); err != nil || !bytes.Equal(part, want[size-20:size-10]) {
				t.Errorf("ReadAt = %q, %v", part, err)
			}
		}
		if err := s.Reset(); err != nil || s.size != 0 || s.Sum() != sha256.Sum256(nil) {
			t.Errorf("Reset = %v", err)
		}
		if err := s.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
	left, err := os.ReadDir(os.TempDir())
	if err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

// Without a place for temporary files, what fits into memory still works.
func TestSpoolWithoutFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir()+"/missing")
	s := NewSpool()
	if _, err := s.Write(make([]byte, spoolMemory)); err != nil {
		t.Errorf("Write = %v", err)
	}
	if _, err := s.Write([]byte{1}); !errors.Is(err, errSpool) {
		t.Errorf("Write beyond the memory = %v, want errSpool", err)
	}
}
