package jsondoc

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

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
	for i := 0; i < len(p.text); {
		r, size := utf8.DecodeRuneInString(p.text[i:])
		if r == utf8.RuneError && size == 1 {
			p.fail(i, "this byte is not valid UTF-8")
			return
		}
		i += size
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
