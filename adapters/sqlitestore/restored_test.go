package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/session"
	"orgd/ports"
)

// TestRestoredLog: after a restore the log goes on behind everything that was
// seen of the one that is lost.
func TestRestoredLog(t *testing.T) {
	for _, before := range []int{0, 5} {
		t.Run(fmt.Sprint(before, " events"), func(t *testing.T) {
			ctx, source := context.Background(), t.TempDir()
			o := openOrg(t, source)
			o.report(before)
			backup := filepath.Join(t.TempDir(), "backup.tar")
			o.check(engine.Backup(ctx, source, backup))
			o.report(3) // which the backup does not have
			lost, err := o.db.Stores().Stream.Head(ctx)
			o.check(err)
			dir := t.TempDir()
			o.check(engine.Restore(ctx, engine.Restoration{Backup: backup, Dir: dir}, zap.NewNop()))
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
	o.check(engine.Backup(ctx, source, backup))
	_, err := o.db.Stores().Sessions.TakeLink(ctx, hash, o.now())
	o.check(err)
	o.check(engine.Restore(ctx, engine.Restoration{Backup: backup, Dir: dir}, zap.NewNop()))
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
