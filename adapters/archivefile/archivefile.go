// Package archivefile writes archives as compressed files, and reads them. The compression is
// Zstandard, with a check sum.
package archivefile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"

	"orgd/adapters/keyfile"
)

// window bounds the memory of both sides, in bytes.
const window = 1 << 20

// Compress writes to w what write writes. A goroutine compresses what was written while write
// goes on.
func Compress(w io.Writer, write func(io.Writer) error) error {
	out, err := zstd.NewWriter(w, zstd.WithEncoderConcurrency(2), zstd.WithWindowSize(window))
	if err != nil {
		return err
	}
	if err := write(out); err != nil {
		_ = out.Close() // nobody reads what is written now
		return err
	}
	return out.Close()
}

// Decompress calls read with what is in a file that Compress has written.
func Decompress(r io.Reader, read func(io.Reader) error) error {
	in, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(8*window))
	if err != nil {
		return err
	}
	defer in.Close()
	return read(in)
}

// Create writes the file path, which only its owner may read. It appears when it is complete
// and on disk. The error is [fs.ErrExist] if there is a file of this name.
func Create(path string, write func(io.Writer) error) (err error) {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, ".orgd-archive-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Remove(f.Name())) }()
	err = Compress(f, write)
	if err = errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Link(f.Name(), path); err != nil { // it replaces no file
		return err
	}
	return keyfile.SyncDir(dir)
}

// Read calls read with what is in the file path.
func Read(path string, read func(io.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close() // was only read
	return Decompress(f, read)
}
