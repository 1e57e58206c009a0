// Package label holds the rules for the names of labels, which name versions of agents.
package label

import (
	"strings"

	"orgd/domain/fault"
)

const (
	// Latest is the label that always names the newest version. It is computed, so no agent
	// has it.
	Latest = "latest"
	// MaxLength bounds the name of a label, in characters.
	MaxLength = 63
)

// ErrInvalid is a text that names no label, or none that can be set.
var ErrInvalid = fault.New(fault.RequestValidation, "not the name of a label")

// Parse returns the name of a label, which may be [Latest].
func Parse(text string) (string, error) {
	if text == "" || len(text) > MaxLength || text[0] < 'a' || text[0] > 'z' || strings.ContainsFunc(text, IsForeign) {
		return "", ErrInvalid.With("must be the name of a label: a small letter, and at most %d small letters, digits and . _ - behind it", MaxLength-1)
	}
	return text, nil
}

// IsForeign reports whether no label has the character.
func IsForeign(r rune) bool {
	return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '.' && r != '_' && r != '-'
}

// ParseSettable is [Parse] of a label that can be set, which [Latest] cannot.
func ParseSettable(text string) (string, error) {
	if text == Latest {
		return "", ErrInvalid.With("must not be %s: that always names the newest version, so it is never set or removed and has no history", Latest)
	}
	return Parse(text)
}
