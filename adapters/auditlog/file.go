package auditlog

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"syscall"
	"time"

	"orgd/adapters/keyfile"
	"orgd/domain/activity"
	"orgd/ports"
)

// File is a file of lines, and remembers beside it how far the trail is in it. It is
// opened again when a write has failed, and when [File.Reopen] says so.
type File struct {
	path string

	mu    sync.Mutex
	file  *os.File // nil if it could not be opened, or failed
	lines *Lines
}

// positionSuffix names the file beside it with what [File.Keep] keeps.
const positionSuffix = ".position"

// OpenFile opens a file for appending, or makes it with mode 0600. A full disk is no
// error: the first Write tries again.
func OpenFile(path string) (*File, error) {
	f := &File{path: path}
	if err := f.open(); err != nil && !errors.Is(err, syscall.ENOSPC) && !errors.Is(err, syscall.EDQUOT) {
		return nil, err
	}
	return f, nil
}

// open opens the file, if it is not open. The caller holds the lock.
func (f *File) open() error {
	if f.file != nil {
		return nil
	}
	// Without O_NONBLOCK it would wait for who reads, if it is a named pipe.
	file, err := os.OpenFile(f.path, os.O_CREATE|os.O_APPEND|os.O_RDWR|syscall.O_NONBLOCK, 0o600)
	if err != nil {
		return err
	}
	half, err := lastLine(file)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	f.file, f.lines = file, &Lines{out: file, half: half}
	return nil
}

// longestLine is more than a line has.
const longestLine = 1 << 20

// lastLine returns the last line of a file if it has no end: the process was killed while
// it wrote that.
func lastLine(file *os.File) ([]byte, error) {
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, err
	}
	text := make([]byte, min(info.Size(), longestLine))
	n, err := file.ReadAt(text, info.Size()-int64(len(text)))
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	text = text[:n]
	return text[bytes.LastIndexByte(text, '\n')+1:], nil
}

// Write appends lines, each of which has its end. If it fails it returns how many bytes of
// whole lines it has written.
func (f *File) Write(lines []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.open(); err != nil {
		return 0, err
	}
	n, err := f.lines.Write(lines)
	if err != nil {
		_ = errors.Join(f.sync(), f.close()) // what is reported is that the write has failed
	}
	return n, err
}

// Reopen closes the file and opens what has its name now, as when it was moved away.
func (f *File) Reopen() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	return errors.Join(f.sync(), f.close(), f.open())
}

// Close closes the file, unless a write is stuck.
func (f *File) Close() error {
	if !f.mu.TryLock() {
		return nil
	}
	defer f.mu.Unlock()
	return f.close()
}

func (f *File) close() error {
	if f.file == nil {
		return nil
	}
	err := f.file.Close()
	f.file, f.lines = nil, nil
	return err
}

// sync makes durable what was written, where that can be done. The caller holds the lock.
func (f *File) sync() error {
	if f.file == nil {
		return nil
	}
	if err := f.file.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, syscall.ENOTSUP) { // a pipe or a device
		return err
	}
	return nil
}

// progress is what the file with the position has.
type progress struct {
	Position activity.Seq `json:"position"`
	Time     time.Time    `json:"time"`
}

// Claim implements [ports.AuditProgress]: nobody else writes the file.
func (f *File) Claim(context.Context, string) (*ports.Written, bool, error) {
	text, err := os.ReadFile(f.path + positionSuffix)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, err
	}
	var p progress
	if err := json.Unmarshal(text, &p); err != nil || p.Time.IsZero() {
		return nil, false, fmt.Errorf("%s holds no position of the audit log; without the file, writing begins now", f.path+positionSuffix)
	}
	return &ports.Written{UpTo: p.Position, At: p.Time.UTC()}, true, nil
}

// Keep implements [ports.AuditProgress], after what was written is durable.
func (f *File) Keep(_ context.Context, _ string, w ports.Written) (bool, error) {
	f.mu.Lock()
	err := f.sync()
	f.mu.Unlock()
	if err != nil {
		return false, err
	}
	text, err := json.Marshal(progress{w.UpTo, w.At})
	if err == nil {
		err = keyfile.Replace(f.path+positionSuffix, append(text, '\n'))
	}
	return err == nil, err
}
