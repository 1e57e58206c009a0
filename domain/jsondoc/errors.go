package jsondoc

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"orgd/domain/fault"
)

// ErrSyntax is returned for text that is not one strict JSON value. Its
// occurrences say where and why.
var ErrSyntax = fault.New(fault.RequestValidation, "invalid JSON")

// ErrInvalid is returned for JSON that is not the document that was asked for.
// Its occurrences name every problem by the path of its field.
var ErrInvalid = fault.New(fault.RequestValidation, "invalid document")

// ErrMerged is returned for a merge patch that is right by itself, where what it
// makes of the current value is too large.
var ErrMerged = fault.New(fault.Validation, "the document does not fit the current value")

// maxMistakes is how many mistakes an error names.
const maxMistakes = 20

func notObject(path string, v Value) error {
	if path == "" {
		return ErrInvalid.With("the document must be an object, not %s", v.kind)
	}
	return ErrInvalid.At(path, "must be an object, not %s", v.kind)
}

// Place is a place in a text. The zero value is its beginning.
type Place struct {
	Byte         int64 // counted from 0
	Line, Column int   // counted from 0, columns in characters
}

// After returns the place behind text that begins at p.
func (p Place) After(text string) Place {
	p.Byte += int64(len(text))
	if lines := strings.Count(text, "\n"); lines > 0 {
		p.Line, p.Column = p.Line+lines, 0
		text = text[strings.LastIndexByte(text, '\n')+1:]
	}
	p.Column += utf8.RuneCountInString(text)
	return p
}

// String names the place: the byte counted from 0 and, behind the first line, the
// line and the character in it counted from 1.
func (p Place) String() string {
	if p.Line == 0 {
		return fmt.Sprintf("byte %d", p.Byte)
	}
	return fmt.Sprintf("byte %d (line %d, column %d)", p.Byte, p.Line+1, p.Column+1)
}

// SyntaxError is the [ErrSyntax] of what is wrong at a place.
func SyntaxError(at Place, format string, args ...any) error {
	return ErrSyntax.With("invalid JSON at %s: %s", at, fmt.Sprintf(format, args...)).OnLine(at.Line + 1)
}

// maxQuoted is how many characters of a client's text a sentence has.
const maxQuoted = 64

// quoted shows text from a client in a sentence: in quotes, on one line, and cut
// to a readable length.
func quoted(s string) string {
	n, cut := 0, 0
	for i := range s {
		if n++; n == maxQuoted {
			cut = i
		} else if n > maxQuoted {
			return strconv.Quote(s[:cut] + "…")
		}
	}
	return strconv.Quote(s)
}

// member is where a member stands in the text of its object.
type member struct {
	name ref
	end  uint32 // of the value
}

// report collects what all Readers of one document find.
type report struct {
	base     string          // where the document stands in a larger one, "" if nowhere
	mistakes []fault.Mistake // the first maxMistakes
	count    int
	merged   int      // how many of them are about the merged value only
	members  []member // stack: the members of every open object
	missing  []string // stack: names that were asked for in vain

	// Where the stacks begin; most documents need no more.
	firstMembers [32]member
	firstMissing [32]string
}

// begin begins an empty report on a document that stands at path in a larger one.
func (rep *report) begin(path string) {
	rep.base, rep.members, rep.missing = path, rep.firstMembers[:0], rep.firstMissing[:0]
}

// itemPath is the path of an item of the array at path.
func itemPath(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

// pathName is name as part of a path: in quotes unless it is a plain word.
func pathName(name string) string {
	for _, c := range []byte(name) {
		if !isLetter(c) && (c < '0' || c > '9') && c != '_' && c != '-' && c != '$' {
			return quoted(name)
		}
	}
	if name == "" || len(name) > 64 {
		return quoted(name)
	}
	return name
}

// counts counts one more mistake and reports whether it is to be named.
func (rep *report) counts() bool {
	rep.count++
	return rep.count <= maxMistakes
}

func (rep *report) add(path, text string) {
	rep.mistakes = append(rep.mistakes, fault.Mistake{Path: path, Text: text})
}

func (rep *report) err() error {
	if rep.count == 0 {
		return nil
	}
	if more := rep.count - len(rep.mistakes); more > 0 {
		rep.mistakes = append(rep.mistakes, fault.More(more))
	}
	if rep.merged == rep.count {
		return ErrMerged.Join(rep.mistakes)
	}
	return ErrInvalid.Join(rep.mistakes)
}

// checkLength returns what is wrong with the number of code points of s, "" if
// nothing. The sentence names the bound and the number.
func checkLength(s string, min, max int) string {
	if len(s) <= max && len(s)/utf8.UTFMax >= min {
		return "" // whatever the characters are
	}
	n := utf8.RuneCountInString(s)
	if min <= n && n <= max {
		return ""
	}
	return "must be " + amount(min, max, "character") + notCount(n)
}

// checkCount returns what is wrong with the number of items, "" if nothing.
func checkCount(n, min, max int) string {
	if min <= n && n <= max {
		return ""
	}
	return "must have " + amount(min, max, "item") + notCount(n)
}

// TooLarge is the sentence about an object whose canonical text has more than max bytes.
// It names the size of the text as it was written, unless only the canonical one is
// longer.
func TooLarge(v Value, max int) string {
	sentence := fmt.Sprintf("must be at most %d bytes of JSON", max)
	if n := len(v.text); n > max {
		sentence += notCount(n)
	}
	return sentence
}

// notCount ends a sentence about a bound with the number that there is.
func notCount(n int) string { return ", not " + strconv.Itoa(n) }

// not ends a sentence about a bound with the number that was given; it is "" for what is
// no number.
func not(v Value) string {
	if v.kind != KindNumber {
		return ""
	}
	text := v.text
	if len(text) > maxQuoted {
		text = text[:maxQuoted] + "…"
	}
	return ", not " + text
}

// amount says in words how many are allowed.
func amount(min, max int, noun string) string {
	switch {
	case max == math.MaxInt:
		return "at least " + plural(min, noun)
	case min == max:
		return "exactly " + plural(max, noun)
	case min <= 0:
		return "at most " + plural(max, noun)
	}
	return strconv.Itoa(min) + " to " + plural(max, noun)
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// wholeNumber says in words which whole numbers are allowed.
func wholeNumber(min, max int64) string {
	const what = "a whole number"
	low, high := strconv.FormatInt(min, 10), strconv.FormatInt(max, 10)
	switch {
	case min == math.MinInt64 && max == math.MaxInt64:
		return what + " of at most 64 bits"
	case min == math.MinInt64:
		return what + " of at most " + high
	case max == math.MaxInt64:
		return what + " of at least " + low
	}
	return what + " from " + low + " to " + high
}
