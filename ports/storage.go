package ports

import (
	"context"
	"time"

	"orgd/domain/fault"
)

// Stores are the ports of one storage, all of which see what each has stored.
type Stores struct {
	Agents      AgentStore
	Identities  IdentityLog
	Departments DepartmentStore
	Company     CompanyStore
	Projects    ProjectStore
	Activities  ActivityLog
	Stream      EventStream
	Measures    Measures
	Audit       AuditLog
	Idempotency IdempotencyStore
	Sessions    SessionStore
	Webhooks    WebhookStore
	Outbox      Outbox
	Archive     Archive
	Storage     Storage
}

// Expiry says up to when records of each kind are expired: older ones are deleted,
// those of exactly that time stay, and a zero time keeps everything.
type Expiry struct {
	Events      time.Time // of runtime types; lifecycle events stay for ever
	Audit       time.Time
	Idempotency time.Time
	Deliveries  time.Time // to webhooks, whatever came of them
	Now         time.Time // sessions, revocations and sign-in links that end at or before it
}

// Storage is what the process needs from its storage as a whole. Every
// implementation passes portstest.Storage.
type Storage interface {
	// Ping returns nil if the storage answers and has the schema that this
	// program needs. Otherwise it returns ErrUnavailable, in at most a second.
	Ping(ctx context.Context) error

	// Incarnation names the history that revisions and versions count in, as Ping has found it
	// last. A restore begins another one, in which the same numbers name other contents.
	Incarnation() string

	// DeleteExpired deletes a bounded number of expired records, and of what is left of
	// agents that were purged, and reports whether more may be left.
	DeleteExpired(ctx context.Context, e Expiry) (more bool, err error)
}

// What every store answers when it, and not a rule, stands in the way. A store
// adds what happened with Because; the cause is for the log only.
var (
	// ErrUnavailable says that the storage cannot be reached, did not answer in
	// time, or is draining. A write that ends with it may have been applied
	// unless its message says that it was not.
	ErrUnavailable = fault.New(fault.Unavailable, "the storage is unavailable")

	// ErrStorage says that the storage answered and failed: a full disk, a
	// damaged file, a refused operation.
	ErrStorage = fault.New(fault.Persistence, "the storage failed")
)
