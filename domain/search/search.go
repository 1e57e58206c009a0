// Package search finds a text in others, without letter case: characters are the same if
// they are so in the simple case folding of Unicode, as in [strings.EqualFold].
package search

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

// The bounds of a text that is searched for, in characters.
const (
	MinLength = 3
	MaxLength = 128
)

// ErrInvalid is a text that is too short or too long to be searched for.
var ErrInvalid = fault.New(fault.RequestValidation, "not a text that can be searched for")

// Text is a text that is searched for. The zero text is found nowhere.
type Text struct {
	written string
	chars   []forms
	// borders has, for each number of characters that are found, how many of their last
	// ones are also the first ones of the text (Knuth, Morris, Pratt).
	borders []int
	rare    int      // index of the character that is probably rarest
	rares   []string // its forms
}

// forms are the letter cases of one character. No character has more than four; those that
// have fewer repeat the first one.
type forms [4]rune

func formsOf(r rune) forms {
	f := forms{r, r, r, r}
	for i, next := 1, unicode.SimpleFold(r); next != r; i, next = i+1, unicode.SimpleFold(next) {
		f[i] = next
	}
	return f
}

func (f forms) has(r rune) bool { return r == f[0] || r == f[1] || r == f[2] || r == f[3] }

// all are the forms, each once.
func (f forms) all() []rune {
	slices.Sort(f[:])
	return slices.Compact(f[:])
}

// Parse returns the text to be searched for, which is UTF-8.
func Parse(s string) (Text, error) {
	if n := utf8.RuneCountInString(s); n < MinLength || n > MaxLength {
		return Text{}, ErrInvalid.With("must be %d to %d characters, not %d", MinLength, MaxLength, n)
	}
	return newText(s), nil
}

func newText(s string) Text {
	t := Text{written: s, borders: make([]int, utf8.RuneCountInString(s)+1)}
	for _, r := range s {
		t.chars = append(t.chars, formsOf(r))
	}
	for i := 1; i < len(t.chars); i++ {
		t.borders[i+1] = t.step(t.borders[i], t.chars[i][0])
	}
	for i, f := range t.chars {
		if i == 0 || rarity(f[0]) > rarity(t.chars[t.rare][0]) {
			t.rare, t.rares = i, strings.Split(string(f.all()), "")
		}
	}
	return t
}

// rarity orders characters by how rare they are in prompts, about.
func rarity(r rune) int {
	const common = " etaoinsrhldcumpfgwybvkxjqz"
	if i := strings.IndexRune(common, unicode.ToLower(r)); i >= 0 {
		return i
	}
	return len(common)
}

// InJSON returns what stands in the canonical JSON of a string that has t, so that t is in
// no text whose JSON it is not in.
func (t Text) InJSON() Text {
	w := jsondoc.NewWriter(nil)
	w.Text(t.written)
	quoted := string(w.Bytes())
	return newText(quoted[1 : len(quoted)-1])
}

// Pattern returns a regular expression of Perl for t. It begins with the rarest character by
// which an expression is found without trying it everywhere, and then looks back.
func (t Text) Pattern() string {
	first := -1
	for i, f := range t.chars {
		if f.isPlain() && (first < 0 || rarity(f[0]) > rarity(t.chars[first][0])) {
			first = i
		}
	}
	if first <= 0 {
		return pattern(t.chars)
	}
	return pattern(t.chars[first:]) + "(?<=" + pattern(t.chars) + ")"
}

func pattern(chars []forms) string {
	var b strings.Builder
	for _, f := range chars {
		switch all := string(f.all()); {
		case len(all) == utf8.RuneLen(f[0]):
			b.WriteString(regexp.QuoteMeta(all))
		case f.isPlain():
			b.WriteString("(?i:" + string(f[0]) + ")")
		default:
			b.WriteString("[" + all + "]")
		}
	}
	return b.String()
}

// isPlain reports whether a character has one form, or two of ASCII.
func (f forms) isPlain() bool {
	all := f.all()
	return len(all) == 1 || len(all) == 2 && all[1] < utf8.RuneSelf
}

// Find returns where t stands first in s, or -1. It takes time in the order of len(s),
// whatever the two are.
func (t Text) Find(s string) (begin, end int) {
	rare := [len(forms{})]int{-1, -1, -1, -1}
	for at := 0; ; {
		// What begins at or behind at has its rare character behind at, too.
		next := len(s)
		for i, form := range t.rares {
			if rare[i] < at {
				rare[i] = index(s, form, at)
			}
			next = min(next, rare[i])
		}
		if next == len(s) {
			return -1, -1
		}
		at = back(s, next, t.rare, at)
		for found := 0; at < len(s) && (at <= next || found > 0); {
			r, size := utf8.DecodeRuneInString(s[at:])
			at += size
			if found = t.step(found, r); found == len(t.chars) {
				return back(s, at, found, 0), at
			}
		}
	}
}

// In reports whether t is in s.
func (t Text) In(s string) bool {
	begin, _ := t.Find(s)
	return begin >= 0
}

// step returns how many characters are found behind r, if so many are found before it.
func (t Text) step(found int, r rune) int {
	for found > 0 && !t.chars[found].has(r) {
		found = t.borders[found]
	}
	if t.chars[found].has(r) {
		found++
	}
	return found
}

// index returns where part stands in s first, from at on, or len(s).
func index(s, part string, at int) int {
	if i := strings.Index(s[at:], part); i >= 0 {
		return at + i
	}
	return len(s)
}

// back returns the place n characters before at, but none before first.
func back(s string, at, n, first int) int {
	for ; n > 0 && at > first; n-- {
		_, size := utf8.DecodeLastRuneInString(s[:at])
		at -= size
	}
	return at
}
