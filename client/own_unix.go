//go:build unix

package client

import (
	"errors"
	"fmt"
	"os"
	"syscall"
)

// checkOwn returns an error unless a directory is this user's alone: who can write into it can
// have agents work with any prompt.
func checkOwn(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && int(s.Uid) != os.Geteuid() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("the directory %s must belong to this user alone, with mode 0700", dir)
	}
	return nil
}

// isGone reports whether there is no process of this id.
func isGone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }
