package engine

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"orgd/adapters/filelock"
	"orgd/adapters/keyfile"
)

// The names inside a data directory. Key files belong to other packages; the
// store only knows their pattern, because a backup without them is not whole.
const (
	databaseName = "orgd.db"
	// LockName is the file on which the process that uses the directory holds a lock.
	LockName   = "orgd.lock"
	keyPattern = "*.key"
)

const (
	dirMode  fs.FileMode = 0o700
	fileMode fs.FileMode = 0o600
)

// prepareDir makes the data directory usable and returns its absolute path.
// An existing directory keeps its mode: it may be a mounted volume, or hold
// more than ours, and every file in it that we write is 0600 anyway. One that
// everybody may write to is refused, since anybody could replace the files. On
// Windows the mode of a directory says nothing.
func prepareDir(path string, log *zap.Logger) (string, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(path, dirMode); err != nil {
		return "", err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "windows" {
		return path, nil
	}
	mode := info.Mode().Perm()
	if mode&0o002 != 0 {
		return "", fmt.Errorf("data directory %s may be written by everybody (mode %04o): chmod 700 it", path, mode)
	}
	if mode&0o007 != 0 { // a group may share it, as the users of a container do
		log.Warn("data directory is open to other users", zap.String("dir", path), zap.String("mode", fmt.Sprintf("%04o", mode)))
	}
	return path, nil
}

// prepareDatabase creates an empty database file, since the mode with which
// SQLite would create it depends on the umask, and narrows an existing one.
// SQLite gives its side files the mode of the database.
//
// The file is opened only if it does not exist: closing a descriptor of a
// database in use would drop the locks that SQLite holds on it.
func prepareDatabase(dir string) (fs.FileInfo, error) {
	path := filepath.Join(dir, databaseName)
	err := createFile(path, func(io.Writer) error { return nil })
	switch {
	case err == nil:
		err = keyfile.SyncDir(dir)
	case errors.Is(err, fs.ErrExist):
		err = os.Chmod(path, fileMode)
	}
	if err != nil {
		return nil, err
	}
	return os.Stat(path)
}

// createFile writes a new file for its owner only and makes its content durable.
func createFile(path string, write func(io.Writer) error) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, fileMode)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// keyFiles returns the names of the key files in dir.
func keyFiles(dir string) ([]string, error) { return fs.Glob(os.DirFS(dir), keyPattern) }

// Exists reports whether a data directory holds a database.
func Exists(dir string) (bool, error) {
	_, err := os.Stat(filepath.Join(dir, databaseName))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// ErrInUse says that another process has the data directory open.
var ErrInUse = errors.New("the data directory is in use")

// lockDir takes the lock of a data directory. The operating system frees it
// when the process ends, however it ends; the file stays and means nothing by
// itself.
func lockDir(dir string) (*os.File, error) {
	path := filepath.Join(dir, LockName)
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, fileMode)
	if err != nil {
		return nil, err
	}
	err = filelock.TryLock(f)
	if errors.Is(err, filelock.ErrHeld) {
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
	return errors.Join(f.Truncate(0), filelock.Close(f))
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

func size(path string) (uint64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, err
	}
	return uint64(info.Size()), nil
}

// A restore is prepared in one directory inside the data directory. Renaming
// it to the other name decides: from then on the restore is completed, by the
// next process to open the directory if need be.
const (
	restoringName = "restore.tmp"
	restoredName  = "restore.ready"
)

// checkRestored makes sure that no backup waits to be moved into a data directory.
func checkRestored(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, restoredName)); err == nil {
		return errors.New("a restore was cut short: start the service once, it completes it")
	}
	return nil
}
