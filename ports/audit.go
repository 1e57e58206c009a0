package ports

import (
	"context"

	"orgd/domain/activity"
	"orgd/domain/audit"
)

// AuditLog reads the trail that changes leave; the stores of the changes write
// it. Every implementation passes portstest.AuditLog.
type AuditLog interface {
	// Entries returns the entries that q selects, the newest first, ties by
	// descending id.
	Entries(ctx context.Context, q audit.Query) ([]audit.Entry, error)

	// Changes returns those of some entries that are stored and in the change log, by
	// their ids.
	Changes(ctx context.Context, at []audit.Position) (map[string]audit.Entry, error)

	// After returns the first entries behind a position, at most limit, in the order
	// of their commits. Every entry has its place in the log that EventStream reads, so
	// positions are those of EventStream.Head, and Next, More and activity.ErrTooOld
	// mean what they mean there. Entries that were stored before the log had a place
	// for them are not found.
	After(ctx context.Context, position activity.Seq, limit int) (AuditPage, error)

	// From returns the first entries behind a position of the trail, at most limit, the
	// oldest first, ties by id: the opposite of the order of Entries.
	From(ctx context.Context, position audit.Position, limit int) ([]audit.Entry, error)

	// OnCommit has f called with the entries of what this process commits, after the commit
	// and before the change is answered: those of one resource in order, each once. It is not
	// called for what [Archive] stores, nor for a commit of which is not known whether it was
	// made. f must not wait. Call OnCommit at most once, before the first change.
	OnCommit(f func([]audit.Entry))
}

// AuditPage is a part of the trail in the order of the log.
type AuditPage struct {
	Entries []audit.Entry
	Next    activity.Seq
	More    bool
}
