package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"
)

// writeFiles puts small files into a directory.
func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// readFiles returns the small files of a directory.
func readFiles(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "orgd.") {
			continue
		}
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(content)
	}
	return files
}

// backupOf makes a directory with the named items and two keys and returns it
// and its backup.
func backupOf(t *testing.T, items ...string) (dir, backup string) {
	t.Helper()
	dir, backup = t.TempDir(), filepath.Join(t.TempDir(), "backup.tar")
	db, closeDB, err := tryOpen(dir, testSchema)
	if err != nil {
		t.Fatal(err)
	}
	mustPut(t, db, items...)
	closeDB()
	writeFiles(t, dir, map[string]string{"signing.key": "s1", "cursor.key": "c1", "admin.token": "secret"})
	if err := Backup(context.Background(), dir, backup); err != nil {
		t.Fatal(err)
	}
	return dir, backup
}

func TestBackupRestore(t *testing.T) {
	source, backup := backupOf(t, "a", "b")
	if info, err := os.Stat(backup); err != nil || info.Mode() != 0o600 {
		t.Errorf("mode of the backup = %v, %v, want 0600", info.Mode(), err)
	}
	if left, err := os.ReadDir(filepath.Dir(backup)); err != nil || len(left) != 1 {
		t.Errorf("files beside the backup = %v, %v, want only the backup", left, err)
	}
	dir := filepath.Join(t.TempDir(), "new ?#%41'é")
	if err := Restore(context.Background(), Restoration{Backup: backup, Dir: dir}, zap.NewNop()); err != nil {
		t.Fatalf("Restore = %v", err)
	}
	wantNames(t, openTest(t, dir), "a", "b")
	want := map[string]string{"signing.key": "s1", "cursor.key": "c1"}
	if diff := cmp.Diff(want, readFiles(t, dir)); diff != "" {
		t.Errorf("files (-want +got):\n%s", diff)
	}
	for name := range want {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Mode() != 0o600 {
			t.Errorf("mode of %s = %v, %v, want 0600", name, info.Mode(), err)
		}
	}
	wantNames(t, openTest(t, source), "a", "b") // as it was
}

func TestBackupWhileWriting(t *testing.T) {
	dir, out := t.TempDir(), t.TempDir()
	db := openTest(t, dir)
	ctx, stop := context.WithCancel(context.Background())
	var mu sync.Mutex
	var acknowledged []string
	var wg sync.WaitGroup
	for w := range 8 {
		wg.Go(func() {
			for i := 0; ctx.Err() == nil; i++ {
				name := fmt.Sprintf("%d-%d", w, i)
				if err := db.Write(context.Background(), putter(name)); err != nil {
					t.Error(err)
				}
				mu.Lock()
				acknowledged = append(acknowledged, name)
				mu.Unlock()
			}
		})
	}
	for round := range 3 {
		mu.Lock()
		before := slices.Clone(acknowledged)
		mu.Unlock()
		backup := filepath.Join(out, fmt.Sprint(round))
		if err := Backup(ctx, dir, backup); err != nil {
			t.Fatalf("Backup = %v", err)
		}
		restored := filepath.Join(out, fmt.Sprint("dir", round))
		if err := Restore(ctx, Restoration{Backup: backup, Dir: restored}, zap.NewNop()); err != nil {
			t.Fatalf("Restore = %v", err)
		}
		checkAfterCrash(t, restored, before)
	}
	stop()
	wg.Wait()
	wantWhole(t, db)
}

func TestBackupOfARunningProcess(t *testing.T) {
	dir, backup := t.TempDir(), filepath.Join(t.TempDir(), "b")
	cmd, lines := startChild(t, "run", dir)
	var acknowledged []string
	for len(acknowledged) < 100 && lines.Scan() {
		acknowledged = append(acknowledged, lines.Text())
	}
	go func() { // lets the child go on writing
		for lines.Scan() {
		}
	}()
	if err := Backup(context.Background(), dir, backup); err != nil {
		t.Errorf("Backup = %v", err)
	}
	kill(t, cmd)
	if err := Backup(context.Background(), dir, backup+"2"); err != nil {
		t.Errorf("Backup after a crash = %v", err)
	}
	for _, a := range []string{backup, backup + "2"} {
		restored := t.TempDir()
		if err := Restore(context.Background(), Restoration{Backup: a, Dir: restored}, zap.NewNop()); err != nil {
			t.Fatalf("Restore = %v", err)
		}
		checkAfterCrash(t, restored, acknowledged)
	}
	checkAfterCrash(t, dir, acknowledged)
}

func TestBackupRefuses(t *testing.T) {
	dir, backup := backupOf(t, "a")
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx      context.Context
		dir, dst string
		want     error
	}{
		"Exists":      {context.Background(), dir, backup, ErrExists},
		"NoDatabase":  {context.Background(), t.TempDir(), filepath.Join(t.TempDir(), "b"), fs.ErrNotExist},
		"NoDirectory": {context.Background(), dir, filepath.Join(t.TempDir(), "x", "b"), fs.ErrNotExist},
		"Canceled":    {canceled, dir, filepath.Join(t.TempDir(), "b"), context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			if err := Backup(c.ctx, c.dir, c.dst); !errors.Is(err, c.want) {
				t.Errorf("Backup = %v, want %v", err, c.want)
			}
			left, _ := filepath.Glob(filepath.Join(filepath.Dir(c.dst), ".orgd-backup-*"))
			if len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}
