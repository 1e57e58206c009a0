package client

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// keptFile is the file about what the parts say, "" without a directory.
func (r *Runtime) keptFile(kind string, parts ...string) string {
	if r.cfg.Directory == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(strings.Join(parts, "\n")))
	return filepath.Join(r.cfg.Directory, kind+"-"+hex.EncodeToString(sum[:16])+".json")
}

// readKept returns when a file was confirmed, no time if there is none that can be used.
func (r *Runtime) readKept(file string, into any, fits func() bool) (confirmed time.Time) {
	if file == "" {
		return confirmed
	}
	info, err := os.Stat(file) // first, as another process may replace the file by a newer one
	var text []byte
	if err == nil {
		text, err = os.ReadFile(file)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return confirmed
	}
	if err == nil {
		err = checkOwn(filepath.Dir(file))
	}
	if err == nil {
		err = decode(text, into)
	}
	if err == nil && !fits() {
		err = errors.New("is about something else")
	}
	if r.fileFailed(file, err) == nil {
		confirmed = info.ModTime()
	}
	return confirmed
}

// writeKept replaces a file as a whole, or removes it.
func (r *Runtime) writeKept(file string, known any, remove bool) error {
	if remove {
		return r.fileFailed(file, removeFile(file))
	}
	dir := filepath.Dir(file)
	text, err := encode(known)
	if err == nil {
		err = os.MkdirAll(dir, 0o700)
	}
	if err == nil {
		err = checkOwn(dir)
	}
	if err == nil {
		err = replaceFile(file, text, time.Time{}, true)
	}
	return r.fileFailed(file, err)
}

// fileFailed tells the hook of a file, if there is an error. It returns the error.
func (r *Runtime) fileFailed(file string, err error) error {
	if err == nil {
		return nil
	}
	r.event("file", map[string]any{"file": file, "error": err.Error()})
	return fmt.Errorf("client: keep in a file: %w", err)
}

func removeFile(name string) error {
	if err := os.Remove(name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// replaceFile writes a file that only its owner can read, and the directory if it is missing. The
// time of the file is at, unless that is zero. A kill leaves the old or the new file; with durable
// also a power cut does.
func replaceFile(name string, text []byte, at time.Time, durable bool) error {
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
	if err == nil && !at.IsZero() {
		err = os.Chtimes(temporary, at, at)
	}
	if err == nil {
		err = os.Rename(temporary, name)
	}
	if err != nil {
		return errors.Join(err, removeFile(temporary))
	}
	return nil
}
