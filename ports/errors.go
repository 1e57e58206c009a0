package ports

import "orgd/domain/fault"

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
