package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
)

func TestRestoreOverData(t *testing.T) {
	_, backup := backupOf(t, "a")
	dir := t.TempDir()
	db, closeDB, err := tryOpen(dir, testSchema)
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, db, "old")
	old := map[string]string{"signing.key": "s0", "other.key": "o0", "admin.token": "t0"}
	writeFiles(t, dir, old)
	in := Restoration{Backup: backup, Dir: dir}
	if err := Restore(context.Background(), in, zap.NewNop()); !errors.Is(err, ErrInUse) {
		t.Errorf("Restore while in use = %v, want %v", err, ErrInUse)
	}
	closeDB()
	if err := Restore(context.Background(), in, zap.NewNop()); !errors.Is(err, ErrNotEmpty) {
		t.Errorf("Restore over data = %v, want %v", err, ErrNotEmpty)
	}
	if diff := cmp.Diff(old, readFiles(t, dir)); diff != "" {
		t.Errorf("files after refusals (-want +got):\n%s", diff)
	}
	in.Force = true
	if err := Restore(context.Background(), in, zap.NewNop()); err != nil {
		t.Fatalf("Restore with force = %v", err)
	}
	want := map[string]string{"signing.key": "s1", "cursor.key": "c1", "admin.token": "t0"}
	if diff := cmp.Diff(want, readFiles(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	wantNames(t, openTest(t, dir), "a")
}

// TestRestoreCutShort kills a restore over a crashed directory after each of
// its steps: before the decision nothing has changed, after it all has.
func TestRestoreCutShort(t *testing.T) {
	_, backup := backupOf(t, "a")
	crashed := func(t *testing.T) string { // a directory with a log to recover
		dir := t.TempDir()
		cmd, lines := startChild(t, "old", dir)
		if !lines.Scan() {
			t.Fatal("no write")
		}
		kill(t, cmd)
		writeFiles(t, dir, map[string]string{"signing.key": "s0", "other.key": "o0"})
		return dir
	}
	for _, cut := range []string{"while unpacking", "decided", "key moved", "database moved", "all moved", "manifest removed"} {
		t.Run(cut, func(t *testing.T) {
			dir := crashed(t)
			cutShort(t, backup, dir, cut)
			if cut != "while unpacking" && cut != "manifest removed" {
				if err := Backup(context.Background(), dir, filepath.Join(t.TempDir(), "b")); err == nil || !strings.Contains(err.Error(), "cut short") {
					t.Errorf("Backup meanwhile = %v, want a refusal", err)
				}
			}
			db := openTest(t, dir)
			wantWhole(t, db)
			got, files := names(t, db), readFiles(t, dir)
			if cut == "while unpacking" {
				if len(got) == 0 || !strings.HasPrefix(got[0], "old-") || files["signing.key"] != "s0" || files["other.key"] != "o0" || len(files) != 2 {
					t.Errorf("items %v, files %v, want what was there", got, files)
				}
				return
			}
			want := map[string]string{"signing.key": "s1", "cursor.key": "c1"}
			if diff := cmp.Diff(want, files); diff != "" || len(got) != 1 || got[0] != "a" {
				t.Errorf("items %v, want [a]; files (-want +got):\n%s", got, diff)
			}
		})
	}
}

// cutShort does the steps of a restore up to the named one.
func cutShort(t *testing.T, backup, dir, cut string) {
	t.Helper()
	must := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	ready := filepath.Join(dir, restoredName)
	move := func(name string) { must(os.Rename(filepath.Join(ready, name), filepath.Join(dir, name))) }
	if cut == "while unpacking" {
		must(os.Mkdir(filepath.Join(dir, restoringName), 0o700))
		writeFiles(t, filepath.Join(dir, restoringName), map[string]string{"orgd.db": "half"})
		return
	}
	must(stage(context.Background(), backup, dir))
	switch cut {
	case "key moved":
		move("cursor.key")
	case "database moved":
		move("orgd.db")
	case "all moved":
		m, err := parseManifest([]byte(readFiles(t, ready)[manifestName]))
		must(err)
		must(moveIn(m, ready, dir))
	case "manifest removed":
		m, err := parseManifest([]byte(readFiles(t, ready)[manifestName]))
		must(err)
		must(moveIn(m, ready, dir))
		must(os.Remove(filepath.Join(ready, manifestName)))
	}
}
