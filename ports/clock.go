package ports

import "time"

// Clock returns the time.
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

// Random makes what nobody can foresee.
type Random interface {
	// Key returns bytes that nobody can guess.
	Key() [32]byte
	// Fraction returns a number in [0, 1). It is no secret.
	Fraction() float64
}
