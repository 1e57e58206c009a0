package ports

import (
	"context"

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
}
