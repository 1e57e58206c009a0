package ports

import (
	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/domain/revision"
)

// Change is one change of a T.
type Change[T interface{ Tag() revision.Tag }] struct {
	State   T     // after the change; of a deletion, as it was last
	From    int64 // the revision before; 0 of something new
	Deleted bool
	Trail
}

// Effective reports whether the change changes anything.
func (c Change[T]) Effective() bool { return c.Deleted || c.From != c.State.Tag().Revision }

// Trail is what a store writes in the commit of a change: its audit entry and its
// idempotency record. A change without effect stores the record alone.
type Trail struct {
	Audit audit.Entry
	// Idempotency is nil if the request had no Idempotency-Key. If its key has a
	// record already, another attempt of the same request was faster: the store
	// keeps neither the change nor the trail and returns idempotency.ErrRunning.
	Idempotency *idempotency.Record
}
