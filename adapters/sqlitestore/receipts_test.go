package sqlitestore

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/domain/receipt"
	"orgd/ports"
	"orgd/ports/portstest"
)

// A receipt is as durable as the change it belongs to; a claim ends with its
// process.
func TestReceiptsOutliveTheProcess(t *testing.T) {
	dir := t.TempDir()
	ctx := context.Background()
	var made *receipt.Receipt
	claim := func(o *org, key receipt.Key) ports.Claim {
		return ports.Claim{Key: key, Fingerprint: "f", Owner: o.id(), At: o.now()}
	}
	t.Run("First", func(t *testing.T) {
		o := openOrg(t, dir)
		o.found("Sales")
		receipts := o.db.receipts
		for _, key := range []receipt.Key{"done", "died"} {
			kept, err := receipts.Claim(ctx, claim(o, key))
			if kept != nil || err != nil {
				t.Fatalf("Claim(%s) = %v, %v, want the key", key, kept, err)
			}
		}
		s := o.hiring("Ann", "Sales", 0)
		made = &receipt.Receipt{
			Key: "done", Fingerprint: "f", At: o.now(),
			Reply: &receipt.Reply{Status: 201, Body: []byte("\x00{}"), ETag: `"1"`, Location: "/x"},
		}
		s.Receipt = made
		o.check(portstest.Hire(ctx, o.agents, s))
	})
	o := openOrg(t, dir)
	o.made.Store(1000)
	receipts := o.db.receipts
	got, err := receipts.Claim(ctx, claim(o, "done"))
	if diff := cmp.Diff(made, got); err != nil || diff != "" {
		t.Errorf("Claim(done) = %v (-want +got):\n%s", err, diff)
	}
	if got, err := receipts.Claim(ctx, claim(o, "died")); got != nil || err != nil {
		t.Errorf("Claim(died) = %v, %v, want the key", got, err)
	}
	if _, err := receipts.Claim(ctx, claim(o, "died")); !errors.Is(err, receipt.ErrRunning) {
		t.Errorf("Claim(died) by another = %v, want ErrRunning", err)
	}
}

// Claims leave nothing behind.
func TestClaimsAreForgotten(t *testing.T) {
	o := openOrg(t, t.TempDir())
	o.found("Sales")
	receipts := o.db.receipts
	ctx := context.Background()
	var won atomic.Int64
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			c := ports.Claim{Key: "k", Fingerprint: "f", Owner: fmt.Sprint(i), At: o.now()}
			kept, err := receipts.Claim(ctx, c)
			if err == nil && kept == nil {
				won.Add(1)
				s := o.hiring("Ann", "Sales", 0)
				s.Receipt = &receipt.Receipt{Key: "k", Fingerprint: "f", At: c.At}
				o.check(portstest.Hire(ctx, o.agents, s))
			}
			o.check(receipts.Release(ctx, c))
		})
	}
	wg.Wait()
	if won.Load() != 1 || len(receipts.claims) != 0 {
		t.Errorf("%d requests won and %d claims are left, want 1 and 0", won.Load(), len(receipts.claims))
	}
}
