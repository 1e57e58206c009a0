package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/session"
	"orgd/ports"
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

// TestRestoredLog: after a restore the log goes on behind everything that was
// seen of the one that is lost.
func TestRestoredLog(t *testing.T) {
	for _, before := range []int{0, 5} {
		t.Run(fmt.Sprint(before, " events"), func(t *testing.T) {
			ctx, source := context.Background(), t.TempDir()
			o := openOrg(t, source)
			o.report(before)
			backup := filepath.Join(t.TempDir(), "backup.tar")
			o.check(Backup(ctx, source, backup))
			o.report(3) // which the backup does not have
			lost, err := o.db.Stores().Stream.Head(ctx)
			o.check(err)
			dir := t.TempDir()
			o.check(Restore(ctx, Restoration{Backup: backup, Dir: dir}, zap.NewNop()))
			restored := openOrg(t, dir)
			restored.made.Store(1000)
			s := restored.db.Stores().Stream
			if got, err := s.After(ctx, lost, 10); err != nil || len(got.Events) > 0 {
				t.Errorf("After(%d) = %v, %v, want nothing yet", lost, got, err)
			}
			restored.report(1)
			if got, err := s.After(ctx, lost, 10); err != nil || len(got.Events) != 1 || got.Events[0].Seq <= lost {
				t.Errorf("After(%d) = %v, %v, want the new event", lost, got, err)
			}
			if got, err := s.After(ctx, 0, 10); err != nil || len(got.Events) != before+1 {
				t.Errorf("After(0) = %d events, %v, want %d", len(got.Events), err, before+1)
			}
		})
	}
}

// A sign-in link that was used after a backup is not good again.
func TestRestoredLinks(t *testing.T) {
	ctx, source, hash := context.Background(), t.TempDir(), session.Code("code").Hash()
	o := openOrg(t, source)
	l := session.Link{By: "s", Maker: "ann", ExpiresAt: o.now().Add(time.Hour)}
	o.check(o.db.Stores().Sessions.KeepLink(ctx, hash, l, o.trail(audit.Session("s"), nil)))
	backup, dir := filepath.Join(t.TempDir(), "backup.tar"), t.TempDir()
	o.check(Backup(ctx, source, backup))
	_, err := o.db.Stores().Sessions.TakeLink(ctx, hash, o.now())
	o.check(err)
	o.check(Restore(ctx, Restoration{Backup: backup, Dir: dir}, zap.NewNop()))
	if got, err := openOrg(t, dir).db.Stores().Sessions.TakeLink(ctx, hash, o.now()); !errors.Is(err, session.ErrLink) {
		t.Errorf("TakeLink after a restore = %+v, %v, want ErrLink", got, err)
	}
}

// report reports n events.
func (o *org) report(n int) {
	o.Helper()
	for range n {
		e := activity.Event{ID: activity.ID(o.id()), Type: activity.ToolUsed, At: o.now(), AgentID: o.id(), AgentName: "Bob"}
		_, err := o.db.Stores().Activities.Append(context.Background(), []ports.Report{{Event: e, Department: "sales"}},
			func(ports.Counted) ports.Trail { return o.trail(audit.Activities, nil) })
		o.check(err)
	}
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
