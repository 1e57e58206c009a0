package ports

import (
	"context"
	"time"
)

// Expiry says up to when records of each kind are expired: older ones are deleted,
// those of exactly that time stay, and a zero time keeps everything.
type Expiry struct {
	Events      time.Time // of runtime types; lifecycle events stay for ever
	Audit       time.Time
	Idempotency time.Time
	Deliveries  time.Time // to webhooks, whatever came of them
	Now         time.Time // sessions and revocations that end at or before it
}

// Storage is what the process needs from its storage as a whole. Every
// implementation passes portstest.Storage.
type Storage interface {
	// Ping returns nil if the storage answers and has the schema that this
	// program needs. Otherwise it returns ErrUnavailable, in at most a second.
	Ping(ctx context.Context) error

	// DeleteExpired deletes a bounded number of expired records and reports whether
	// more may be left.
	DeleteExpired(ctx context.Context, e Expiry) (more bool, err error)
}
