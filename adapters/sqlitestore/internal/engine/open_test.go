package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"orgd/adapters/sqlitestore/internal/sqlite"
)

func TestOpenKeepsWhatWasWritten(t *testing.T) {
	for _, sub := range []string{"data", "a/b", "odd ?#%41&x=1 'é"} {
		dir := filepath.Join(t.TempDir(), sub)
		for _, name := range []string{"a", "b"} {
			db, closeDB, err := tryOpen(dir, testSchema)
			if err != nil {
				t.Fatalf("open(%q) = %v", dir, err)
			}
			mustPut(t, db, name)
			closeDB()
			closeDB() // twice does no harm
		}
		wantNames(t, openTest(t, dir), "a", "b")
		if _, err := os.Stat(filepath.Join(dir, databaseName)); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenMakesPrivateFiles(t *testing.T) {
	old := unix.Umask(0)
	defer unix.Umask(old)
	dir := filepath.Join(t.TempDir(), "data")
	mustPut(t, openTest(t, dir), "a")
	got := map[string]fs.FileMode{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		got[d.Name()] = info.Mode().Perm()
		return err
	})
	want := map[string]fs.FileMode{
		"data": 0o700, "orgd.db": 0o600, "orgd.db-wal": 0o600, "orgd.db-shm": 0o600, "orgd.lock": 0o600,
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("modes (-want +got, error %v):\n%s", err, diff)
	}
}

func TestOpenNarrowsTheDatabase(t *testing.T) {
	dir := t.TempDir()
	_, closeDB, err := tryOpen(dir, testSchema)
	if err != nil {
		t.Fatal(err)
	}
	closeDB()
	path := filepath.Join(dir, databaseName)
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	openTest(t, dir)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode = %v, %v, want 0600", info.Mode(), err)
	}
}

func TestOpenRefuses(t *testing.T) {
	write := func(content string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, databaseName), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	run := func(steps ...string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			_, closeDB, err := tryOpen(dir, steps...)
			if err != nil {
				t.Fatal(err)
			}
			closeDB()
		}
	}
	for name, c := range map[string]struct {
		prepare func(t *testing.T, dir string)
		want    string
	}{
		"NewerSchema": {run(testSchema, "CREATE TABLE a (b)"), "has schema version 17 and this program knows versions up to 16: use a newer release"},
		"OlderSchema": {func(t *testing.T, dir string) {
			_, closeDB, err := openAs(dir, Schema{Whole: testSchema, Oldest: OldestSchema - 1})
			if err != nil {
				t.Fatal(err)
			}
			closeDB()
		}, "has schema version 15 and this program migrates from version 16 on: migrate it with orgd 0.9.0 first"},
		"Foreign":    {run("CREATE TABLE a (b)"), "belongs to another program"},
		"NoDatabase": {write(strings.Repeat("no database ", 1000)), "file is not a database"},
		"WorldWritable": {func(t *testing.T, dir string) {
			if err := os.Chmod(dir, 0o777); err != nil {
				t.Fatal(err)
			}
		}, "may be written by everybody (mode 0777): chmod 700 it"},
		"InUse": {func(t *testing.T, dir string) { openTest(t, dir) },
			fmt.Sprintf("is held by process %d; stop it or choose another directory", os.Getpid())},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c.prepare(t, dir)
			_, _, err := tryOpen(dir, testSchema)
			if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
				t.Errorf("open = %v, want %q and the directory", err, c.want)
			}
			if errors.Is(err, ErrInUse) != (name == "InUse") {
				t.Errorf("errors.Is(%v, ErrInUse) is wrong", err)
			}
		})
	}
}

func TestOpenFreesTheDirectoryAfterAFailure(t *testing.T) {
	dir := t.TempDir()
	if _, _, err := tryOpen(dir, "NOT SQL"); err == nil {
		t.Fatal("open with a bad migration = nil")
	}
	mustPut(t, openTest(t, dir), "a")
}

// An unknown pragma is no error, so a typing mistake would go unnoticed.
func TestOpenSetsPragmas(t *testing.T) {
	db := openTest(t, t.TempDir())
	pragmas := func(v *sqlite.View) map[string]string {
		got := map[string]string{}
		for _, name := range []string{
			"journal_mode", "synchronous", "fullfsync", "foreign_keys", "cache_size", "wal_autocheckpoint",
			"query_only", "busy_timeout", "trusted_schema", "temp_store",
		} {
			var value string
			if err := v.Row("PRAGMA " + name).Scan(&value); err != nil {
				t.Errorf("%s: %v", name, err)
			}
			got[name] = value
		}
		return got
	}
	var writer, reader map[string]string
	err := errors.Join(
		db.Write(context.Background(), func(tx *Tx) error { writer = pragmas(&tx.View); return nil }),
		db.Read(context.Background(), func(v *sqlite.View) error { reader = pragmas(v); return nil }),
	)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{
		"journal_mode": "wal", "synchronous": "2", "fullfsync": "1", "foreign_keys": "1", "cache_size": "-16384", "wal_autocheckpoint": "12288",
		"query_only": "0", "busy_timeout": "2000", "trusted_schema": "0", "temp_store": "2",
	}, writer); diff != "" {
		t.Errorf("writer (-want +got):\n%s", diff)
	}
	for name, want := range map[string]string{
		"journal_mode": "wal", "cache_size": "-2048", "query_only": "1", "busy_timeout": "2000", "trusted_schema": "0", "temp_store": "2",
	} {
		if reader[name] != want {
			t.Errorf("reader: %s = %s, want %s", name, reader[name], want)
		}
	}
}
