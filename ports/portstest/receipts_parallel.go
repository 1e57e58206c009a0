package portstest

import (
	"errors"
	"fmt"
	"time"

	"orgd/domain/receipt"
)

func receiptTakeOver(w *world) {
	w.wantClaim(w.claim("a", epoch), nil, nil)
	w.wantClaim(w.claim("a", epoch.Add(receipt.Lease)), nil, receipt.ErrRunning)
	second := w.claim("a", epoch.Add(receipt.Lease+time.Millisecond))
	second.Fingerprint = "another" // the first never happened
	w.wantClaim(second, nil, nil)
	third := w.claim("a", second.At.Add(receipt.Lease))
	w.wantClaim(third, nil, receipt.ErrReused)
}

// receiptTakenOver lets the first request end after it was taken for dead: one
// of the two counts.
func receiptTakenOver(w *world) {
	first := w.claim("a", epoch)
	w.wantClaim(first, nil, nil)
	second := w.claim("a", epoch.Add(time.Minute))
	w.wantClaim(second, nil, nil)
	r := w.receipt("a")
	r.At = first.At
	w.wantNil("the change of the first", w.finish(r))
	late := w.receipt("a")
	late.At = second.At
	w.wantErr("the change of the second", w.finish(late), receipt.ErrRunning)
	w.wantNil("Release by the second", w.Receipts.Release(w.Context(), second))
	w.wantClaim(w.claim("a", epoch.Add(2*time.Minute)), r, nil)
}

func receiptParallel(w *world) {
	for i := range rounds {
		k := fmt.Sprint("key ", i)
		errs := atOnce(crowd, func(int) error {
			_, err := w.Receipts.Claim(w.Context(), w.claim(k, epoch))
			return err
		})
		if n := w.wantEach("Claim", errs, receipt.ErrRunning); n != 1 {
			w.Errorf("%d requests got one key, want 1", n)
		}
	}
}

func receiptParallelTakeOver(w *world) {
	for i := range rounds {
		k := fmt.Sprint("key ", i)
		w.wantClaim(w.claim(k, epoch), nil, nil)
		errs := atOnce(crowd, func(int) error {
			_, err := w.Receipts.Claim(w.Context(), w.claim(k, epoch.Add(time.Minute)))
			return err
		})
		if n := w.wantEach("Claim", errs, receipt.ErrRunning); n != 1 {
			w.Errorf("%d requests took one key over, want 1", n)
		}
	}
}

// receiptAttempts is a client that repeats one request until it is answered, on
// several connections at once.
func receiptAttempts(w *world) {
	before := w.company().Revision
	errs := atOnce(crowd, func(int) error {
		for {
			c := w.claim("a", epoch)
			r, err := w.Receipts.Claim(w.Context(), c)
			if r != nil {
				return nil
			}
			if err == nil {
				return w.finish(&receipt.Receipt{Key: c.Key, Fingerprint: c.Fingerprint, At: c.At})
			}
			if !errors.Is(err, receipt.ErrRunning) {
				return err
			}
		}
	})
	w.wantEach("a request with a key", errs)
	w.want("the revision", w.company().Revision, before+1)
}
