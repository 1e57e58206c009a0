// Package keyfile writes files that appear complete or not at all, also if the disk is full
// or the machine crashes: those that hold secrets, which only their owner may read, and others.
package keyfile

import (
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// secret is the mode of files that hold secrets, open that of others, before the umask.
const (
	secret fs.FileMode = 0o600
	open   fs.FileMode = 0o644
)

// Create writes a secret to a file that does not exist yet. If it does, Create returns an
// error that is [fs.ErrExist] and leaves it as it is.
func Create(path string, text []byte) error { return write(system{}, path, text, secret, os.Link) }

// Replace writes a secret to a file, in place of the one that is there if there is one.
func Replace(path string, text []byte) error { return write(system{}, path, text, secret, os.Rename) }

// ReplaceIn writes a file in root for everybody to read. The names of files and directories
// never lead out of it.
func ReplaceIn(root *os.Root, name string, text []byte) error {
	return write(root, name, text, open, root.Rename)
}

// ReplaceOpen writes a file for everybody to read, in place of the one that is there and with
// its mode. A link stays, and leads to the new file. What is no regular file, such as a pipe,
// is written to.
func ReplaceOpen(path string, text []byte) error {
	mode := open
	switch about, err := os.Stat(path); {
	case err == nil && !about.Mode().IsRegular():
		return os.WriteFile(path, text, open)
	case err == nil:
		mode = about.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return err
		}
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	return write(system{}, path, text, mode, os.Rename)
}

// files are those of the system, or of a root.
type files interface {
	Open(name string) (*os.File, error)
	OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error)
	Remove(name string) error
}

type system struct{}

func (system) Open(name string) (*os.File, error) { return os.Open(name) }
func (system) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, mode)
}
func (system) Remove(name string) error { return os.Remove(name) }

// write gives a complete temporary file its name by put. A link never replaces a file, a
// rename does.
func write(in files, path string, text []byte, mode fs.FileMode, put func(from, to string) error) error {
	dir := filepath.Dir(path)
	name := filepath.Join(dir, ".orgd-"+rand.Text())
	tmp, err := in.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return err
	}
	_, err = tmp.Write(text)
	if err = errors.Join(err, tmp.Sync(), tmp.Close()); err == nil {
		err = put(name, path)
	}
	if gone := in.Remove(name); !errors.Is(gone, fs.ErrNotExist) { // it was renamed
		err = errors.Join(err, gone)
	}
	return errors.Join(err, syncDir(in, dir))
}

// SyncDir makes the creation, renaming and removal of files in dir durable, where a
// directory can be synced.
func SyncDir(dir string) error { return syncDir(system{}, dir) }

func syncDir(in files, dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	d, err := in.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}
