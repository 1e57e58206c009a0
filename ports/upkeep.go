package ports

import (
	"context"
	"time"
)

// Expiry says up to when each kind of record has had its time: what is older
// goes, what has exactly that time stays, and a zero time keeps everything.
type Expiry struct {
	Events     time.Time // of runtime types; lifecycle events stay for ever
	Audit      time.Time
	Receipts   time.Time
	Deliveries time.Time // to webhooks, whatever came of them
	Now        time.Time // sessions and revocations that end at or before it
}

// Storage is what the process needs from its storage as a whole. Every
// implementation passes portstest.Storage.
type Storage interface {
	// Ping returns nil if the storage answers and has the schema that this
	// program needs. Otherwise it returns ErrUnavailable, in at most a second.
	Ping(ctx context.Context) error

	// Forget removes a bounded number of records that have had their time and
	// reports whether there may be more.
	Forget(ctx context.Context, e Expiry) (more bool, err error)
}
