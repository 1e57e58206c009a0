package jsondoc

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// fail records the first mistake: where it is and what is wrong there.
func (p *parser) fail(at int, format string, args ...any) {
	if p.err == nil {
		p.err = ErrSyntax.With("invalid JSON at %s: %s", position(p.text, at), fmt.Sprintf(format, args...))
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

// position names a place in text: the byte counted from 0 and, behind the first
// line, the line and the character in it counted from 1.
func position(text string, at int) string {
	before := text[:at]
	line := strings.Count(before, "\n")
	if line == 0 {
		return fmt.Sprintf("byte %d", at)
	}
	column := utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return fmt.Sprintf("byte %d (line %d, column %d)", at, line+1, column+1)
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
	if utf8.RuneCountInString(s) > limit {
		s = string([]rune(s)[:limit-1]) + "…"
	}
	return strconv.Quote(s)
}
