package jsondoc

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"orgd/domain/fault"
)

// ErrSyntax is returned for text that is not one strict JSON value. Its
// occurrences say where and why.
var ErrSyntax = fault.New(fault.RequestValidation, "invalid JSON")

// MaxDepth is how many levels of arrays and objects [Parse] accepts.
const MaxDepth = 32

// maxDepth is how many levels a Value can have at all. It leaves room to store
// and wrap what Parse accepted.
const maxDepth = 255

// Parse reads exactly one JSON value. Beyond the grammar it demands valid UTF-8
// without byte order mark, no name twice in one object, no unpaired surrogate
// escapes, at most [MaxDepth] levels, and exponents that package decimal
// accepts. Anything else is [ErrSyntax]. Bytes are copied and may be reused
// afterwards; a string is not copied.
func Parse[T []byte | string](text T) (Value, error) {
	return parse(string(text), MaxDepth, Place{})
}

// ParseAt is [Parse] for a part of a longer text, which begins at a place. What
// is wrong is found in the longer text then.
func ParseAt(text []byte, begin Place) (Value, error) { return parse(string(text), MaxDepth, begin) }

// ParseStored reads a document that this service wrote itself. It differs from
// [Parse] in that the levels do not count against [MaxDepth] but may be up to
// 255: a stored document or an export wraps what a request brought.
func ParseStored[T []byte | string](text T) (Value, error) {
	return parse(string(text), maxDepth, Place{})
}

func parse(text string, depth int, begin Place) (Value, error) {
	p := parser{text: text, begin: begin, levels: depth, depth: depth}
	whole := p.whole()
	if p.err != nil {
		return Value{}, p.err
	}
	return valueOf(whole), nil
}

// whole checks everything and returns the text of the value.
func (p *parser) whole() string {
	switch {
	case !utf8.ValidString(p.text):
		p.failEncoding()
		return ""
	case strings.HasPrefix(p.text, "\uFEFF"):
		p.fail(0, "a byte order mark is not allowed")
		return ""
	case int64(len(p.text)) >= maxText:
		p.fail(0, "the text is too long")
		return ""
	}
	p.peek()
	start := p.at
	p.value()
	end := p.at
	if p.peek(); p.at < len(p.text) { // a NUL byte is not the end
		p.fail(p.at, "expected the end of the text, found %s", p.found())
	}
	return p.text[start:end]
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
	return ErrSyntax.With("invalid JSON at %s: %s", at, fmt.Sprintf(format, args...))
}

// fail records the first mistake: where it is and what is wrong there.
func (p *parser) fail(at int, format string, args ...any) {
	if p.err == nil {
		p.err = SyntaxError(p.begin.After(p.text[:at]), format, args...)
	}
}

// failEncoding reports the first byte that is no UTF-8.
func (p *parser) failEncoding() {
	for i, r := range p.text {
		if r == utf8.RuneError && !strings.HasPrefix(p.text[i:], "\uFFFD") {
			p.fail(i, "this byte is not valid UTF-8")
			return
		}
	}
}

// found names what stands at the parser's place.
func (p *parser) found() string {
	if p.at == len(p.text) {
		return "the end of the text"
	}
	_, size := utf8.DecodeRuneInString(p.text[p.at:])
	return quoted(p.text[p.at : p.at+size])
}

// quoted shows text from a client in a sentence: in quotes, on one line, and cut
// to a readable length.
func quoted(s string) string {
	const limit = 64
	n, cut := 0, 0
	for i := range s {
		if n++; n == limit {
			cut = i
		} else if n > limit {
			return strconv.Quote(s[:cut] + "…")
		}
	}
	return strconv.Quote(s)
}
