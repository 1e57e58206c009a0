package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
	"orgd/ports"
)

// A feed shows what is stored, whatever of it is remembered.
func TestRememberedEvents(t *testing.T) {
	o := openOrg(t, t.TempDir())
	ctx := context.Background()
	o.createDepartment("Sales")
	o.hireMany(0, 30, "Sales", 0)
	feed := func(limit int) []activity.Encoded {
		t.Helper()
		all, err := o.activities.Feed(ctx, activity.Query{Limit: limit})
		o.check(err)
		return all
	}
	wantSame := func(what string, n int) {
		t.Helper()
		got, again := feed(1000), feed(1000)
		o.db.Events = memory.NewEvents(memory.MaxEvents)
		fresh := feed(1000)
		if diff := cmp.Diff(fresh, got) + cmp.Diff(fresh, again); diff != "" || len(fresh) != n {
			t.Errorf("%d events after %s, want %d (-fresh +remembered):\n%s", len(fresh), what, n, diff)
		}
	}
	feed(7)
	wantSame("hiring", 60)
	feed(20)
	o.hireMany(30, 1, "Sales", 0)
	wantSame("hiring one more", 62)
	newest := feed(1)[0]
	o.check(o.db.Write(ctx, func(tx *engine.Tx) error {
		tx.Changed.DeletedBefore = memory.AnyTime
		_, err := tx.Exec("DELETE FROM events WHERE id = ?", sqlite.PackID(newest.ID))
		return err
	}))
	wantSame("forgetting one", 61)
	o.hireMany(31, 1, "Sales", 0)
	wantSame("hiring one more behind it", 63)
}

// Readers who share what is remembered, which is too little for all of them, see
// whole pages while events come and go.
func TestRememberedEventsOfManyReaders(t *testing.T) {
	o := openOrg(t, t.TempDir())
	ctx := context.Background()
	o.createDepartment("Sales")
	o.hireMany(0, 30, "Sales", 0)
	o.db.Events = memory.NewEvents(20 * 700)
	stop := make(chan struct{})
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for {
				page, err := o.activities.Feed(ctx, activity.Query{Limit: 40})
				ordered := slices.IsSortedFunc(page, func(a, b activity.Encoded) int { return a.Compare(b.Position) })
				whole := !slices.ContainsFunc(page, func(e activity.Encoded) bool { return !strings.Contains(e.Text, string(e.ID)) })
				ids := map[activity.ID]bool{}
				for _, e := range page {
					ids[e.ID] = true
				}
				if err != nil || len(ids) != 40 || len(page) != 40 || !ordered || !whole {
					t.Errorf("a page of %d events, %d of them different, ordered %t, whole %t, %v", len(page), len(ids), ordered, whole, err)
					return
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for i := range 100 {
		o.hireMany(30+i, 1, "Sales", 0)
		o.check(o.db.Write(ctx, func(tx *engine.Tx) error {
			tx.Changed.DeletedBefore = memory.AnyTime
			_, err := tx.Exec("DELETE FROM events WHERE seq = (SELECT min(seq) FROM events)")
			return err
		}))
	}
	close(stop)
	readers.Wait()
}

// An event that an index has and the table has not is a damage that is told.
func TestFeedOfADamagedLog(t *testing.T) {
	o := openOrg(t, t.TempDir())
	err := o.db.Read(context.Background(), func(v *sqlite.View) error {
		_, err := o.db.eventsAt(v, []int64{1, 2})
		return err
	})
	if !errors.Is(err, ports.ErrStorage) {
		t.Errorf("reading two events that are not there = %v, want %v", err, ports.ErrStorage)
	}
}

// BenchmarkFeed reads pages of events that are remembered, and of those that are
// not.
func BenchmarkFeed(b *testing.B) {
	o := openOrg(b, b.TempDir())
	o.createDepartment("Sales")
	o.hireMany(0, 1000, "Sales", 0)
	for _, q := range []activity.Query{{}, {Type: activity.Hired}} {
		q.Limit = 51
		for _, max := range []int{memory.MaxEvents, 0} {
			b.Run(fmt.Sprintf("type=%s/max=%d", q.Type, max), func(b *testing.B) {
				o.db.Events = memory.NewEvents(max)
				b.ReportAllocs()
				for b.Loop() {
					if page, err := o.activities.Feed(context.Background(), q); err != nil || len(page) != q.Limit {
						b.Fatalf("a page of %d events, %v", len(page), err)
					}
				}
			})
		}
	}
}
