package name_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"orgd/domain/fault"
	"orgd/domain/name"
)

func TestParse(t *testing.T) {
	for _, tc := range []struct {
		label, in, text string
		key             name.Key
	}{
		{"plain", "alice", "alice", "alice"},
		{"case is kept and folded", "Alice B", "Alice B", "alice b"},
		{"trimmed", " \t\nalice\u00a0\u2003\u0085", "alice", "alice"},
		{"inner white space stays", "a  b", "a  b", "a  b"},
		{"NFD becomes NFC", "Cafe\u0301", "Caf\u00e9", "caf\u00e9"},
		{"full folding", "Straße", "Straße", "strasse"},
		{"final sigma", "ΟΔΟΣ", "ΟΔΟΣ", "οδοσ"},
		{"dotted capital I", "İ", "İ", "i̇"},
		{"Turkish dotless i is another letter", "ı", "ı", "ı"},
		{"ligature", "ﬁ", "ﬁ", "fi"},
		{"Kelvin sign", "\u212a", "K", "k"},
		{"Cherokee folds to upper case", "ꭰ", "ꭰ", "Ꭰ"},
		{"Hangul jamo compose", "\u1112\u1161\u11ab", "한", "한"},
		{"data, not an operator", "$where", "$where", "$where"},
		{"slash, dot, percent", "a.b/c%2F", "a.b/c%2F", "a.b/c%2f"},
		{"three dots", "...", "...", "..."},
		{"non-joiner inside", "می\u200cخواهم", "می\u200cخواهم", "میخواهم"},
		{"emoji of several", "👩\u200d👩\u200d👧 Family", "👩\u200d👩\u200d👧 Family", "👩👩👧 family"},
		{"joiner at a blank", "a \u200db", "a \u200db", "a b"},
		{"joiner before a mark", "e\u200d\u0301x", "e\u200d\u0301x", "éx"},
		{"joiners in a row", "a\u200c\u200d\u200cb", "a\u200c\u200d\u200cb", "ab"},
		{"astral plane", "𐐀😀", "𐐀😀", "𐐨😀"},
		{"longest", strings.Repeat("é", 128), strings.Repeat("é", 128), name.Key(strings.Repeat("é", 128))},
		{"longest after NFC and trim", " " + strings.Repeat("e\u0301", 128), strings.Repeat("é", 128), name.Key(strings.Repeat("é", 128))},
		{"UUID without dashes", "0190c0dec0de7000800000000000c0de", "0190c0dec0de7000800000000000c0de", "0190c0dec0de7000800000000000c0de"},
	} {
		t.Run(tc.label, func(t *testing.T) {
			got, err := name.Parse(tc.in)
			if want := (name.Name{Text: tc.text, Key: tc.key}); got != want || err != nil {
				t.Errorf("Parse(%q) = %q, %v, want %q", tc.in, got, err, want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	for _, tc := range []struct{ label, in, reason string }{
		{"empty", "", "must not be empty"},
		{"white space only", " \t\u3000", "must not be empty"},
		{"too long", strings.Repeat("é", 129), "must not be longer than 128 characters, it has 129"},
		{"invalid UTF-8", "a\xff", "must be valid UTF-8"},
		{"encoded surrogate", "a\xed\xa0\x80", "must be valid UTF-8"},
		{"NUL", "a\x00b", "must not contain the control character U+0000"},
		{"new line inside", "a\nb", "must not contain the control character U+000A"},
		{"C1 control", "a\u0090b", "must not contain the control character U+0090"},
		{"joiner at the end", "a\u200d ", "must not end with U+200D"},
		{"non-joiner at the beginning", " \u200ca", "must not begin with U+200C"},
		{"joiners only", "\u200d\u200c", "must not begin with U+200D"},
		{"dots and a joiner", ".\u200d.", `must not be "." or ".."`},
		{"UUID and a joiner", "0190c0de-c0de-7000-8000-\u200c00000000c0de", "must not have the form of a UUID"},
		{"pile of marks around a joiner", "a" + strings.Repeat("\u0316", 20) + "\u200d" + strings.Repeat("\u0316", 20) + "a", "must not contain more than 30 combining marks in a row"},
		{"joiner and a format character", "a\u200d\u2060b", "must not contain the invisible format character U+2060"},
		{"right-to-left override", "a\u202eb", "must not contain the invisible format character U+202E"},
		{"byte order mark", "\ufeffa", "must not contain the invisible format character U+FEFF"},
		{"soft hyphen", "a\u00adb", "must not contain the invisible format character U+00AD"},
		{"tag character", "a\U000e0041", "must not contain the invisible format character U+E0041"},
		{"dot", ".", `must not be "." or ".."`},
		{"two dots", " .. ", `must not be "." or ".."`},
		{"UUID", "0190C0DE-c0de-7000-8000-00000000c0de", "must not have the form of a UUID"},
		{"pile of marks", "a" + strings.Repeat("\u0316\u0301", 20), "must not contain more than 30 combining marks in a row"},
	} {
		t.Run(tc.label, func(t *testing.T) {
			got, err := name.Parse(tc.in)
			if !errors.Is(err, name.ErrInvalid) || got != (name.Name{}) {
				t.Fatalf("Parse(%q) = %q, %v, want ErrInvalid", tc.in, got, err)
			}
			if f := fault.Of(err); f.Msg != "the name "+tc.reason || f.Code != fault.RequestValidation {
				t.Errorf("Parse(%q) says %d %q, want 2001 %q", tc.in, f.Code, f.Msg, "the name "+tc.reason)
			}
		})
	}
}

// What is no name is its own key.
func TestKeyOf(t *testing.T) {
	for text, want := range map[string]name.Key{"Straße": "strasse", " OPS ": "ops", "a/b": "a/b", "..": "..", "": "", "A\u202e": "A\u202e"} {
		if got := name.KeyOf(text); got != want {
			t.Errorf("KeyOf(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestParsePrefix(t *testing.T) {
	const id = "0190c0de-c0de-7000-8000-00000000c0de"
	for in, want := range map[string]name.Key{
		".": ".", "..": "..", ".N": ".n", strings.ToUpper(id): id, " \u00c9": "\u00e9", "E\u0301": "\u00e9", "STRASSE": "strasse", "Stra\u00dfe": "strasse",
		"می\u200c": "می", "👩\u200d": "👩",
	} {
		if got, err := name.ParsePrefix(in); got != want || err != nil {
			t.Errorf("ParsePrefix(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	for _, in := range []string{"", " ", "a\xff", "a\x00", "\u200d", strings.Repeat("a", 129)} {
		if got, err := name.ParsePrefix(in); got != "" || !errors.Is(err, name.ErrInvalid) {
			t.Errorf("ParsePrefix(%q) = %q, %v, want ErrInvalid", in, got, err)
		}
	}
}

func TestParseMax(t *testing.T) {
	long := strings.Repeat("x", 256)
	if got, err := name.ParseMax(long, 256); got.Text != long || err != nil {
		t.Errorf("ParseMax(256 x, 256) = %q, %v, want the text", got, err)
	}
	if _, err := name.ParseMax(long+"x", 256); !errors.Is(err, name.ErrInvalid) {
		t.Errorf("ParseMax(257 x, 256) error = %v, want ErrInvalid", err)
	}
}

// Nothing new gets a name that a proxy which decodes %2F makes a path below another name.
func TestCheckNew(t *testing.T) {
	for _, refused := range []string{
		"Eng/health", "Eng/versions", "Eng/ceremony-policy", "Eng/ceremony-policy/resolved", "Eng/reorder-agents", "Eng/activity",
		"Eng/history", "Eng/performance", "Eng/days", "Eng/labels", "Eng/labels/production", "Eng/labels/x/history", "Eng/proposals", "Eng/restore",
		"Eng/versions/3", "Eng/versions/diff", "Eng/versions/rollback", "Eng/versions/3/performance", "Eng/versions/3/evaluations",
		"a/b/health", "/health", "ENG/Health", "Eng/he\u200dalth", "Eng/ｖersions/health", "Eng//health",
	} {
		n, err := name.Parse(refused)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.CheckNew("name"); !errors.Is(err, name.ErrInvalid) || !strings.HasPrefix(err.Error(), `name: the name must not end in "/`) {
			t.Errorf("CheckNew of %q = %v, want ErrInvalid", refused, err)
		}
	}
	for _, given := range []string{
		"health", "versions", "Eng", "Eng/", "Eng/diff", "Eng/rollback", "Eng/resolved", "Eng/health/", "Eng/health x", "Eng/health/x", "Eng/wealth",
		"health/Eng", "Eng/versions/", "Eng/versions/3/4/5", "labels/x", "Eng health", "Eng-health", "Eng%2Fhealth",
	} {
		n, err := name.Parse(given)
		if err != nil {
			t.Fatal(err)
		}
		if err := n.CheckNew("name"); err != nil {
			t.Errorf("CheckNew of %q = %v, want nil", given, err)
		}
	}
}

// A name that was accepted is accepted again as the same name, in any spelling
// that Unicode calls equivalent.
func TestAcceptedNamesAreStable(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.OneOf(rapid.Rune(), rapid.RuneFrom([]rune("aAäÄßẞſKΣσςİıΐe\u0301\u0345\u0316 .-\u200c\u200d"))), -1, 200, -1).Draw(t, "s")
		n, err := name.Parse(s)
		if err != nil {
			return
		}
		if want := strings.TrimSpace(norm.NFC.String(s)); n.Text != want {
			t.Errorf("Parse(%q).Text = %q, want %q", s, n.Text, want)
		}
		if marks := strings.Count(string(n.Key), "\u034f"); marks != strings.Count(s, "\u034f") {
			t.Errorf("Parse(%q).Key = %q, want no joiners that were not written", s, n.Key)
		}
		if !utf8.ValidString(string(n.Key)) || !norm.NFC.IsNormalString(string(n.Key)) {
			t.Errorf("Parse(%q).Key = %q, want NFC", s, n.Key)
		}
		if strings.ContainsAny(string(n.Key), "\u200c\u200d") {
			t.Errorf("Parse(%q).Key = %q, want no joiners", s, n.Key)
		}
		for _, twin := range []string{n.Text, norm.NFD.String(n.Text), " " + s + "\n"} {
			if again, err := name.Parse(twin); again != n || err != nil {
				t.Errorf("Parse(%q) = %q, %v, want %q", twin, again, err, n)
			}
		}
	})
}

func TestIsUUID(t *testing.T) {
	for s, want := range map[string]bool{
		"0190c0de-c0de-7000-8000-00000000c0de":    true,
		"FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF":    true,
		"00000000-0000-0000-0000-000000000000":    true,
		"":                                        false,
		"0190c0de-c0de-7000-8000-00000000c0d":     false,
		"0190c0de-c0de-7000-8000-00000000c0def":   false,
		"0190c0dec-0de-7000-8000-00000000c0de":    false,
		"0190c0de-c0de-7000-8000-00000000c0dg":    false,
		"{0190c0de-c0de-7000-8000-0000000c0de}":   false,
		"0190c0de-c0de-7000-8000-0000000\u00e9de": false,
	} {
		if got := name.IsUUID(s); got != want {
			t.Errorf("IsUUID(%q) = %v, want %v", s, got, want)
		}
	}
}

func BenchmarkParse(b *testing.B) {
	for label, s := range map[string]string{"ascii": "Research Assistant 7", "unicode": "Müller-Straße"} {
		b.Run(label, func(b *testing.B) {
			for b.Loop() {
				if _, err := name.Parse(s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
