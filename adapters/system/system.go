// Package system takes time and randomness from the machine.
package system

import (
	"time"

	"github.com/google/uuid"

	"orgd/ports"
)

var (
	_ ports.Clock = Clock{}
	_ ports.IDs   = IDs{}
)

// Clock is the machine's wall clock. The zero value is ready to use.
type Clock struct{}

// Now returns the time in UTC, cut to milliseconds.
func (Clock) Now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }

// IDs makes identifiers from the time and randomness. The zero value is ready
// to use.
type IDs struct{}

// NewID returns a UUIDv7 in lower-case text form, greater than every one that
// this process made before, also if the wall clock was set back meanwhile.
func (IDs) NewID() string {
	// Must never panics: since Go 1.24 the system's randomness cannot fail.
	return uuid.Must(uuid.NewV7()).String()
}
