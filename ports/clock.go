package ports

import "time"

// Clock tells the time.
type Clock interface {
	// Now returns the time in UTC, cut to milliseconds, the finest step that
	// every store keeps.
	Now() time.Time
}

// IDs makes identifiers.
type IDs interface {
	// NewID returns a UUIDv7 in lower-case text form. The ids that one process
	// makes ascend.
	NewID() string
}
