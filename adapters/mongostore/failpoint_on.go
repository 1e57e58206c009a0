//go:build failpoints

package mongostore

import (
	"os"
	"syscall"
)

// reach kills the process without a word at the point that the environment names,
// as a crash would, if the change is one that a client has asked for.
func (b *batch) reach(point string) {
	if len(b.ops[auditColl]) > 0 {
		reach(point)
	}
}

// reach kills the process at the point that the environment names.
func reach(point string) {
	if point == os.Getenv("ORGD_FAILPOINT") {
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {}
	}
}
