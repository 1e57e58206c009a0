package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/ports"
)

// wantIndexed compares pages of the newest events with those of the indexes, and returns
// how many pages the newest events have.
func (o *org) wantIndexed(r *rand.Rand, what string) (had int) {
	o.Helper()
	pages := []activity.Query{{Limit: 51}, {Limit: 5000}}
	for range 6 {
		pages = append(pages, activity.Query{
			Limit: 1 + r.IntN(300),
			After: &activity.Position{At: o.around(r), ID: activity.ID(o.id())},
			Since: o.around(r),
		})
	}
	pages[2].After, pages[3].Since = nil, time.Time{}
	o.check(o.db.Read(context.Background(), func(v *sqlite.View) error {
		for _, q := range pages {
			query, args := feedQuery("seq", q)
			want, err := sqlite.Rows(v, query, args, func(r sqlite.Row) (seq int64, err error) { return seq, r.Scan(&seq) })
			if err != nil {
				return err
			}
			got, ok := o.db.Newest.Page(q)
			if !ok {
				continue
			}
			had++
			if diff := cmp.Diff(want, got); diff != "" {
				o.Fatalf("after %s the newest events of %+v are not those of the index (-index +newest):\n%s", what, q, diff)
			}
		}
		return nil
	}))
	return had
}

// around is a time at which an event may have happened: many have the same.
func (o *org) around(r *rand.Rand) time.Time {
	return o.now().Add(-time.Duration(r.IntN(400)*10) * time.Millisecond).Truncate(10 * time.Millisecond)
}

// failCommit stores events in a transaction that cannot be committed.
func (o *org) failCommit(reports []ports.Report) {
	o.Helper()
	err := o.db.Write(context.Background(), func(tx *engine.Tx) error {
		for _, r := range reports {
			if _, err := putReport(tx, r); err != nil {
				return err
			}
		}
		_, deferred := tx.Exec("PRAGMA defer_foreign_keys = ON")
		_, moved := tx.Exec("UPDATE agents SET department_key = 'nobody'")
		return errors.Join(deferred, moved)
	})
	if !errors.Is(err, ports.ErrStorage) {
		o.Fatalf("a commit that violates a foreign key = %v, want %v", err, ports.ErrStorage)
	}
}

// The newest events are those of the indexes after any change: events of any time, of the
// same time, in batches of any size, that expire, are purged or are not committed.
func TestNewestEvents(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	ctx := context.Background()
	o := openOrg(t, t.TempDir())
	o.createDepartment("Sales")
	const former = 20 // agents that there are no more
	var ids []agent.ID
	for range former {
		ids = append(ids, agent.ID(o.id()))
	}
	ids = append(ids, o.hireMany(0, 40, "Sales", 0)...)
	changes := map[string]func(){
		"hiring": func() { ids = append(ids, o.hire(fmt.Sprintf("new-%s", o.id()), "Sales", 0).ID()) },
		"purging": func() {
			o.check(o.db.Write(ctx, func(tx *engine.Tx) error { return second(tx.Exec(insertPurged, sqlite.PackID(ids[r.IntN(former)]), 0)) }))
			for more := true; more; {
				var err error
				more, err = o.db.removePurged(ctx)
				o.check(err)
			}
		},
		"expiry": func() {
			_, err := o.db.Stores().Storage.DeleteExpired(ctx, ports.Expiry{Now: o.now(), Events: o.around(r)})
			o.check(err)
		},
		"a failed commit": func() {
			o.failCommit(o.scattered(r, 3, ids))
			if _, ok := o.db.Newest.Page(activity.Query{Limit: 1}); ok {
				t.Fatal("after a commit that may have failed a page is not read from the database")
			}
		},
	}
	for _, n := range []int{1, 2, 50, 500} {
		changes[fmt.Sprint(n, " reports")] = func() {
			_, err := o.activities.Append(ctx, o.scattered(r, n, ids), o.sealed)
			o.check(err)
		}
	}
	kinds := []string{"1 reports", "1 reports", "2 reports", "50 reports", "500 reports", "hiring", "hiring", "purging", "expiry", "a failed commit"}
	had := 0
	for range 400 {
		what := kinds[r.IntN(len(kinds))]
		changes[what]()
		had += o.wantIndexed(r, what)
	}
	if had < 1000 {
		t.Errorf("the newest events have %d of 3200 pages, want at least 1000", had)
	}
}

func second[T any](_ T, err error) error { return err }

// scattered are reports of events around now.
func (o *org) scattered(r *rand.Rand, n int, ids []agent.ID) []ports.Report {
	batch := o.reports(n, ids)
	for i := range batch {
		batch[i].Event.At = o.around(r)
	}
	return batch
}

// What somebody has stored is on the page that he reads then, whatever others store, read
// and delete meanwhile.
func TestNewestEventsBesideCommits(t *testing.T) {
	o := openOrg(t, t.TempDir())
	ctx := context.Background()
	o.createDepartment("Sales")
	ids := o.hireMany(0, 100, "Sales", 0)
	var clients sync.WaitGroup
	for client := range 6 {
		clients.Go(func() {
			r := rand.New(rand.NewPCG(3, uint64(client)))
			for range 60 {
				batch := o.reports(1+r.IntN(60), ids)
				if _, err := o.activities.Append(ctx, batch, o.sealed); err != nil {
					t.Error(err)
					return
				}
				page, err := o.activities.Feed(ctx, activity.Query{Limit: 1000})
				if err != nil || !slices.IsSortedFunc(page, func(a, b activity.Encoded) int { return a.Compare(b.Position) }) {
					t.Errorf("Feed = %d events that are not in order, %v", len(page), err)
					return
				}
				own := batch[0].Event.ID
				if !slices.ContainsFunc(page, func(e activity.Encoded) bool { return e.ID == own }) {
					t.Errorf("an event that was stored is not among the newest 1 000")
					return
				}
				if client == 0 {
					_, err = o.db.Stores().Storage.DeleteExpired(ctx, ports.Expiry{Now: o.now(), Events: o.now().Add(-2 * time.Second)})
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	clients.Wait()
	o.wantIndexed(rand.New(rand.NewPCG(4, 5)), "all")
}

// A store that is opened has the newest events, and all if there are few.
func TestNewestEventsAfterAStart(t *testing.T) {
	dir := t.TempDir()
	hired := 0
	for i, n := range []int{0, 10, memory.MaxNewest / 2, memory.MaxNewest} {
		o := openOrg(t, dir)
		o.made.Add(int64(i) * 1e6)
		if had := o.wantIndexed(rand.New(rand.NewPCG(6, 7)), "a start"); had == 0 {
			t.Errorf("no page of %d more events is known", n)
		}
		if n == 0 {
			o.createDepartment("Sales")
		}
		o.hireMany(hired, n, "Sales", 0)
		hired += n
		o.db.Close()
	}
}
