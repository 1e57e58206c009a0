//go:build unix

package remote

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// apart starts a command so that Ctrl-C is not for it.
var apart = &unix.SysProcAttr{Setpgid: true}

// openDirectory opens a directory, which may be a link.
func openDirectory(path string) (*os.File, error) {
	return os.OpenFile(path, os.O_RDONLY|unix.O_DIRECTORY|unix.O_NONBLOCK, 0)
}

// openIn opens a file of an open directory for reading. A link, or what is no
// regular file, is an error.
func openIn(dir *os.File, name string) (*os.File, error) {
	path := filepath.Join(dir.Name(), name)
	fd, err := unix.Openat(int(dir.Fd()), name, unix.O_RDONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	switch {
	case errors.Is(err, unix.ELOOP):
		return nil, fmt.Errorf("%s is a link", path)
	case err != nil:
		return nil, &fs.PathError{Op: "open", Path: path, Err: err}
	}
	f := os.NewFile(uintptr(fd), path)
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", path)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// checkOwn returns an error unless an open file or directory belongs to this user or
// root and others have none of the permissions.
func checkOwn(f *os.File, others fs.FileMode) error {
	var s unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &s); err != nil {
		return err
	}
	return own(f.Name(), s.Uid, fs.FileMode(s.Mode), others)
}

func own(path string, owner uint32, mode, others fs.FileMode) error {
	switch me := os.Getuid(); {
	case owner != 0 && int(owner) != me:
		return fmt.Errorf("%s belongs to %s", path, userName(owner))
	case mode&others == 0:
		return nil
	case others == othersUse && mode.Perm()&othersWrite == 0:
		return fmt.Errorf("others may use %s (chmod 600 %s)", path, path)
	}
	return fmt.Errorf("others may write %s (chmod go-w %s)", path, path)
}

func userName(id uint32) string {
	text := strconv.FormatUint(uint64(id), 10)
	if u, err := user.LookupId(text); err == nil {
		text = u.Username
	}
	return "user " + text
}

// checkAbove returns an error if others can put another directory in the place of an open one:
// if they own a directory above it, or may write in one whose sticky bit does not
// keep them from renaming what is not theirs.
func checkAbove(dir *os.File) error {
	at, err := filepath.Abs(dir.Name())
	if err == nil {
		at, err = filepath.EvalSymlinks(at)
	}
	if err != nil {
		return err
	}
	for at != filepath.Dir(at) {
		at = filepath.Dir(at)
		var s unix.Stat_t
		if err := unix.Stat(at, &s); err != nil {
			return &fs.PathError{Op: "stat", Path: at, Err: err}
		}
		if mayReplace(s.Uid, s.Gid, uint32(s.Mode), os.Getuid()) {
			return fmt.Errorf("others may replace %s, because they may write in %s", dir.Name(), at)
		}
	}
	return nil
}

// mayReplace reports whether others than a user and root can replace what is in a
// directory. A group with the number of the user is his own. Root works in the
// directories of everybody.
func mayReplace(owner, group, mode uint32, me int) bool {
	switch {
	case owner != 0 && int(owner) != me && me != 0:
		return true
	case mode&unix.S_ISVTX != 0:
		return false
	}
	return mode&0o002 != 0 || mode&0o020 != 0 && int(group) != me
}
