package portstest

import (
	"errors"
	"fmt"
	"time"

	"orgd/domain/idempotency"
)

func lockTakeOver(w *world) {
	w.wantLock(w.lock("a", epoch), nil, nil)
	w.wantLock(w.lock("a", epoch.Add(idempotency.Lease)), nil, idempotency.ErrRunning)
	second := w.lock("a", epoch.Add(idempotency.Lease+time.Millisecond))
	second.Fingerprint = "another" // the first never happened
	w.wantLock(second, nil, nil)
	third := w.lock("a", second.At.Add(idempotency.Lease))
	w.wantLock(third, nil, idempotency.ErrReused)
}

// lockTakenOver lets the first request end after it was taken for dead: one
// of the two counts.
func lockTakenOver(w *world) {
	first := w.lock("a", epoch)
	w.wantLock(first, nil, nil)
	second := w.lock("a", epoch.Add(time.Minute))
	w.wantLock(second, nil, nil)
	r := w.newRecord("a")
	r.At = first.At
	w.wantNil("the change of the first", w.finish(r))
	late := w.newRecord("a")
	late.At = second.At
	w.wantErr("the change of the second", w.finish(late), idempotency.ErrRunning)
	w.wantNil("Release by the second", w.Idempotency.Release(w.Context(), second))
	w.wantLock(w.lock("a", epoch.Add(2*time.Minute)), r, nil)
}

func lockParallel(w *world) {
	for i := range rounds {
		k := fmt.Sprint("key ", i)
		errs := atOnce(crowd, func(int) error {
			_, err := w.Idempotency.Lock(w.Context(), w.lock(k, epoch))
			return err
		})
		if n := w.wantEach("Lock", errs, idempotency.ErrRunning); n != 1 {
			w.Errorf("%d requests got one key, want 1", n)
		}
	}
}

func lockParallelTakeOver(w *world) {
	for i := range rounds {
		k := fmt.Sprint("key ", i)
		w.wantLock(w.lock(k, epoch), nil, nil)
		errs := atOnce(crowd, func(int) error {
			_, err := w.Idempotency.Lock(w.Context(), w.lock(k, epoch.Add(time.Minute)))
			return err
		})
		if n := w.wantEach("Lock", errs, idempotency.ErrRunning); n != 1 {
			w.Errorf("%d requests took one key over, want 1", n)
		}
	}
}

// lockAttempts is a client that repeats one request until it is answered, on
// several connections at once.
func lockAttempts(w *world) {
	before := w.company().Revision
	errs := atOnce(crowd, func(int) error {
		for {
			c := w.lock("a", epoch)
			r, err := w.Idempotency.Lock(w.Context(), c)
			if r != nil {
				return nil
			}
			if err == nil {
				return w.finish(&idempotency.Record{Key: c.Key, Fingerprint: c.Fingerprint, At: c.At})
			}
			if !errors.Is(err, idempotency.ErrRunning) {
				return err
			}
		}
	})
	w.wantEach("a request with a key", errs)
	w.want("the revision", w.company().Revision, before+1)
}
