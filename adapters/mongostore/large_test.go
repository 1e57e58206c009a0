package mongostore

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/event"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/ports"
	"orgd/test/mongoserver"
)

// watch has a store, which was not used yet, call sent with the number of documents that
// each command writes, before it is sent. uri leads to the servers.
func (db *DB) watch(t *testing.T, uri string, sent func(n int)) {
	t.Helper()
	cfg := testConfig(t)
	cfg.URI = uri
	client, err := mongo.Connect(clientOptions(cfg).SetMonitor(&event.CommandMonitor{
		Started: func(_ context.Context, e *event.CommandStartedEvent) {
			for _, list := range []string{"documents", "updates", "deletes"} {
				if docs, ok := e.Command.Lookup(list).ArrayOK(); ok {
					values, _ := docs.Values()
					sent(len(values))
				}
			}
		},
	}))
	if err != nil {
		t.Fatal(err)
	}
	plain := db.client
	t.Cleanup(func() { _ = plain.Disconnect(context.Background()) }) // nothing is asked of it any more
	db.client, db.data = client, client.Database(db.data.Name())
	if db.writer.session, err = client.StartSession(); err != nil {
		t.Fatal(err)
	}
}

// What a change writes may take longer than an operation, because it is sent by several. In
// the long form the servers are so slow that it does.
func TestLargeChange(t *testing.T) {
	const many = 3*sentAtOnce + 100
	near := newOffice(t)
	before := near.crowd("Sales", many)
	var most atomic.Int64
	far := near.db.replica(t)
	far.watch(t, testConfig(t).URI, func(n int) {
		most.Store(max(most.Load(), int64(n)))
		if long {
			time.Sleep(time.Duration(n) * 2500 * time.Microsecond)
		}
	})
	o := officeOf(t, far)
	if long {
		o.db.timeout = 4 * time.Second
	}
	o.must(o.db.write(t.Context(), func(t *tx) error {
		for range many {
			t.insert(versionsColl, mongodb.IDDoc{ID: newID()}, nil)
		}
		return nil
	}))
	o.must(o.reverse(t.Context(), "Sales", nil))
	near.wantOrder("after the reorder", "Sales", reversedMembers(before), before)
	if n := most.Load(); n > sentAtOnce {
		t.Errorf("a command writes %d documents, want at most %d", n, sentAtOnce)
	}
}

// A batch may take longer the more it writes, and who waits for a large change waits as long
// as it gets on, and not longer than the request.
func TestTimeOfALargeChange(t *testing.T) {
	db := &engine{timeout: 2 * time.Second}
	for _, tt := range []struct{ docs, bytes, want int }{{0, 0, 2}, {sentAtOnce - 1, 1, 2}, {sentAtOnce, 1, 4}, {10 * sentAtOnce, 2 * maxBytes, 26}} {
		b := &batch{writer: &writer{db: db}, docs: tt.docs, bytes: tt.bytes}
		if got := b.time(); got != time.Duration(tt.want)*time.Second {
			t.Errorf("%d documents of %d bytes may take %v, want %d s", tt.docs, tt.bytes, got, tt.want)
		}
	}
	for what, tt := range map[string]struct {
		request time.Duration
		ops     int
		want    time.Duration
	}{
		"small":                   {time.Minute, sentAtOnce, 2 * time.Second},
		"large":                   {time.Minute, sentAtOnce + 1, 5 * time.Second},
		"large of a late request": {3 * time.Second, sentAtOnce + 1, 3 * time.Second},
	} {
		synctest.Test(t, func(t *testing.T) {
			begin := time.Now()
			request, cancel := context.WithTimeout(t.Context(), tt.request)
			defer cancel()
			w, end := mongodb.NewWaiting(request, db.timeout)
			defer end()
			j := &job{Change: &change{ctx: w, tx: &tx{ops: make([]op, tt.ops)}}}
			b := &batch{writer: &writer{db: db}, kept: []*job{j}}
			for range 3 { // it gets on for three seconds
				time.Sleep(time.Second)
				b.getsOn()
			}
			<-w.Done()
			until, _ := w.Deadline()
			if got := time.Since(begin); got != max(tt.want, 3*time.Second) || until.Sub(begin) != tt.want || !errors.Is(w.Err(), context.DeadlineExceeded) {
				t.Errorf("%s: it waits for %v, until %v, %v, want %v", what, got, until.Sub(begin), w.Err(), tt.want)
			}
		})
	}
}

// While a large change is written the servers fall silent: its caller learns that as soon
// as others do.
func TestSilenceDuringALargeChange(t *testing.T) {
	t.Parallel()
	near := openTest(t)
	far, proxy := near.behindProxy(t)
	var silent atomic.Pointer[time.Time]
	commands := 0
	far.watch(t, mongoserver.Through(t, testConfig(t).URI, proxy.Addr()), func(n int) {
		if n < sentAtOnce {
			return // of the lease
		}
		if commands++; commands == 3 {
			proxy.HalfOpen()
			now := time.Now()
			silent.Store(&now)
		}
	})
	err := far.write(t.Context(), func(tx *tx) error {
		for range 10 * sentAtOnce {
			tx.insert(versionsColl, mongodb.IDDoc{ID: newID()}, nil)
		}
		return nil
	})
	if !errors.Is(err, ports.ErrUnavailable) {
		t.Fatalf("write = %v, want ErrUnavailable", err)
	}
	wantWithin(t, "a large change", *silent.Load(), 2500*time.Millisecond)
	if n, err := near.coll(versionsColl).CountDocuments(t.Context(), bson.D{}); n != 0 || err != nil {
		t.Errorf("%d documents of it are stored, %v", n, err)
	}
	proxy.Pass()
}
