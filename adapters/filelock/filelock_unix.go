//go:build unix

package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/unix"
)

// Lock waits for the lock of a file that nobody else may hold.
func Lock(f *os.File) error { return flock(f, unix.LOCK_EX) }

// TryLock takes the lock of a file, or returns [ErrHeld].
func TryLock(f *os.File) error { return flock(f, unix.LOCK_EX|unix.LOCK_NB) }

// TryShare takes the lock of a file that others may share, or returns [ErrHeld].
func TryShare(f *os.File) error { return flock(f, unix.LOCK_SH|unix.LOCK_NB) }

func unlock(f *os.File) error { return flock(f, unix.LOCK_UN) }

func flock(f *os.File, how int) error {
	err := unix.Flock(int(f.Fd()), how)
	if errors.Is(err, unix.EWOULDBLOCK) {
		return ErrHeld
	}
	return err
}
