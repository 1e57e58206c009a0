package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/idempotency"
	"orgd/ports/portstest"
)

// A record is as durable as the change it belongs to; a lock ends with its
// process.
func TestRecordsOutliveTheProcess(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	var made *idempotency.Record
	lock := func(o *org, key idempotency.Key) idempotency.Lock {
		return idempotency.Lock{Key: key, Fingerprint: "f", Owner: o.id(), At: o.now()}
	}
	t.Run("First", func(t *testing.T) {
		o := openOrg(t, dir)
		o.createDepartment("Sales")
		store := o.db.Stores().Idempotency
		for _, key := range []idempotency.Key{"done", "died"} {
			kept, err := store.Lock(ctx, lock(o, key))
			if kept != nil || err != nil {
				t.Fatalf("Lock(%s) = %v, %v, want the key", key, kept, err)
			}
		}
		s := o.hiring("Ann", "Sales", 0)
		made = &idempotency.Record{
			Key: "done", Fingerprint: "f", At: o.now(),
			Reply: &idempotency.Reply{Status: 201, Body: []byte("\x00{}"), ETag: `"1"`, Location: "/x"},
		}
		s.Idempotency = made
		o.check(portstest.Hire(ctx, o.agents, s))
	})
	o := openOrg(t, dir)
	o.made.Store(1000)
	store := o.db.Stores().Idempotency
	got, err := store.Lock(ctx, lock(o, "done"))
	if diff := cmp.Diff(made, got); err != nil || diff != "" {
		t.Errorf("Lock(done) = %v (-want +got):\n%s", err, diff)
	}
	if got, err := store.Lock(ctx, lock(o, "died")); got != nil || err != nil {
		t.Errorf("Lock(died) = %v, %v, want the key", got, err)
	}
	if _, err := store.Lock(ctx, lock(o, "died")); !errors.Is(err, idempotency.ErrRunning) {
		t.Errorf("Lock(died) by another = %v, want ErrRunning", err)
	}
}

// Locks leave nothing behind.
func TestLocksAreReleased(t *testing.T) {
	o := openOrg(t, t.TempDir())
	o.createDepartment("Sales")
	store := o.db.Stores().Idempotency
	ctx := context.Background()
	var won atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			c := idempotency.Lock{Key: "k", Fingerprint: "f", Owner: fmt.Sprint(i), At: o.now()}
			kept, err := store.Lock(ctx, c)
			if err == nil && kept == nil {
				won.Add(1)
				s := o.hiring("Ann", "Sales", 0)
				s.Idempotency = &idempotency.Record{Key: "k", Fingerprint: "f", At: c.At}
				o.check(portstest.Hire(ctx, o.agents, s))
			}
			o.check(store.Release(ctx, c))
		})
	}
	wg.Wait()
	if won.Load() != 1 || len(o.db.locks.held) != 0 {
		t.Errorf("%d requests won and %d locks are left, want 1 and 0", won.Load(), len(o.db.locks.held))
	}
}
