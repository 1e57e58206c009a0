package sqlitestore

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/activity"
)

func TestEventsAreBounded(t *testing.T) {
	const each = 1000
	c := newEvents(100 * each)
	event := activity.Shown{Text: strings.Repeat("x", each-eventOverhead)}
	for place := range int64(1000) {
		c.remember(place, event)
		c.remember(place, event)
		c.remembered([]int64{0}) // asked for all the time
		if n := max(c.known.order.Len(), len(c.known.at)); n > 100 || n < min(int(place), 100) {
			t.Fatalf("%d events are remembered, want 100", n)
		}
	}
	found, missing := c.remembered([]int64{0, 1, 890, 910, 999})
	if diff := cmp.Diff([]int64{1, 890}, missing); len(found) != 3 || diff != "" {
		t.Errorf("%d events are remembered, and not these (-want +got):\n%s", len(found), diff)
	}
}

// A feed shows what is stored, whatever of it is remembered.
func TestRememberedEvents(t *testing.T) {
	o := openOrg(t, t.TempDir())
	ctx := context.Background()
	o.found("Sales")
	o.hireMany(0, 30, "Sales", 0)
	feed := func(limit int) []activity.Shown {
		t.Helper()
		all, err := o.activities.Feed(ctx, activity.Query{Limit: limit})
		o.check(err)
		return all
	}
	wantSame := func(what string, n int) {
		t.Helper()
		got, again := feed(1000), feed(1000)
		o.db.events = newEvents(maxEvents)
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
	o.check(o.db.Write(ctx, func(tx *Tx) error {
		_, err := tx.Exec("DELETE FROM events WHERE id = ?", packID(newest.ID))
		return err
	}))
	wantSame("forgetting one", 61)
	o.hireMany(31, 1, "Sales", 0)
	wantSame("hiring one more behind it", 63)
}

// An event that an index has and the table has not is a damage that is told.
func TestFeedOfADamagedLog(t *testing.T) {
	o := openOrg(t, t.TempDir())
	err := o.db.Read(context.Background(), func(v *View) error {
		_, err := o.db.events.at(v, []int64{1, 2})
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "2 events that are not stored") {
		t.Errorf("reading two events that are not there = %v", err)
	}
}

// BenchmarkFeed reads pages of events that are remembered, and of those that are
// not.
func BenchmarkFeed(b *testing.B) {
	o := openOrg(b, b.TempDir())
	o.found("Sales")
	o.hireMany(0, 1000, "Sales", 0)
	for _, q := range []activity.Query{{}, {Type: activity.Hired}} {
		q.Limit = 51
		for _, max := range []int{maxEvents, 0} {
			b.Run(fmt.Sprintf("type=%s/max=%d", q.Type, max), func(b *testing.B) {
				o.db.events = newEvents(max)
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
