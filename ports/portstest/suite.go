package portstest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"orgd/domain/ceremony"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/ports"
)

// Stores are the ports that one storage implements together. Their suites share
// one open function, which returns the ports of a storage that is empty and
// that nobody else uses, and closes it with t.Cleanup. It is called once per
// check; checks run in parallel.
type Stores = ports.Stores

// All checks every port of a storage, side by side: a suite waits for the storage most of the time.
func All(t *testing.T, open func(t *testing.T) Stores) {
	for port, suite := range map[string]func(*testing.T, func(*testing.T) Stores){
		"AgentStore":      AgentStore,
		"IdentityLog":     IdentityLog,
		"ActivityLog":     ActivityLog,
		"EventStream":     EventStream,
		"DepartmentStore": DepartmentStore,
		"CompanyStore":    CompanyStore,
		"ProjectStore":    ProjectStore,
		"WebhookStore":    WebhookStore,
		"Outbox":          Outbox,
		"AuditLog":        AuditLog,
		"Idempotency":     Idempotency,
		"Storage":         Storage,
		"SessionStore": func(t *testing.T, open func(*testing.T) Stores) {
			SessionStore(t, func(t *testing.T) ports.SessionStore { return open(t).Sessions })
		},
	} {
		t.Run(port, func(t *testing.T) {
			t.Parallel()
			suite(t, open)
		})
	}
}

// world is what one check works on: an empty storage, and a clock and ids that
// go up by one step with every use.
type world struct {
	tester
	Stores
	made *atomic.Int64
}

// tester is the part of a test, plain or of rapid, that checks use. Fatalf is
// for the goroutine of the check only.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Context() context.Context
}

func run(t *testing.T, open func(*testing.T) Stores, checks map[string]func(*world)) {
	for what, check := range checks {
		t.Run(what, func(t *testing.T) {
			t.Parallel()
			check(&world{tester: t, Stores: open(t), made: new(atomic.Int64)})
		})
	}
}

// randomly calls check with random choices again and again, on one storage: so
// each call works on agents and departments of its own.
func (w *world) randomly(check func(*world, *rapid.T)) {
	rapid.Check(w.tester.(rapid.TB), func(t *rapid.T) {
		check(&world{tester: t, Stores: w.Stores, made: w.made}, t)
	})
}

// epoch has milliseconds, the finest step that stores keep.
var epoch = time.Date(2026, 3, 1, 12, 0, 0, 123e6, time.UTC)

// now returns a time that no other call returned, a millisecond or more after
// the last.
func (w *world) now() time.Time { return epoch.Add(time.Duration(w.made.Add(1)) * time.Millisecond) }

// id returns an id greater than all before.
func (w *world) id() string { return fmt.Sprintf("0190a5c4-0000-7000-8000-%012x", w.made.Add(1)) }

// wantErr checks that err is the sentinel want, or nil.
func (w *world) wantErr(call string, err, want error) {
	w.Helper()
	if !errors.Is(err, want) {
		w.Errorf("%s = %v, want %v", call, err, want)
	}
}

// wantSame checks that a step was refused as want says, word by word.
func (w *world) wantSame(call string, err, want error) {
	w.Helper()
	if fault.Of(err).Code != fault.Of(want).Code || fault.Of(err).Msg != fault.Of(want).Msg {
		w.Errorf("%s = %v, want %v", call, err, want)
	}
}

// wantNil ends the check at an error of a step that has to work.
func (w *world) wantNil(call string, err error) {
	w.Helper()
	if err != nil {
		w.Fatalf("%s = %v", call, err)
	}
}

// want compares what call returned with what it has to return; nil stands for
// an empty list.
func (w *world) want(call string, got, want any) {
	w.Helper()
	if want == nil && got != nil {
		want = reflect.Zero(reflect.TypeOf(got)).Interface()
	}
	if diff := compare(want, got); diff != "" {
		w.Errorf("%s (-want +got):\n%s", call, diff)
	}
}

// compare returns how two values differ that a port can tell apart: empty and
// nil lists are the same, times are in UTC.
func compare(want, got any) string {
	hasBytes := func(a, b []byte) bool { return len(a)+len(b) > 0 }
	return cmp.Diff(want, got, cmpopts.EquateEmpty(),
		cmp.FilterValues(hasBytes, cmp.Comparer(bytes.Equal)), // cmp itself takes seconds for a megabyte
		cmp.Comparer(func(a, b time.Time) bool { return a.Equal(b) && a.Location() == b.Location() }),
		cmp.Comparer(func(a, b jsondoc.Object) bool { return a.String() == b.String() }),
		cmp.Comparer(func(a, b ceremony.Policy) bool { return a.String() == b.String() }))
}

// walk reads a list to its end in pages of limit rows, as a client does. read
// gets the last row of the page before.
func walk[T any](w *world, limit int, read func(last *T) ([]T, error)) []T {
	w.Helper()
	const tooMany = 100_000
	var all []T
	var last *T
	for {
		rows, err := read(last)
		w.wantNil("reading a page", err)
		if len(rows) > limit {
			w.Fatalf("a page of at most %d rows has %d", limit, len(rows))
		}
		all = append(all, rows...)
		if len(all) > tooMany {
			w.Fatalf("a list has no end")
		}
		if len(rows) < limit {
			return all
		}
		last = &rows[len(rows)-1]
	}
}

// atOnce calls do n times at once and returns the errors in the order of the
// calls.
func atOnce(n int, do func(i int) error) []error {
	errs := make([]error, n)
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			errs[i] = do(i)
		})
	}
	close(start)
	all.Wait()
	return errs
}

// wantEach checks that every one of errs is nil or one of the sentinels, and
// returns how many are nil.
func (w *world) wantEach(call string, errs []error, allowed ...error) int {
	w.Helper()
	done := 0
	for _, err := range errs {
		ok := err == nil
		for _, sentinel := range allowed {
			ok = ok || errors.Is(err, sentinel)
		}
		if !ok {
			w.Errorf("%s = %v, want nil or one of %v", call, err, allowed)
		}
		if err == nil {
			done++
		}
	}
	return done
}

// must is for what only a mistake of the suite itself can make fail.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
