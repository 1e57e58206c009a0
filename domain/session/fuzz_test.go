package session_test

import (
	"errors"
	"net/url"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"orgd/domain/session"
)

// FuzzParseID holds that an id of a session is refused, or can be named in a path
// and comes back from there.
func FuzzParseID(f *testing.F) {
	for _, s := range []string{"s1", "0190a5c4-0000-7000-8000-00000000000a", ".", "..", "a/b", "a b", "%2F", "ä", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		id, err := session.ParseID(s)
		if err != nil {
			if !errors.Is(err, session.ErrID) || id != "" {
				t.Errorf("ParseID(%q) = %q, %v, want ErrID", s, id, err)
			}
			return
		}
		if back, err := url.PathUnescape(url.PathEscape(id)); id != s || back != s || err != nil {
			t.Errorf("ParseID(%q) = %q, by a path %q, %v", s, id, back, err)
		}
	})
}

// FuzzParseLabel holds that a label is refused, or is text of one line that comes back.
func FuzzParseLabel(f *testing.F) {
	for _, s := range []string{"nightly reports", " x", "a\nb", "a\u202eb", "\xff", "\u2028", "ä", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		label, err := session.ParseLabel(s)
		if err != nil {
			if !errors.Is(err, session.ErrLabel) || label != "" {
				t.Errorf("ParseLabel(%q) = %q, %v, want ErrLabel", s, label, err)
			}
			return
		}
		if n := utf8.RuneCountInString(label); label != s || n < 1 || n > 128 || !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
			t.Errorf("ParseLabel(%q) = %q, want it refused", s, label)
		}
	})
}
