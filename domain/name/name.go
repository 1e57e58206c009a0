// Package name holds the rules for names that people give: which texts are
// names, how a name is shown, and when two names are the same name.
//
// U+200C and U+200D, the joiners that Persian and emoji are written with, may stand inside a
// name. They are left out of its key, because they cannot be seen.
package name

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

// MaxLength is the greatest length of a name in code points, unless a resource
// says otherwise.
const MaxLength = 128

// ErrInvalid is returned for a text that is not a name. Its occurrences say
// why, as a sentence about "the name".
var ErrInvalid = fault.New(fault.RequestValidation, "the name is not valid")

// Key is what a name is compared, sorted and stored by: two names are the same
// name when their keys are equal byte by byte. It is the NFC form of the full
// case folding of the name's text without joiners.
type Key string

// Name is a name that satisfies the rules. The zero value is no name.
type Name struct {
	Text string // as written, in NFC, without surrounding white space
	Key  Key
}

// String is the name as written.
func (n Name) String() string { return n.Text }

// Clone is the key in memory of its own. A key that is kept for long would
// otherwise keep the whole text that it was read from.
func (k Key) Clone() Key { return Key(strings.Clone(string(k))) }

// Clone is the name in memory of its own, as [Key.Clone] is. Text and key share it if
// they are equal.
func (n Name) Clone() Name {
	text := strings.Clone(n.Text)
	if text == string(n.Key) {
		return Name{Text: text, Key: Key(text)}
	}
	return Name{Text: text, Key: n.Key.Clone()}
}

// Parse reads a name of at most [MaxLength] code points. See [ParseMax].
func Parse(s string) (Name, error) { return ParseMax(s, MaxLength) }

// KeyOf returns the key of a text that was a name where it comes from. If it is not one here,
// because a newer service has other rules, it is its own key.
func KeyOf(s string) Key {
	n, err := Parse(s)
	if err != nil {
		return Key(s)
	}
	return n.Key
}

// ParseMax reads a name of 1 to max code points. The length counts after NFC
// normalization and after removing surrounding white space. It returns an
// occurrence of [ErrInvalid] for a text that is empty, too long or not UTF-8,
// contains control or format characters other than joiners inside, is "." or ".."
// (which URLs resolve away), or looks like an identifier (see [IsUUID]).
func ParseMax(s string, max int) (Name, error) {
	text, bare, reason := clean(s, max)
	if reason != "" {
		return Name{}, ErrInvalid.With("the name %s", reason)
	}
	return Name{Text: text, Key: fold(bare)}, nil
}

// ParsePrefix reads the beginning of a name of at most [MaxLength] code points and
// returns what the keys of such names begin with. It returns an occurrence of
// [ErrInvalid] for what no name begins with. Names may begin with dots, and with
// an identifier.
func ParsePrefix(s string) (Key, error) {
	_, bare, reason := cleanText(s, MaxLength)
	if reason != "" {
		return "", ErrInvalid.With("the beginning of a name %s", reason)
	}
	return fold(bare), nil
}

// clean returns the text of a name, and the same without joiners, or the reason why s is
// not one.
func clean(s string, max int) (text, bare, reason string) {
	text, bare, reason = cleanText(s, max)
	switch last, _ := utf8.DecodeLastRuneInString(text); {
	case reason != "":
		return "", "", reason
	case isJoiner(last):
		return "", "", fmt.Sprintf("must not end with %U", last)
	case bare == "." || bare == "..":
		return "", "", `must not be "." or ".."`
	case IsUUID(bare):
		return "", "", "must not have the form of a UUID"
	}
	return text, bare, ""
}

// cleanText does the same for a text that may be the beginning of a name.
func cleanText(s string, max int) (text, bare, reason string) {
	if !utf8.ValidString(s) {
		return "", "", "must be valid UTF-8"
	}
	text, ok := normalize(s)
	text = strings.TrimSpace(text)
	bare, bareOK := normalize(strings.Map(withoutJoiners, text))
	first, _ := utf8.DecodeRuneInString(text)
	switch {
	case !ok || !bareOK:
		return "", "", "must not contain more than 30 combining marks in a row"
	case text == "":
		return "", "", "must not be empty"
	case utf8.RuneCountInString(text) > max:
		return "", "", fmt.Sprintf("must not be longer than %d characters, it has %d", max, utf8.RuneCountInString(text))
	case isJoiner(first):
		return "", "", fmt.Sprintf("must not begin with %U", first)
	}
	if what, ok := Invisible(bare); ok {
		return "", "", "must not contain " + what
	}
	return text, bare, ""
}

// Invisible names the first character of s that cannot be seen and has no place in a line of
// text, by its code point. It reports false if there is none.
func Invisible(s string) (what string, ok bool) {
	for _, r := range s {
		switch {
		case unicode.IsControl(r):
			return fmt.Sprintf("the control character %U", r), true
		case unicode.Is(unicode.Cf, r):
			return fmt.Sprintf("the invisible format character %U", r), true
		}
	}
	return "", false
}

// CheckASCII returns what is wrong with a text that has to be 1 to max characters of
// visible ASCII, or "".
func CheckASCII(s string, max int) string {
	for _, r := range s {
		if r <= ' ' || r > '~' {
			return fmt.Sprintf("must be 1 to %d visible ASCII characters, without %U", max, r)
		}
	}
	if len(s) < 1 || len(s) > max {
		return fmt.Sprintf("must be 1 to %d visible ASCII characters, it has %d", max, len(s))
	}
	return ""
}

// isJoiner reports whether r is ZERO WIDTH NON-JOINER or ZERO WIDTH JOINER.
func isJoiner(r rune) bool { return r == '\u200c' || r == '\u200d' }

// withoutJoiners is for [strings.Map].
func withoutJoiners(r rune) rune {
	if isJoiner(r) {
		return -1
	}
	return r
}

// fold computes the key of a cleaned text.
func fold(text string) Key {
	if isASCII(text) {
		return Key(strings.ToLower(text))
	}
	folded := cases.Fold().String(text)
	if folded == text {
		return Key(text) // which is in NFC
	}
	return Key(norm.NFC.String(folded))
}

// normalize returns the NFC form of s. It reports false where the normalizer
// would break up a long run of combining marks with joiners of its own: the
// result would no longer be what was written.
func normalize(s string) (string, bool) {
	if isASCII(s) {
		return s, true
	}
	const joiner = "\u034f" // COMBINING GRAPHEME JOINER
	n := norm.NFC.String(s)
	return n, strings.Count(n, joiner) == strings.Count(s, joiner)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// IsUUID reports whether s has the text form of a UUID: 8-4-4-4-12 hexadecimal
// digits of any letter case. Wherever a name or an identifier is accepted, such
// a text is an identifier.
func IsUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; {
		case i == 8 || i == 13 || i == 18 || i == 23:
			if c != '-' {
				return false
			}
		case !isHex(c):
			return false
		}
	}
	return true
}

func isHex(c byte) bool {
	return '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || 'A' <= c && c <= 'F'
}

// Read reads the name in the member field, of at most max code points, into
// dst. An absent member leaves dst as it is; a wrong one is recorded in r.
func Read(r *jsondoc.Reader, field string, dst *Name, max int) {
	v, ok := r.Raw(field)
	if !ok {
		return
	}
	if v.Kind() != jsondoc.KindString {
		var text string
		r.Text(field, &text, 0, max) // says what is wrong
		return
	}
	n, err := ParseMax(v.Text(), max)
	if err != nil {
		r.Fail(field, "%s", err)
		return
	}
	*dst = n
}
