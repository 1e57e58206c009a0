// Package search finds a text in others. Both are folded as names are: texts that differ in
// letter case or in how their accents are written are the same, and ß is ss.
package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"orgd/domain/fault"
	"orgd/domain/name"
)

// The bounds of a text that is searched for, in characters of its normal form.
const (
	MinLength = 3
	// MinDense is the least length where a character is of a script that writes no spaces
	// between words: words of it are short.
	MinDense  = 2
	MaxLength = 128
)

// ErrInvalid is a text that is too short or too long to be searched for.
var ErrInvalid = fault.New(fault.RequestValidation, "not a text that can be searched for")

// Text is a text that is searched for. The zero text is found nowhere.
type Text struct {
	folded string
	// borders has, for each number of bytes that are found, how many of their last ones are
	// also the first ones of the text (Knuth, Morris, Pratt).
	borders []int
}

// Parse returns the text to be searched for, which is UTF-8.
func Parse(s string) (Text, error) {
	least := MinLength
	if strings.ContainsFunc(s, isDense) {
		least = MinDense
	}
	t := newText(s)
	if n := utf8.RuneCountInString(norm.NFC.String(s)); n < least || n > MaxLength || t.folded == "" {
		return Text{}, ErrInvalid.With("must be %d to %d characters, not %d; %d are enough where one is of a script that writes no spaces between words",
			MinLength, MaxLength, n, MinDense)
	}
	return t, nil
}

// isDense reports whether r is of a script that writes no spaces between words.
func isDense(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo, unicode.Yi, unicode.Thai, unicode.Lao,
		unicode.Khmer, unicode.Myanmar, unicode.Tibetan, unicode.Javanese, unicode.Balinese, unicode.Tai_Le, unicode.New_Tai_Lue,
		unicode.Tai_Tham, unicode.Tai_Viet)
}

func newText(s string) Text { return folded(name.Fold(s)) }

func folded(s string) Text {
	t := Text{folded: s, borders: make([]int, len(s)+1)}
	for i := 1; i < len(s); i++ {
		t.borders[i+1] = t.step(t.borders[i], s[i])
	}
	return t
}

// InJSON returns what reports whether t may be in a text whose canonical JSON it is given, or
// in a text that JSON has as it is.
func (t Text) InJSON() func(string) bool {
	part := t.unescaped()
	if part == "" {
		return func(string) bool { return true }
	}
	return folded(part).In
}

// unescaped is the longest part of t that is written in JSON as it is, or "". It begins with a
// character that does not combine with the escape that may stand before it.
func (t Text) unescaped() (longest string) {
	for part := range strings.FieldsFuncSeq(t.folded, func(r rune) bool { return r < ' ' || r == '"' || r == '\\' || r == 0x7f }) {
		for part != "" && !norm.NFC.PropertiesString(part).BoundaryBefore() {
			_, size := utf8.DecodeRuneInString(part)
			part = part[size:]
		}
		if len(part) > len(longest) {
			longest = part
		}
	}
	return longest
}

// Find returns where t stands first in s, or -1. It takes time in the order of len(s),
// whatever the two are.
func (t Text) Find(s string) (begin, end int) {
	if t.folded == "" {
		return -1, -1
	}
	var f folder
	found, since, read := 0, 0, 0 // read are the folded bytes since nothing was found
	for at := 0; at < len(s); {
		if found == 0 {
			at = t.skip(s, at)
			since, read = at, 0
			if at == len(s) {
				break
			}
		}
		if s[at] < utf8.RuneSelf && at+1 < len(s) && s[at+1] < utf8.RuneSelf { // as most are
			found = t.step(found, lower(s[at]))
			read, at = read+1, at+1
			if found == len(t.folded) {
				return f.place(s, since, read-found), at
			}
			continue
		}
		end := next(s, at)
		part := f.fold(s[at:end])
		for i := range len(part) {
			read++
			if found = t.step(found, part[i]); found == len(t.folded) {
				return f.place(s, since, read-found), end
			}
		}
		at = end
	}
	return -1, -1
}

// skip returns where t may begin in s, from at on, or len(s).
func (t Text) skip(s string, at int) int {
	from := at
	for at < len(s) && s[at] < utf8.RuneSelf && lower(s[at]) != t.folded[0] {
		at++
	}
	if at < len(s) && s[at] >= utf8.RuneSelf && at > from {
		at-- // it may belong to what follows
	}
	return at
}

// In reports whether t is in s.
func (t Text) In(s string) bool {
	begin, _ := t.Find(s)
	return begin >= 0
}

// step returns how many bytes are found behind c, if so many are found before it.
func (t Text) step(found int, c byte) int {
	for found > 0 && t.folded[found] != c {
		found = t.borders[found]
	}
	if t.folded[found] == c {
		found++
	}
	return found
}

// lower is the folded form of a character of ASCII.
func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// next returns the end of the part of s that begins at a place and is folded by itself: a
// character with what combines with it, also behind joiners, which are left out.
func next(s string, at int) (end int) {
	if s[at] < utf8.RuneSelf && (at+1 == len(s) || s[at+1] < utf8.RuneSelf) {
		return at + 1
	}
	end = at + norm.NFC.NextBoundaryInString(s[at:], true)
	for end < len(s) && (strings.HasPrefix(s[end:], "\u200c") || strings.HasPrefix(s[end:], "\u200d")) {
		end += norm.NFC.NextBoundaryInString(s[end:], true)
		if end < len(s) && !strings.HasPrefix(s[end:], "\u200c") && !strings.HasPrefix(s[end:], "\u200d") {
			end += norm.NFC.NextBoundaryInString(s[end:], true)
		}
	}
	return end
}

// folder folds parts of a text, and remembers some: most come again.
type folder struct {
	parts [64]struct{ written, folded string }
}

func (f *folder) fold(part string) string {
	r, size := utf8.DecodeRuneInString(part)
	if size == len(part) && isSame(r) {
		return part
	}
	p := &f.parts[r%int32(len(f.parts))]
	if p.written != part {
		p.written, p.folded = part, name.Fold(part)
	}
	return p.folded
}

// isSame reports of most characters that are folded to themselves that they are.
func isSame(r rune) bool {
	return r < utf8.RuneSelf && (r < 'A' || r > 'Z') || r >= 0x3040 && r < 0xa000 || r >= 0xac00 && r < 0xd7a4 || r >= 0x1f300 && r < 0x1fb00
}

// place returns where the part of s begins in which a folded byte stands, counted from a place.
func (f *folder) place(s string, at, n int) int {
	for {
		end := next(s, at)
		if n -= len(f.fold(s[at:end])); n < 0 {
			return at
		}
		at = end
	}
}

// back returns the place n characters before at, but none before first.
func back(s string, at, n, first int) int {
	for ; n > 0 && at > first; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return at
}
