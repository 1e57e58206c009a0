package mongostore

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/activity"
	"orgd/ports"
	"orgd/ports/portstest"
)

// sequenceAll gives all events that can have them their places.
func (o *office) sequenceAll(db *DB) {
	o.Helper()
	for {
		more, err := db.sequence(o.Context())
		o.must(err)
		if !more {
			return
		}
	}
}

// wantLog checks that the log has every event that counts once, on pages
// without a gap, and that no event waits.
func (o *office) wantLog() {
	o.Helper()
	o.sequenceAll(o.replica())
	o.wantNone("events in line", eventsColl, bson.D{exists("line", true)})
	var pages []page
	o.must(o.db.all(o.Context(), o.db.coll(logColl), bson.D{}, &pages, options.Find().SetSort(bson.D{is("_id", 1)})))
	logged := map[string]int{}
	for i, p := range pages {
		if p.Number != int64(i+1) || len(p.Events) == 0 || !p.Done {
			o.Errorf("page %d has number %d, %d events and done = %v", i+1, p.Number, len(p.Events), p.Done)
		}
		for _, id := range p.Events {
			logged[id]++
		}
	}
	var events []eventDoc
	o.must(o.db.all(o.Context(), o.db.coll(eventsColl), bson.D{settled()}, &events, options.Find().SetProjection(fields("_id"))))
	for _, e := range events {
		if logged[e.ID] != 1 {
			o.Errorf("event %s is %d times in the log", e.ID, logged[e.ID])
		}
		delete(logged, e.ID)
	}
	if len(logged) > 0 {
		o.Errorf("the log has %d events that do not count", len(logged))
	}
}

// readLog reads the log from its beginning.
func (o *office) readLog(db *DB) (ids []activity.ID) {
	o.Helper()
	var at activity.Seq
	for {
		events, err := NewStream(db).After(o.Context(), at, 7)
		o.must(err)
		if len(events) == 0 {
			return ids
		}
		for _, e := range events {
			ids = append(ids, e.ID)
		}
		at = events[len(events)-1].Seq
	}
}

// begin makes a department, an agent and a batch: seven events and two.
func (o *office) begin() (want []activity.ID) {
	o.Helper()
	o.found("Sales")
	id := o.hire("Bob", "Sales")
	o.clock.advance(time.Second) // lines are in the order of time
	var n ports.Counted
	reports := o.reports(id, 7)
	o.must(o.appending(reports, &n)(o.Context(), o.Stores))
	career, err := o.Activities.Career(o.Context(), id)
	o.must(err)
	for _, e := range career {
		want = append(want, e.ID)
	}
	for _, r := range reports {
		want = append(want, r.Event.ID)
	}
	return want
}

func (o *office) wantRead(db *DB, want []activity.ID) {
	o.Helper()
	if got := o.readLog(db); !slices.Equal(got, want) {
		o.Errorf("the log has %v, want %v", got, want)
	}
}

// TestSequenceCrash: whoever comes after a replica that died while it wrote the
// log finishes its work.
func TestSequenceCrash(t *testing.T) {
	for _, point := range []string{"log.insert", "log.inserted", "log.finished"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			want := o.begin()
			o.db.hook = func(at string) error {
				if at == point {
					return errCrash
				}
				return nil
			}
			if _, err := o.db.sequence(t.Context()); !errors.Is(err, errCrash) {
				t.Fatalf("sequence = %v, want to stop at %s", err, point)
			}
			o.db.hook = nil
			other := o.replica()
			if point != "log.insert" { // it is there for everybody
				o.wantRead(other, want)
			}
			o.clock.advance(time.Second)
			more := o.reports(o.agents[0], 3)
			var n ports.Counted
			o.must(o.appending(more, &n)(t.Context(), storesOf(other)))
			for _, r := range more {
				want = append(want, r.Event.ID)
			}
			o.sequenceAll(other)
			o.wantRead(o.replica(), want)
			o.wantWhole()
		})
	}
}

// TestStalledSequencer: a replica that stalls with what it has read cannot
// write it once others went on.
func TestStalledSequencer(t *testing.T) {
	for _, point := range []string{"log.insert", "log.inserted", "log.finished"} {
		t.Run(point, func(t *testing.T) {
			t.Parallel()
			o := newOffice(t)
			want := o.begin()
			resume := o.stall(point, func(ctx context.Context, _ portstest.Stores) error {
				_, err := o.db.sequence(ctx)
				return err
			})
			other := o.replica()
			for range 3 {
				o.clock.advance(time.Second)
				more := o.reports(o.agents[0], 2)
				var n ports.Counted
				o.must(o.appending(more, &n)(t.Context(), storesOf(other)))
				o.sequenceAll(other)
				for _, r := range more {
					want = append(want, r.Event.ID)
				}
			}
			o.must(resume())
			o.wantRead(o.replica(), want)
			o.wantWhole()
		})
	}
}

// TestHalfSettledBatch: a batch enters the log as a whole, others meanwhile.
func TestHalfSettledBatch(t *testing.T) {
	o := newOffice(t)
	o.found("Sales")
	id := o.hire("Bob", "Sales")
	o.sequenceAll(o.db)
	reports := o.reports(id, 8)
	var n ports.Counted
	resume := o.stall("settle.open", o.appending(reports, &n))
	// The one who opens the events dies after some of them.
	var b head
	o.must(o.db.find(t.Context(), o.db.coll(batchesColl), bson.D{}, nil, &b))
	d := b.Pending[0]
	for _, r := range reports[3:6] {
		_, err := o.db.update(t.Context(), eventsColl, byKey(string(r.Event.ID)), bson.D{
			is("$unset", bson.D{is("open", "")}),
			is("$set", bson.D{is("line", line(d.At, d.Op)), is("of", d.Tally.Events)}),
		})
		o.must(err)
	}
	other := o.replica()
	o.clock.advance(time.Second)
	later := o.reports(id, 2)
	o.must(o.appending(later, &n)(t.Context(), storesOf(other)))
	o.sequenceAll(other)
	want := o.readLog(other)
	if len(want) != 4 {
		t.Errorf("the log has %d events beside a batch that is half settled, want 4", len(want))
	}
	o.must(resume())
	o.sequenceAll(other)
	for _, r := range reports {
		want = append(want, r.Event.ID)
	}
	o.wantRead(o.replica(), want)
	o.wantWhole()
}

// TestFullPage: what does not fit into a page goes into the next, batches as a
// whole.
func TestFullPage(t *testing.T) {
	o := newOffice(t)
	var want []activity.ID
	for i, size := range []int{400, 400, 400, pageSize, 1} {
		reports := o.reports("0190a5c4-0000-7000-8000-ffffffffffff", size)
		var n ports.Counted
		o.must(o.appending(reports, &n)(t.Context(), o.Stores))
		o.clock.advance(time.Duration(i+1) * time.Millisecond)
		for _, r := range reports {
			want = append(want, r.Event.ID)
		}
	}
	o.sequenceAll(o.db)
	var sizes []int
	var pages []page
	o.must(o.db.all(t.Context(), o.db.coll(logColl), bson.D{}, &pages, options.Find().SetSort(bson.D{is("_id", 1)})))
	for _, p := range pages {
		sizes = append(sizes, len(p.Events))
	}
	if !slices.Equal(sizes, []int{800, 400, pageSize, 1}) {
		t.Errorf("pages of %v events, want 800, 400, %d and 1", sizes, pageSize)
	}
	o.wantRead(o.replica(), want)
}

// TestLostPages: a log of which a part is missing says so, wherever one asks
// from.
func TestLostPages(t *testing.T) {
	o := newOffice(t)
	var ends []activity.Seq
	for range 5 {
		var n ports.Counted
		o.must(o.appending(o.reports("0190a5c4-0000-7000-8000-ffffffffffff", 2), &n)(t.Context(), o.Stores))
		o.sequenceAll(o.db)
		head, err := NewStream(o.db).Head(t.Context())
		o.must(err)
		ends = append(ends, head)
	}
	_, err := o.db.remove(t.Context(), logColl, bson.D{in("_id", []int64{1, 3})})
	o.must(err)
	for at, want := range map[activity.Seq]error{
		0: activity.ErrTooOld, 1: activity.ErrTooOld, ends[0]: activity.ErrTooOld, ends[1]: activity.ErrTooOld,
		ends[2]: activity.ErrTooOld, ends[2] + 1: activity.ErrTooOld, ends[3] - 1: nil, ends[3]: nil, ends[4]: nil,
		ends[4] + 1: activity.ErrTooOld, place(6, 0): activity.ErrTooOld,
	} {
		_, err := NewStream(o.replica()).After(t.Context(), at, 10)
		o.wantErr(fmt.Sprintf("After(%d)", at), err, want)
	}
}

// TestForgetSparesTheLine: an event that waits for its place is not forgotten
// before it has it.
func TestForgetSparesTheLine(t *testing.T) {
	o := newOffice(t)
	want := o.begin()
	e := ports.Expiry{Events: epoch.AddDate(1, 0, 0)}
	if _, err := o.Storage.Forget(t.Context(), e); err != nil {
		t.Fatalf("Forget = %v", err)
	}
	o.sequenceAll(o.db)
	o.wantRead(o.db, want)
	_, err := o.Storage.Forget(t.Context(), ports.Expiry{Events: epoch.AddDate(0, 0, -1)})
	o.must(err)
	o.wantRead(o.replica(), slices.Delete(slices.Delete(want, 7, 8), 4, 5)) // two were reported two days late
}

// TestReplicasSequence: eight replicas write the log at once while events come
// in through all of them; whoever follows it, on whichever replica, sees every
// event once, and all in one order.
func TestReplicasSequence(t *testing.T) {
	const replicas, each, size = 8, 6, 5
	o := newOffice(t)
	o.found("Sales")
	id := o.hire("Bob", "Sales")
	total := 2 + replicas*each*size
	ctx, stop := context.WithTimeout(t.Context(), 2*time.Minute)
	defer stop()
	var sequencing, working sync.WaitGroup
	seen := make([][]activity.ID, replicas)
	for i := range replicas {
		db := o.replica()
		db.inLine = make(chan struct{}, 1)
		var steps []func(context.Context, portstest.Stores) error
		for range each {
			steps = append(steps, o.appending(o.reports(id, size), new(ports.Counted)))
		}
		sequencing.Go(func() {
			for ctx.Err() == nil {
				if err := db.Sequence(ctx); err != nil && ctx.Err() == nil {
					t.Errorf("Sequence = %v", err)
				}
			}
		})
		working.Go(func() { seen[i] = follow(ctx, t, db, total) })
		working.Go(func() {
			for _, do := range steps {
				if err := do(ctx, storesOf(db)); err != nil {
					t.Errorf("Append = %v", err)
				}
			}
		})
	}
	working.Wait()
	stop()
	sequencing.Wait()
	for i, ids := range seen {
		if !slices.Equal(ids, seen[0]) {
			t.Errorf("on replica %d the log has %v, on the first %v", i, ids, seen[0])
		}
	}
	unique := slices.Compact(slices.Sorted(slices.Values(seen[0])))
	if len(unique) != total {
		t.Errorf("%d different events of %d", len(unique), total)
	}
	o.wantWhole()
}

// follow reads the log of a replica until it has n events.
func follow(ctx context.Context, t *testing.T, db *DB, n int) (ids []activity.ID) {
	var at activity.Seq
	s := NewStream(db)
	for len(ids) < n {
		grown := s.Grown()
		events, err := s.After(ctx, at, 1+len(ids)%9)
		if err != nil {
			t.Errorf("After = %v with %d of %d events", err, len(ids), n)
			return ids
		}
		for _, e := range events {
			ids, at = append(ids, e.ID), e.Seq
		}
		if len(events) > 0 {
			continue
		}
		select {
		case <-grown:
		case <-ctx.Done():
		}
	}
	return ids
}
