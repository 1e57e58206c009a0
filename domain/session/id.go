package session

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"unicode/utf8"

	"orgd/domain/fault"
	"orgd/domain/name"
)

const (
	maxID      = 128 // characters of a sid
	maxSubject = 256 // code points of the sub claim
	maxLabel   = 128 // code points
	separator  = "|" // between issuer and sub; own subjects do not contain it
)

var (
	// ErrID is a text that cannot be a session id.
	ErrID = fault.New(fault.RequestValidation, "not a session id")
	// ErrSubject is a text that cannot be the subject of a token.
	ErrSubject = fault.New(fault.RequestValidation, "not a subject")
	// ErrLabel is a text that cannot say what a session is for.
	ErrLabel = fault.New(fault.RequestValidation, "not a label")
	// ErrOwnSubject is a subject that could be mistaken for one of an external
	// issuer.
	ErrOwnSubject = fault.New(fault.RequestValidation, `subject: must not contain "|"`)
)

// ParseID reads a session id: 1 to 128 visible ASCII characters, and neither
// "." nor "..", which URLs resolve away. It returns [ErrID] for anything else.
// A well-formed id need not belong to a known session.
func ParseID(s string) (string, error) {
	if problem := name.CheckASCII(s, maxID); problem != "" {
		return "", ErrID.With("sid: %s", problem)
	}
	if s == "." || s == ".." {
		return "", ErrID.With(`sid: must not be "." or ".."`)
	}
	return s, nil
}

// ParseSubject reads the sub claim of a token: 1 to 256 code points of UTF-8
// without control and format characters and without surrounding white space.
// It returns [ErrSubject] for anything else.
func ParseSubject(s string) (string, error) {
	if problem := CheckSubject(s); problem != "" {
		return "", ErrSubject.With("subject: %s", problem)
	}
	return s, nil
}

// CheckSubject returns what is wrong with a subject, "" if nothing.
func CheckSubject(s string) string { return CheckText(s, maxSubject) }

// ParseLabel reads what a session is for: 1 to 128 code points with the rules of
// [ParseSubject]. It returns [ErrLabel] for anything else.
func ParseLabel(s string) (string, error) {
	if problem := CheckText(s, maxLabel); problem != "" {
		return "", ErrLabel.With("label: %s", problem)
	}
	return s, nil
}

// CheckText returns what is wrong with a subject, or another text of one line, of 1 to max
// code points, "" if nothing.
func CheckText(s string, max int) string {
	n := utf8.RuneCountInString(s)
	switch {
	case n > max:
		return fmt.Sprintf("must be 1 to %d characters, it has %d", max, n)
	case n < 1 || !utf8.ValidString(s) || s != strings.TrimSpace(s):
		return fmt.Sprintf("must be 1 to %d characters, without control characters and surrounding white space", max)
	}
	if what, ok := name.Invisible(s); ok {
		return "must not contain " + what
	}
	return ""
}

// ParseOwnSubject reads the subject of a token that this service issues: as
// [ParseSubject], and without "|", or it returns [ErrOwnSubject].
func ParseOwnSubject(s string) (string, error) {
	s, err := ParseSubject(s)
	if err != nil {
		return "", err
	}
	if isExternal(s) {
		return "", ErrOwnSubject
	}
	return s, nil
}

// ParseSubject reads the subject in a token of this service for a session that began so: as
// [ParseOwnSubject], and for somebody who has signed in also what [Subject] makes.
func (k Kind) ParseSubject(s string) (string, error) {
	issuer, sub, external := strings.Cut(s, separator)
	if k != BySignIn || !external {
		return ParseOwnSubject(s)
	}
	sub, err := ParseSubject(sub)
	return Subject(issuer, sub), err
}

// Subject returns who the limits and the audit trail count for a token of an
// external issuer. Two issuers never share a subject, and no own token has one
// of theirs.
func Subject(issuer, sub string) string { return issuer + separator + sub }

// NameOf is what people call somebody. The subject that an external issuer has named is an
// address and an id, and the label is what the issuer calls that person.
func NameOf(subject, label string) string {
	if label != "" && isExternal(subject) {
		return label
	}
	return subject
}

// isExternal reports whether an external issuer has named a subject.
func isExternal(subject string) bool { return strings.Contains(subject, separator) }

// ExternalID returns the session id of a token of an external issuer: a hash of
// issuer, sub and a mark that sets the session apart, such as the token's sid.
// It is never the id of another issuer's session, nor of one of ours.
func ExternalID(issuer, sub, mark string) string {
	h := sha256.New()
	for _, part := range []string{issuer, sub, mark} {
		fmt.Fprintf(h, "%d:%s", len(part), part) // lengths keep ("a","bc") and ("ab","c") apart
	}
	return hex.EncodeToString(h.Sum(nil))
}
