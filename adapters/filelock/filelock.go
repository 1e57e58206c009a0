// Package filelock locks files between processes. The operating system frees a lock when the
// file is closed or the process ends, however it ends.
package filelock

import "errors"

// ErrHeld says that another process holds the lock.
var ErrHeld = errors.New("another process holds the lock")
