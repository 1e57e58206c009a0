package mongostore

import (
	"context"
	"errors"
	"testing"
	"time"

	"orgd/adapters/system"
	"orgd/app"
	"orgd/domain/activity"
	"orgd/domain/jsondoc"
	"orgd/domain/webhook"
	"orgd/ports"
	"orgd/test/mongoserver"
)

// hasty opens the database once more with operations that take less time than the server
// needs to read what others have written.
func (db *DB) hasty(t *testing.T) *DB {
	t.Helper()
	cfg := testConfig(t)
	cfg.Database, cfg.OperationTimeout = db.data.Name(), 250*time.Millisecond
	hasty, closeDB, err := Open(cfg, system.Clock{})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	t.Cleanup(closeDB)
	return hasty
}

// quietTime is how long a test waits for what has to be read of a long log.
const quietTime = 2 * time.Minute

// TestLongLogOfOthers: a part of the server's log that is longer than the server reads in
// the time of an operation stops nobody: neither who comes back, nor the tail of a process
// that stood still, nor the recorder of deliveries.
func TestLongLogOfOthers(t *testing.T) {
	db := openTest(t)
	s := db.Stores()
	from, err := s.Stream.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	outbox := app.NewWebhooks(system.Clock{}, system.IDs{}, system.Random{}, webhook.Policy{AllowHTTP: true, AllowPrivate: true},
		s.Webhooks, s.Outbox, s.Departments, s.Activities, s.Audit, s.Stream, dispatcherOf(s))
	doc, err := jsondoc.Parse([]byte(`{"url":"http://127.0.0.1:9/"}`))
	if err != nil {
		t.Fatal(err)
	}
	patch, err := webhook.ParseNew(doc)
	if err != nil {
		t.Fatal(err)
	}
	w, err := outbox.Register(t.Context(), app.Call{Route: "POST /x", RequestID: "r"}, patch)
	if err != nil {
		t.Fatal(err)
	}
	want := reported(t, db, 3)
	mongoserver.WriteOthers(t, testConfig(t).URI, 200_000)
	want = append(want, reported(t, db, 2)...)
	t.Run("comes back", func(t *testing.T) {
		t.Parallel()
		wantRead(t, db.hasty(t), from, want)
	})
	t.Run("stood still", func(t *testing.T) {
		t.Parallel()
		stood := db.hasty(t)
		stood.tail.Begin(from)
		wantRead(t, stood, from, want)
		if _, ok := stood.tail.After(from, 1); !ok {
			t.Errorf("the tail has begun anew, want it to have gone on from %d", from)
		}
	})
	t.Run("records", func(t *testing.T) {
		t.Parallel()
		d := dispatcherOf(db.hasty(t).Stores())
		var got []webhook.Delivery
		for until := time.Now().Add(quietTime); len(got) < len(want); {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			err := d.Record(ctx)
			cancel()
			if err != nil && !errors.Is(err, ports.ErrUnavailable) {
				t.Fatalf("Record = %v", err)
			}
			if got, err = s.Outbox.Deliveries(t.Context(), webhook.DeliveryQuery{Webhook: w.ID, Limit: 100}); err != nil {
				t.Fatal(err)
			}
			if time.Now().After(until) {
				t.Fatalf("%d of %d deliveries are recorded after %s", len(got), len(want), quietTime)
			}
		}
	})
}

func dispatcherOf(s ports.Stores) *app.Dispatcher {
	return app.NewDispatcher(system.Clock{}, system.IDs{}, system.Random{}, s.Webhooks, s.Outbox, s.Activities, s.Audit, s.Stream, nil, unread{})
}

// wantRead reads the log behind a position until it has had as many events as are wanted,
// in calls that have little time.
func wantRead(t *testing.T, db *DB, position activity.Seq, want []activity.ID) {
	t.Helper()
	var got []activity.ID
	calls := 0
	begun := time.Now()
	for until := begun.Add(quietTime); len(got) < len(want); calls++ {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second/2)
		page, err := db.Stores().Stream.After(ctx, position, 10)
		cancel()
		switch {
		case err == nil:
			position = page.Next
			for _, e := range page.Events {
				got = append(got, e.ID)
			}
			if !page.More {
				time.Sleep(10 * time.Millisecond)
			}
		case !errors.Is(err, ports.ErrUnavailable): // a busy machine may not answer in time
			t.Fatalf("After(%d) = %v", position, err)
		}
		if time.Now().After(until) {
			t.Fatalf("%d of %d events are read after %s and %d calls", len(got), len(want), quietTime, calls)
		}
	}
	for i, id := range got {
		if id != want[i] {
			t.Errorf("event %d is %s, want %s", i, id, want[i])
		}
	}
	t.Logf("%d events in %d calls and %s", len(got), calls, time.Since(begun))
}

// TestForgottenConnection: a connection that the network has forgotten, while it has
// others, is noticed by those who wait at the end of the log.
func TestForgottenConnection(t *testing.T) {
	t.Parallel()
	near := openTest(t)
	db, proxy := near.behindProxy(t)
	from, err := db.Stores().Stream.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	before := reported(t, near, 1)
	wantRead(t, db, from, before)
	time.Sleep(time.Second / 2) // it waits for more
	proxy.HalfOpen()
	proxy.Pass()
	wantRead(t, db, from, append(before, reported(t, near, 1)...))
}
