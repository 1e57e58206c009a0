// Package system takes time and randomness from the machine, and from the build which
// program this is.
package system

import (
	"cmp"
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

// A build that knows no Git, as that of an image, sets these:
// go build -ldflags "-X orgd/adapters/system.version=v1.2.3".
var version, commit, committed string

// Build says which program this is.
type Build struct {
	Version string
	// Commit is what the program was built from, "unknown" if the build does not say.
	// It ends in " with changes" if the tree had any.
	Commit    string
	Committed string // when, in RFC 3339; empty if the build does not say
}

// ThisBuild returns what the build says of this program.
func ThisBuild() Build {
	b := Build{version, commit, committed}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		info = &debug.BuildInfo{}
	}
	settings := map[string]string{}
	for _, s := range info.Settings {
		settings[s.Key] = s.Value
	}
	b.Version = cmp.Or(b.Version, info.Main.Version)
	if b.Commit == "" {
		b.Commit = cmp.Or(settings["vcs.revision"], "unknown")
		if settings["vcs.modified"] == "true" {
			b.Commit += " with changes"
		}
	}
	b.Committed = cmp.Or(b.Committed, settings["vcs.time"])
	return b
}
