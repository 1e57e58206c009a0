package name_test

import (
	"errors"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"orgd/domain/name"
)

// FuzzParse holds that a text is refused, or a name that is shown as it was
// written and is one name in every spelling that Unicode calls equivalent.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"Ann", " Zoë\t", "zoe\u0308", "Straße", "ΣΊΣΥΦΟΣ", "İ", "..", "a\u200db", "\xff"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		n, err := name.Parse(s)
		if err != nil {
			if !errors.Is(err, name.ErrInvalid) || n != (name.Name{}) {
				t.Errorf("Parse(%q) = %+v, %v, want no name and ErrInvalid", s, n, err)
			}
			return
		}
		if want := strings.TrimSpace(norm.NFC.String(s)); n.Text != want || n.Text == "" || utf8.RuneCountInString(n.Text) > name.MaxLength {
			t.Errorf("Parse(%q).Text = %q, want %q", s, n.Text, want)
		}
		isInvisible := func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) && r != '\u200c' && r != '\u200d' }
		if strings.ContainsFunc(n.Text, isInvisible) || strings.Trim(n.Text, "\u200c\u200d") != n.Text || n.Key == "" {
			t.Errorf("Parse(%q).Text = %q, which cannot be seen", s, n.Text)
		}
		for _, twin := range []string{n.Text, norm.NFD.String(n.Text), "\u3000" + n.Text + "\n"} {
			if again, err := name.Parse(twin); again != n || err != nil {
				t.Errorf("Parse(%q) = %+v, %v, want %+v", twin, again, err, n)
			}
		}
	})
}
