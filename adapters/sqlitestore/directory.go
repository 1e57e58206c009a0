package sqlitestore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"go.uber.org/zap"

	"orgd/adapters/keyfile"
)

// The names inside a data directory. Key files belong to other packages; the
// store only knows their pattern, because a backup without them is not whole.
const (
	databaseName = "orgd.db"
	lockName     = "orgd.lock"
	keyPattern   = "*.key"
)

const (
	dirMode  fs.FileMode = 0o700
	fileMode fs.FileMode = 0o600
)

// prepareDir makes the data directory usable and returns its absolute path.
// An existing directory keeps its mode: it may be a mounted volume, or hold
// more than ours, and every file in it that we write is 0600 anyway. One that
// everybody may write to is refused, since anybody could replace the files.
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
