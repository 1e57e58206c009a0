// Package filelock locks files between processes. The operating system frees a lock when the
// file is closed or the process ends, however it ends.
package filelock

import (
	"errors"
	"os"
)

// ErrHeld says that another process holds the lock.
var ErrHeld = errors.New("another process holds the lock")

// Close gives the lock of a file back, if it has it, and closes the file. To close it alone leaves
// the lock with a child that is just being started and has a copy of the file.
func Close(f *os.File) error { return errors.Join(unlock(f), f.Close()) }
