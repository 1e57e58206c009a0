// Package system takes time and randomness from the machine, and from the build which
// program this is.
package system

import (
	"crypto/rand"
	mathrand "math/rand/v2"
	"runtime/debug"
	"time"

	"github.com/google/uuid"

	"orgd/ports"
)

var (
	_ ports.Clock  = Clock{}
	_ ports.IDs    = IDs{}
	_ ports.Random = Random{}
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

// Random takes randomness from the machine. The zero value is ready to use.
type Random struct{}

// Key returns bytes that nobody can guess.
func (Random) Key() (key [32]byte) {
	rand.Read(key[:]) // never fails
	return key
}

// Fraction returns a number in [0, 1).
func (Random) Fraction() float64 { return mathrand.Float64() }

// version is set by a release: go build -ldflags "-X orgd/adapters/system.version=v1.2.3".
var version string

// Version returns the version of this program and the commit that it was built from,
// "unknown" if the build does not say. A commit of a tree with changes ends in
// " with changes".
func Version() (number, commit string) {
	number, commit = version, "unknown"
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return number, commit
	}
	if number == "" {
		number = info.Main.Version
	}
	modified := false
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			commit = s.Value
		case "vcs.modified":
			modified = s.Value == "true"
		}
	}
	if modified {
		commit += " with changes"
	}
	return number, commit
}
