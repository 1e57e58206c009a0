package search

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Pattern returns a regular expression of Perl that finds each text whose JSON has t, and
// others: it looks for the longest part of t that is written in few ways. It is empty if
// there is none.
func (t Text) Pattern() string {
	run := t.plain()
	if run == "" {
		return ""
	}
	others := "\u1e9a\u0149\u0130\u037e\u1fef\ufb00-\ufb06\u200c\u200d"
	if strings.Contains(run, "s") {
		others += "ßẞ"
	}
	if strings.ContainsFunc(run, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		others += "\uf900-\ufaff\U0002f800-\U0002fa1f"
	}
	return pattern(run) + "|[" + others + "]"
}

// plain is the longest part of t that JSON has as it is and whose characters are plain.
func (t Text) plain() (longest string) {
	for run := range strings.FieldsFuncSeq(t.unescaped(), func(r rune) bool { return !isPlain(r) }) {
		if len(run) > len(longest) {
			longest = run
		}
	}
	return longest
}

// isPlain reports whether a character that is folded is written as one of its letter cases,
// or else as one of few characters that [Text.Pattern] knows.
func isPlain(r rune) bool {
	return r < utf8.RuneSelf || unicode.In(r, unicode.Cyrillic, unicode.Han, unicode.Hiragana, unicode.Katakana) &&
		norm.NFD.IsNormalString(string(r)) && norm.NFC.PropertiesString(string(r)).BoundaryBefore()
}

// forms are the letter cases of a character, in order.
func forms(r rune) []rune {
	all := []rune{r}
	for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
		all = append(all, next)
	}
	slices.Sort(all)
	return all
}

func pattern(run string) string {
	var b strings.Builder
	for _, r := range run {
		if all := forms(r); len(all) == 1 {
			b.WriteString(regexp.QuoteMeta(string(r)))
		} else {
			b.WriteString("[" + string(all) + "]")
		}
	}
	return b.String()
}
