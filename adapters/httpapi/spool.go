package httpapi

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

// spool keeps bytes that may be too many for memory; then they go to a temporary
// file. Its owner closes it.
type spool struct {
	mem  []byte
	file *os.File // nil while the memory suffices
	name string   // of the file, "" once it has none
	size int64
	hash hash.Hash
}

func newSpool() *spool { return &spool{hash: sha256.New()} }

// Write appends to the spool.
func (s *spool) Write(b []byte) (int, error) {
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

func (s *spool) toFile() error {
	f, err := os.CreateTemp("", "orgd-spool-")
	if err != nil {
		return spoolError(err)
	}
	// Where the system allows it, the file has no name from now on: nothing is
	// left of it whatever happens to this process.
	if s.file = f; os.Remove(f.Name()) != nil {
		s.name = f.Name()
	}
	_, err = f.Write(s.mem)
	s.mem = nil
	return spoolError(err)
}

// ReadAt reads what was written.
func (s *spool) ReadAt(b []byte, at int64) (int, error) {
	if s.file == nil {
		return bytes.NewReader(s.mem).ReadAt(b, at)
	}
	n, err := s.file.ReadAt(b, at)
	if err == io.EOF {
		return n, err
	}
	return n, spoolError(err)
}

// reader reads everything from the beginning.
func (s *spool) reader() io.Reader { return io.NewSectionReader(s, 0, s.size) }

// sum is the SHA-256 of everything.
func (s *spool) sum() (sum [sha256.Size]byte) {
	s.hash.Sum(sum[:0])
	return sum
}

// reset forgets what was written.
func (s *spool) reset() error {
	err := s.close()
	*s = *newSpool()
	return err
}

// close removes the file, if there is one.
func (s *spool) close() error {
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
