package request

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
)

// spoolMemory is up to how many bytes a spool keeps in memory.
const spoolMemory = 1 << 20

// errSpool is a temporary file that cannot be made, written or read.
var errSpool = errors.New("httpapi: spool")

// Spool keeps bytes in memory, or in a temporary file if they are too many. Its owner
// closes it.
type Spool struct {
	mem  []byte
	file *os.File // nil while the memory suffices
	name string   // of the file, "" once it has none
	size int64
	hash hash.Hash
}

// NewSpool returns an empty spool.
func NewSpool() *Spool { return &Spool{hash: sha256.New()} }

// Write appends to the spool. Its errors are of the temporary file.
func (s *Spool) Write(b []byte) (int, error) {
	s.hash.Write(b) // never fails
	if s.file == nil && len(s.mem)+len(b) > spoolMemory {
		if err := s.toFile(); err != nil {
			return 0, err
		}
	}
	s.size += int64(len(b))
	if s.file == nil {
		s.mem = append(s.mem, b...)
		return len(b), nil
	}
	n, err := s.file.Write(b)
	return n, spoolError(err)
}

func (s *Spool) toFile() error {
	f, err := os.CreateTemp("", "orgd-spool-")
	if err != nil {
		return spoolError(err)
	}
	// If the system allows it, the file has no name from now on: it is gone when this
	// process ends, in whatever way.
	if s.file = f; os.Remove(f.Name()) != nil {
		s.name = f.Name()
	}
	_, err = f.Write(s.mem)
	s.mem = nil
	return spoolError(err)
}

// ReadAt reads what was written.
func (s *Spool) ReadAt(b []byte, at int64) (int, error) {
	if s.file == nil {
		return bytes.NewReader(s.mem).ReadAt(b, at)
	}
	n, err := s.file.ReadAt(b, at)
	if err == io.EOF {
		return n, err
	}
	return n, spoolError(err)
}

// Reader reads everything from the beginning.
func (s *Spool) Reader() io.Reader { return io.NewSectionReader(s, 0, s.size) }

// Size returns the number of bytes.
func (s *Spool) Size() int64 { return s.size }

// InMemory returns everything, or false if it is in a file.
func (s *Spool) InMemory() ([]byte, bool) { return s.mem, s.file == nil }

// Sum returns the SHA-256 of everything.
func (s *Spool) Sum() (sum [sha256.Size]byte) {
	s.hash.Sum(sum[:0])
	return sum
}

// Reset removes everything.
func (s *Spool) Reset() error {
	err := s.Close()
	*s = *NewSpool()
	return err
}

// Close removes the file, if there is one.
func (s *Spool) Close() error {
	if s.file == nil {
		return nil
	}
	err := s.file.Close()
	if s.name != "" {
		err = errors.Join(err, os.Remove(s.name))
	}
	return spoolError(err)
}

func spoolError(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errSpool, err)
}
