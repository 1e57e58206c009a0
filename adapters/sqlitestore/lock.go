package sqlitestore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// ErrInUse says that another process has the data directory open.
var ErrInUse = errors.New("the data directory is in use")

// lockDir takes the lock of a data directory. The operating system frees it
// when the process ends, however it ends; the file stays and means nothing by
// itself.
func lockDir(dir string) (*os.File, error) {
	path := filepath.Join(dir, lockName)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, fileMode)
	if err != nil {
		return nil, err
	}
	err = unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB)
	if errors.Is(err, unix.EWOULDBLOCK) {
		err = fmt.Errorf("%w: %s is held by %s; stop it or choose another directory", ErrInUse, dir, holder(path))
	} else if err == nil {
		err = writePID(f)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// unlockDir forgets who held the lock and frees it.
func unlockDir(f *os.File) error {
	return errors.Join(f.Truncate(0), f.Close())
}

func writePID(f *os.File) error {
	if err := f.Truncate(0); err != nil {
		return err
	}
	_, err := f.WriteAt([]byte(strconv.Itoa(os.Getpid())+"\n"), 0)
	return err
}

// holder names the process that wrote the lock file. It is for people only.
func holder(path string) string {
	text, err := os.ReadFile(path)
	if pid, bad := strconv.Atoi(strings.TrimSpace(string(text))); err == nil && bad == nil {
		return fmt.Sprintf("process %d", pid)
	}
	return "another process"
}
