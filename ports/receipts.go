package ports

import (
	"context"
	"time"

	"orgd/domain/receipt"
)

// Claim is a request's hold on an idempotency key while it runs.
type Claim struct {
	Key         receipt.Key
	Fingerprint string
	Owner       string // unique to the request
	At          time.Time
}

// Receipts keeps the receipts of requests with an Idempotency-Key and the
// claims of those that still run. The stores of changes write the receipts.
// Every implementation passes portstest.Receipts.
type Receipts interface {
	// Claim holds a key for a request that begins at c.At. It returns nil if
	// the key is free: never used, its receipt older than receipt.Kept, or its
	// claim older than receipt.Lease and without receipt. It returns the
	// receipt if there is one. It returns receipt.ErrRunning if another request
	// holds the key with the same fingerprint, receipt.ErrReused if with
	// another one. Of several requests at once exactly one gets the key. With
	// any error it holds nothing, as long as the storage answers, also if ctx
	// ends while it works.
	Claim(ctx context.Context, c Claim) (*receipt.Receipt, error)

	// Renew holds a key that c holds for a lease that begins at the time at, for
	// a request that takes longer than one. It returns receipt.ErrRunning if c
	// does not hold the key any more.
	Renew(ctx context.Context, c Claim, at time.Time) error

	// Release gives a key back that c holds and left no receipt for. It does
	// nothing if somebody else has taken over since.
	Release(ctx context.Context, c Claim) error
}
