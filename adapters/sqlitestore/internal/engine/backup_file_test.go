package engine

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/zap"
)

type tarFile struct{ name, content string }

func untar(t *testing.T, backup string) (files []tarFile) {
	t.Helper()
	text, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	in := tar.NewReader(bytes.NewReader(text))
	for {
		h, err := in.Next()
		if err == io.EOF {
			return files
		}
		content, err2 := io.ReadAll(in)
		if err := errors.Join(err, err2); err != nil {
			t.Fatal(err)
		}
		files = append(files, tarFile{h.Name, string(content)})
	}
}

func tarOf(t *testing.T, files []tarFile) []byte {
	t.Helper()
	var buf bytes.Buffer
	out := tar.NewWriter(&buf)
	for _, f := range files {
		h := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Size: int64(len(f.content)), Mode: 0o600}
		if err := out.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(out, f.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
	return buf.Bytes()
}

func TestRestoreRefusesABadBackup(t *testing.T) {
	_, backup := backupOf(t, "a")
	manifest := func(old, new string) func([]tarFile) []tarFile {
		return func(f []tarFile) []tarFile {
			if !strings.Contains(f[0].content, old) {
				t.Fatalf("no %q in the manifest %s", old, f[0].content)
			}
			f[0].content = strings.Replace(f[0].content, old, new, 1)
			return f
		}
	}
	for name, c := range map[string]struct {
		change func([]tarFile) []tarFile
		want   string
	}{
		"Empty":      {func(f []tarFile) []tarFile { return nil }, "manifest.json: missing"},
		"NoManifest": {func(f []tarFile) []tarFile { return f[1:] }, "want the file manifest.json"},
		"Missing":    {func(f []tarFile) []tarFile { return f[:2] }, "missing"},
		"Reordered":  {func(f []tarFile) []tarFile { return []tarFile{f[0], f[2], f[1], f[3]} }, "want the file"},
		"Extra":      {func(f []tarFile) []tarFile { return append(f, tarFile{"x", ""}) }, `unexpected file "x"`},
		"Flipped":    {func(f []tarFile) []tarFile { f[1].content = "s2"; return f }, "does not match the manifest"},
		"Format":     {manifest(`"format": 1`, `"format": 2`), "format 2, want 1"},
		"NoJSON":     {manifest(`{`, `[`), "manifest"},
		"Twice":      {manifest(`signing.key`, `cursor.key`), "listed twice"},
		"Escape":     {manifest(`signing.key`, `../signing.key`), "unexpected file"},
		"Foreign":    {manifest(`signing.key`, `orgd.lock`), "unexpected file"},
		"NoDatabase": {manifest(`orgd.db`, `db.key`), "no database"},
		"Schema":     {manifest(`"schema": 16`, `"schema": 17`), "schema version 16 and the manifest says 17"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			bad := filepath.Join(dir, "bad.tar")
			if err := os.WriteFile(bad, tarOf(t, c.change(untar(t, backup))), 0o600); err != nil {
				t.Fatal(err)
			}
			wantNothingRestored(t, bad, filepath.Join(dir, "data"), c.want)
		})
	}
}

// wantNothingRestored checks that a restore fails and leaves only the lock.
func wantNothingRestored(t *testing.T, backup, dir, want string) {
	t.Helper()
	err := Restore(context.Background(), Restoration{Backup: backup, Dir: dir}, zap.NewNop())
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Restore = %v, want %q", err, want)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != LockName {
		t.Errorf("directory = %v, %v, want only the lock", entries, err)
	}
}

func TestRestoreRefusesDamage(t *testing.T) {
	dir, backup := backupOf(t, "a")
	text, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{0, 100, len(text) / 2, len(text) - 1024 - 512} {
		bad := filepath.Join(t.TempDir(), "bad.tar")
		if err := os.WriteFile(bad, text[:size], 0o600); err != nil {
			t.Fatal(err)
		}
		wantNothingRestored(t, bad, filepath.Join(t.TempDir(), "data"), "")
	}
	wantNothingRestored(t, filepath.Join(dir, "missing"), filepath.Join(t.TempDir(), "data"), "no such file")
}

// TestRestoreChecksTheDatabase packs databases that are wrong inside although
// all sums are right.
func TestRestoreChecksTheDatabase(t *testing.T) {
	for name, c := range map[string]struct {
		schema Schema
		damage func([]byte)
		want   string
	}{
		"Foreign": {testSteps("CREATE TABLE a (b)"), func([]byte) {}, "another program"},
		"Newer":   {Schema{Whole: testSchema, Oldest: 500}, func([]byte) {}, "use a newer release"},
		"Older":   {Schema{Whole: testSchema, Oldest: OldestSchema - 1}, func([]byte) {}, "migrate it with orgd 0.9.0 first"},
		"Damaged": {testSteps(testSchema), func(db []byte) { clear(db[4096 : 4096+200]) }, "sqlitestore: restore"},
	} {
		t.Run(name, func(t *testing.T) {
			files := t.TempDir()
			_, closeDB, err := openAs(files, c.schema)
			if err != nil {
				t.Fatal(err)
			}
			closeDB()
			path := filepath.Join(files, databaseName)
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			c.damage(text)
			if err := errors.Join(os.WriteFile(path, text, 0o600), os.Remove(filepath.Join(files, LockName))); err != nil {
				t.Fatal(err)
			}
			entries, err := describeFiles(context.Background(), files)
			if err != nil {
				t.Fatal(err)
			}
			backup := filepath.Join(t.TempDir(), "a.tar")
			m := manifest{Format: backupFormat, Schema: c.schema.Version(), Files: entries}
			if err := createFile(backup, func(w io.Writer) error { return pack(context.Background(), w, m, files) }); err != nil {
				t.Fatal(err)
			}
			wantNothingRestored(t, backup, filepath.Join(t.TempDir(), "data"), c.want)
		})
	}
}
