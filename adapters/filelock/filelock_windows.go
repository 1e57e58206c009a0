package filelock

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// Lock waits for the lock of a file that nobody else may hold.
func Lock(f *os.File) error { return lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK) }

// TryLock takes the lock of a file, or returns [ErrHeld].
func TryLock(f *os.File) error {
	return lock(f, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
}

// TryShare takes the lock of a file that others may share, or returns [ErrHeld].
func TryShare(f *os.File) error { return lock(f, windows.LOCKFILE_FAIL_IMMEDIATELY) }

func unlock(f *os.File) error { return windows.UnlockFileEx(windows.Handle(f.Fd()), 0, 1, 0, place()) }

// place is one byte far behind the end of the file: others cannot read what is locked.
func place() *windows.Overlapped {
	return &windows.Overlapped{Offset: 1<<32 - 1, OffsetHigh: 1<<31 - 1}
}

func lock(f *os.File, how uint32) error {
	err := windows.LockFileEx(windows.Handle(f.Fd()), how, 0, 1, 0, place())
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrHeld
	}
	return err
}
