package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd/domain/activity"
	"orgd/ports"
)

// TestLogEndsWithTheLastEntry: here positions are numbers of events and of audit entries, so
// the end of the log is the last of them, and nothing else moves it.
func TestLogEndsWithTheLastEntry(t *testing.T) {
	o, ctx := openOrg(t, t.TempDir()), t.Context()
	s := o.db.Stores().Stream
	for n := range 3 {
		page, err := s.After(ctx, 0, 100)
		o.check(err)
		if len(page.Events) != 5*n {
			t.Fatalf("the log has %d events, want %d", len(page.Events), 5*n)
		}
		last := activity.Seq(0)
		if n > 0 {
			last = page.Events[5*n-1].Seq + 1 // the entry of the report
		}
		head, err := s.Head(ctx)
		o.check(err)
		if head != last || page.Next != last {
			t.Errorf("Head = %d, Next = %d, want %d", head, page.Next, last)
		}
		if _, err := s.After(ctx, head+1, 10); !errors.Is(err, activity.ErrTooOld) {
			t.Errorf("After(%d) = %v in a log that ends at %d, want ErrTooOld", head+1, err, head)
		}
		o.createDepartment(fmt.Sprint("Ops ", n)) // is no event, and has an entry
		o.report(5)
	}
}

// A number of the log never comes again, although everything that had one has expired and
// there was never an event: clients and webhooks keep how far they have come.
func TestNumbersGoOnBehindAnExpiredTrail(t *testing.T) {
	r, dir, ctx := newTrail(t), t.TempDir(), context.Background()
	var before activity.Seq
	for range 3 {
		db, closeDB, err := Open(ctx, Config{Dir: dir, Readers: 1}, zap.NewNop())
		if err != nil {
			t.Fatal(err)
		}
		o := &org{TB: t, db: db}
		o.check(db.Write(ctx, putEntries(r.entries(blockEntries+10))))
		head, err := db.Stores().Stream.Head(ctx)
		o.check(err)
		if head < before+blockEntries {
			t.Errorf("the log ends at %d after a start, want %d or more", head, before+blockEntries)
		}
		for more := true; more; {
			more, err = db.Stores().Storage.DeleteExpired(ctx, ports.Expiry{Audit: r.at.Add(24 * time.Hour)})
			o.check(err)
		}
		before, err = db.Stores().Stream.Head(ctx)
		o.check(err)
		if before != head {
			t.Errorf("the log ends at %d when its entries have expired, want %d", before, head)
		}
		closeDB()
	}
}
