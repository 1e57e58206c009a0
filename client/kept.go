package client

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// keptFile is a file with what is known. has says that it is what the file has.
type keptFile struct {
	runtime *Runtime
	name    string // "" for none
	has     bool
}

// keptFile returns the file about what the parts say.
func (r *Runtime) keptFile(kind string, parts ...string) *keptFile {
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return &keptFile{runtime: r, name: r.file(kind + "-" + hex.EncodeToString(sum[:16]) + ".json")}
}

// read reports whether there is a file that can be used.
func (f *keptFile) read(into any, fits func() bool) bool {
	if f.name == "" {
		return false
	}
	text, err := os.ReadFile(f.name)
	if errors.Is(err, fs.ErrNotExist) {
		return false
	}
	if err == nil {
		err = decode(text, into)
	}
	if err == nil && !fits() {
		err = errors.New("is about something else")
	}
	return f.runtime.fileFailed(f.name, err) == nil
}

// write replaces the file as a whole, unless it has this.
func (f *keptFile) write(known any) error {
	if f.name == "" || f.has {
		return nil
	}
	text, err := encode(known)
	if err == nil {
		err = replaceFile(f.name, text, true)
	}
	f.has = err == nil
	return f.runtime.fileFailed(f.name, err)
}

// remove removes the file.
func (f *keptFile) remove() error {
	if f.name == "" {
		return nil
	}
	f.has = false
	return f.runtime.fileFailed(f.name, removeFile(f.name))
}

func removeFile(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// replaceFile writes a file that only its owner can read, and the directory if it is missing.
// A kill leaves the old or the new file; with durable also a power cut does.
func replaceFile(name string, text []byte, durable bool) error {
	dir, base := filepath.Split(name)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	temporary := dir + "." + base + "." + rand.Text()[:8] + ".tmp"
	f, err := os.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if durable {
		err = cmp.Or(err, f.Sync())
	}
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, removeFile(temporary))
	}
	return nil
}
