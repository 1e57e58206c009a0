package remote

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// apart starts a command so that Ctrl-C is not for it.
var apart = &syscall.SysProcAttr{CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}

// openDirectory opens a directory.
func openDirectory(path string) (*os.File, error) { return os.Open(path) }

// openIn opens a file of an open directory for reading. What is no regular file is an error.
func openIn(dir *os.File, name string) (*os.File, error) {
	path := filepath.Join(dir.Name(), name)
	info, err := os.Lstat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", path)
	}
	if err != nil {
		return nil, err
	}
	return os.Open(path)
}

// checkOwn has nothing to check: a file here has the permissions of its directory.
func checkOwn(*os.File, fs.FileMode) error { return nil }

// checkAbove returns an error unless an open directory is below that of the user, where
// Windows gives others no permissions.
func checkAbove(dir *os.File) error {
	home, err := os.UserHomeDir()
	if err != nil {
		return err
	}
	at, err := filepath.Abs(dir.Name())
	if err != nil {
		return err
	}
	below, err := filepath.Rel(home, at)
	if err != nil || !filepath.IsLocal(below) {
		return fmt.Errorf("others may write in %s, because it is not below %s", at, home)
	}
	return nil
}
