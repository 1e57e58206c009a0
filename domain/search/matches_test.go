package search

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestMatches(t *testing.T) {
	long := strings.Repeat("x", 1000)
	for what, c := range map[string]struct {
		text string
		in   []Field
		want []Match
	}{
		"nothing":              {"abc", []Field{{"a", "ab"}, {"b", "c"}}, nil},
		"fields in order":      {"abc", []Field{{"a", "ABC"}, {"b", ""}, {"c", "xabcx"}}, []Match{{"a", 1, "ABC"}, {"c", 1, "xabcx"}}},
		"three at most":        {"abc", []Field{{"a", "abc\nabc"}, {"b", "abc\nabc"}, {"c", "abc"}}, []Match{{"a", 1, "abc"}, {"a", 2, "abc"}, {"b", 1, "abc"}}},
		"once a line":          {"abc", []Field{{"a", "abc abc\nabc"}}, []Match{{"a", 1, "abc abc"}, {"a", 2, "abc"}}},
		"lines":                {"abc", []Field{{"a", "\n\r\n\r \n\n abc \nx"}}, []Match{{"a", 6, " abc "}}},
		"CR alone at the end":  {"abc", []Field{{"a", "x\rabc\r"}}, []Match{{"a", 2, "abc"}}},
		"CRLF is one":          {"abc", []Field{{"a", "x\r\nabc\r\nabc"}}, []Match{{"a", 2, "abc"}, {"a", 3, "abc"}}},
		"begins inside a CRLF": {"\nab", []Field{{"a", "x\r\nab\r\n\nabc"}}, []Match{{"a", 1, "\nab"}, {"a", 3, "\nabc"}}},
		"over lines":           {"b\r\nc", []Field{{"a", "1\rab\r\ncd\r\n2"}}, []Match{{"a", 2, "ab\r\ncd"}}},
		"around":               {"abc", []Field{{"a", long + "abc" + long}}, []Match{{"a", 1, long[:78] + "abc" + long[:79]}}},
		"at the beginning":     {"abc", []Field{{"a", "yabc" + long}}, []Match{{"a", 1, "yabc" + long[:156]}}},
		"at the end":           {"abc", []Field{{"a", long + "abcy"}}, []Match{{"a", 1, long[:156] + "abcy"}}},
		"again behind what was shown": {"abc", []Field{{"a", long + "abc" + long + "abc"}},
			[]Match{{"a", 1, long[:78] + "abc" + long[:79]}, {"a", 1, long[:157] + "abc"}}},
		"again where the last one is cut": {"abc", []Field{{"a", long + "abc" + long[:78] + "abcy"}},
			[]Match{{"a", 1, long[:78] + "abc" + long[:78] + "a"}, {"a", 1, long[:75] + "abc" + long[:78] + "abcy"}}},
		"shown before": {"abc", []Field{{"a", long[:100] + "abc" + long[:54] + "abc"}}, []Match{{"a", 1, long[:100] + "abc" + long[:54] + "abc"}}},
		"characters of four bytes": {"😀😀😀", []Field{{"a", strings.Repeat("😀", 1000)}},
			[]Match{{"a", 1, strings.Repeat("😀", 160)}, {"a", 1, strings.Repeat("😀", 160)}, {"a", 1, strings.Repeat("😀", 160)}}},
		"the longest": {strings.Repeat("É", 128), []Field{{"a", strings.Repeat("é", 200)}}, []Match{{"a", 1, strings.Repeat("é", 160)}}},
		"bidi marks":  {"abc", []Field{{"a", "\u202eabc\u2066"}}, []Match{{"a", 1, "\u202eabc\u2066"}}},
	} {
		text, err := Parse(c.text)
		if err != nil {
			t.Fatal(err)
		}
		got := text.Matches(c.in...)
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: Matches (-want +got):\n%s", what, diff)
		}
		for _, m := range got {
			if n := utf8.RuneCountInString(m.Text); n > MaxExcerpt {
				t.Errorf("%s: %d characters are shown, want at most %d", what, n, MaxExcerpt)
			}
		}
	}
}
