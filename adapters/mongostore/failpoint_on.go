//go:build failpoints

package mongostore

import (
	"os"
	"syscall"
)

// failpointHook kills the process without a word at the point that the
// environment names, as a crash would.
func failpointHook() func(string) error {
	stop := os.Getenv("ORGD_FAILPOINT")
	if stop == "" {
		return nil
	}
	return func(point string) error {
		if point == stop {
			return syscall.Kill(os.Getpid(), syscall.SIGKILL)
		}
		return nil
	}
}
