package ports

import (
	"context"
	"time"

	"orgd/domain/idempotency"
)

// IdempotencyStore keeps the idempotency records of requests and the locks of
// those that still run. The stores of changes write the records. Every
// implementation passes portstest.Idempotency.
type IdempotencyStore interface {
	// Lock locks a key for a request that begins at l.At. It returns nil if the
	// key is free: never used, its record older than idempotency.Kept, or its lock
	// older than idempotency.Lease and without record. It returns the record if
	// there is one. It returns idempotency.ErrRunning if another request holds the
	// key with the same fingerprint, idempotency.ErrReused if with another one. Of
	// several requests at once exactly one gets the key. With any error the key is
	// not locked, as long as the storage answers, also if ctx ends meanwhile.
	Lock(ctx context.Context, l idempotency.Lock) (*idempotency.Record, error)

	// Renew extends the lock l: its lease begins again at the time at. It returns
	// idempotency.ErrRunning if l does not hold the key any more.
	Renew(ctx context.Context, l idempotency.Lock, at time.Time) error

	// Release removes the lock l, which left no record. It does nothing if another
	// request has taken over since.
	Release(ctx context.Context, l idempotency.Lock) error

	// DeleteReplies removes the replies that have one of some texts, see idempotency.Reply.Tells: such a record keeps
	// its key, with the zero Reply. It looks at every record, and holds up no change meanwhile.
	DeleteReplies(ctx context.Context, texts []string) error
}
