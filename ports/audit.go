package ports

import (
	"context"
	"time"

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
}

// AuditPage is a part of the trail in the order of the log.
type AuditPage struct {
	Entries []audit.Entry
	Next    activity.Seq
	More    bool
}

// AuditLease is how long a claim to write the trail holds.
const AuditLease = 10 * time.Second

// AuditProgress keeps how far the trail was written for others to read, and which of
// several processes writes it. Every implementation passes portstest.AuditProgress.
type AuditProgress interface {
	// Claim makes a writer the one who writes, for AuditLease, unless another one is. It
	// reports whether that is so, and how far the trail was written; nil means that
	// nothing was kept yet.
	Claim(ctx context.Context, writer string) (written *Written, ours bool, err error)

	// Keep stores how far a writer has written, and makes its claim hold anew. If the
	// writer is not the one who writes, it stores nothing and reports false.
	Keep(ctx context.Context, writer string, w Written) (ours bool, err error)
}

// Written says how far the trail was written.
type Written struct {
	UpTo activity.Seq // in the log
	// At is when: what was committed before, by the clocks of all processes, is written.
	At time.Time
}
