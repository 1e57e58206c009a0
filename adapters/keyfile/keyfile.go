// Package keyfile writes files that hold secrets. Only their owner may read them,
// and they appear complete or not at all, also if the machine crashes.
package keyfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// Create writes a file that does not exist yet. If it does, Create returns an error
// that is [fs.ErrExist] and leaves it as it is.
func Create(path string, text []byte) error { return write(path, text, os.Link) }

// Replace writes a file, in place of the one that is there if there is one.
func Replace(path string, text []byte) error { return write(path, text, os.Rename) }

// write gives a complete temporary file its name by put. os.Link never replaces a
// file, os.Rename does.
func write(path string, text []byte, put func(from, to string) error) error {
	dir := filepath.Dir(path)
	tmp, err := os.CreateTemp(dir, ".secret-*") // mode 0600
	if err != nil {
		return err
	}
	_, err = tmp.Write(text)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err == nil {
		err = put(tmp.Name(), path)
	}
	if gone := os.Remove(tmp.Name()); !errors.Is(gone, fs.ErrNotExist) { // it was renamed
		err = errors.Join(err, gone)
	}
	return errors.Join(err, SyncDir(dir))
}

// SyncDir makes the creation, renaming and removal of files in dir durable, where a
// directory can be synced.
func SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
