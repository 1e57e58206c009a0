package engine

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// A backup is a tar file: the manifest first, then the files that it lists, in
// its order and nothing else.
const (
	backupFormat = 1
	manifestName = "manifest.json"
	maxManifest  = 1 << 20
)

// manifest describes the content of a backup.
type manifest struct {
	Format  int         `json:"format"`
	Schema  int         `json:"schema"`
	Created time.Time   `json:"created_at"`
	Files   []fileEntry `json:"files"`
}

type fileEntry struct {
	Name   string `json:"name"`
	Size   int64  `json:"size"`
	SHA256 string `json:"sha256"`
}

func parseManifest(text []byte) (manifest, error) {
	var m manifest
	if err := json.Unmarshal(text, &m); err != nil {
		return m, fmt.Errorf("manifest: %w", err)
	}
	if m.Format != backupFormat {
		return m, fmt.Errorf("manifest: format %d, want %d", m.Format, backupFormat)
	}
	return m, m.checkNames()
}

// checkNames makes sure that a backup can only write what a backup holds.
func (m manifest) checkNames() error {
	var seen []string
	for _, f := range m.Files {
		isKey, err := filepath.Match(keyPattern, f.Name)
		if err != nil {
			return err
		}
		if f.Name != databaseName && !isKey || f.Name != filepath.Base(f.Name) {
			return fmt.Errorf("manifest: unexpected file %q", f.Name)
		}
		if slices.Contains(seen, f.Name) {
			return fmt.Errorf("manifest: file %q is listed twice", f.Name)
		}
		seen = append(seen, f.Name)
	}
	if !m.has(databaseName) {
		return errors.New("manifest: no database")
	}
	return nil
}

func (m manifest) has(name string) bool {
	return slices.ContainsFunc(m.Files, func(f fileEntry) bool { return f.Name == name })
}

// describeFiles lists the files of a directory with their sums.
func describeFiles(ctx context.Context, dir string) ([]fileEntry, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var files []fileEntry
	for _, e := range entries {
		f, err := describeFile(ctx, dir, e.Name())
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

func describeFile(ctx context.Context, dir, name string) (fileEntry, error) {
	f, err := os.Open(filepath.Join(dir, name))
	if err != nil {
		return fileEntry{}, err
	}
	defer f.Close() // only read
	sum := sha256.New()
	size, err := io.Copy(sum, stopReader{ctx, f})
	return fileEntry{name, size, hex.EncodeToString(sum.Sum(nil))}, err
}

// pack writes the backup of the files in dir that m describes.
func pack(ctx context.Context, w io.Writer, m manifest, dir string) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	out := tar.NewWriter(w)
	if err := packEntry(out, m, fileEntry{Name: manifestName, Size: int64(len(text))}, bytes.NewReader(text)); err != nil {
		return err
	}
	for _, entry := range m.Files {
		f, err := os.Open(filepath.Join(dir, entry.Name))
		if err != nil {
			return err
		}
		err = packEntry(out, m, entry, stopReader{ctx, f})
		if err := errors.Join(err, f.Close()); err != nil {
			return err
		}
	}
	return out.Close()
}

func packEntry(out *tar.Writer, m manifest, entry fileEntry, content io.Reader) error {
	header := &tar.Header{
		Typeflag: tar.TypeReg, Name: entry.Name, Size: entry.Size,
		Mode: int64(fileMode), ModTime: m.Created,
	}
	if err := out.WriteHeader(header); err != nil {
		return err
	}
	_, err := io.Copy(out, content)
	return err
}

// unpack writes the files of a backup and its manifest into dir. What does
// not match the manifest is an error.
func unpack(ctx context.Context, r io.Reader, dir string) (manifest, error) {
	in := tar.NewReader(stopReader{ctx, r})
	if err := nextEntry(in, manifestName); err != nil {
		return manifest{}, err
	}
	text, err := io.ReadAll(io.LimitReader(in, maxManifest))
	if err != nil {
		return manifest{}, err
	}
	m, err := parseManifest(text)
	if err != nil {
		return m, err
	}
	for _, entry := range m.Files {
		if err := unpackEntry(in, entry, dir); err != nil {
			return m, err
		}
	}
	if extra, err := in.Next(); err == nil {
		return m, fmt.Errorf("unexpected file %q after the last", extra.Name)
	} else if !errors.Is(err, io.EOF) {
		return m, err
	}
	return m, createFile(filepath.Join(dir, manifestName), func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
}

// nextEntry goes to the next file of the backup, which must be the named one.
func nextEntry(in *tar.Reader, name string) error {
	header, err := in.Next()
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: missing", name)
	}
	if err != nil {
		return err
	}
	if header.Name != name || header.Typeflag != tar.TypeReg {
		return fmt.Errorf("found %q, want the file %s", header.Name, name)
	}
	return nil
}

func unpackEntry(in *tar.Reader, entry fileEntry, dir string) error {
	if err := nextEntry(in, entry.Name); err != nil {
		return err
	}
	sum := sha256.New()
	err := createFile(filepath.Join(dir, entry.Name), func(w io.Writer) error {
		_, err := io.Copy(io.MultiWriter(w, sum), in)
		return err
	})
	if err != nil {
		return err
	}
	if hex.EncodeToString(sum.Sum(nil)) != entry.SHA256 {
		return fmt.Errorf("%s: the content does not match the manifest", entry.Name)
	}
	return nil
}

// stopReader reads until the context ends.
type stopReader struct {
	ctx context.Context
	r   io.Reader
}

func (s stopReader) Read(p []byte) (int, error) {
	if err := s.ctx.Err(); err != nil {
		return 0, err
	}
	return s.r.Read(p)
}
