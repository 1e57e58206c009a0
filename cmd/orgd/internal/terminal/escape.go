package terminal

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// isHidden reports whether a character controls a terminal or the direction of text, or
// does not appear at all: C0, DEL and C1, format characters, other line breaks. The
// joiners that scripts and emoji need inside words stay.
func isHidden(r rune) bool {
	const nonJoiner, joiner = '\u200c', '\u200d'
	if ' ' <= r && r <= '~' {
		return false
	}
	return r != nonJoiner && r != joiner && unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Visible escapes the characters of a text that do not appear on a terminal or
// control it. Tabs stay.
func Visible(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r == '\t' || unicode.IsPrint(r) || unicode.Is(unicode.Cf, r) && !isHidden(r) {
			b.WriteRune(r)
			continue
		}
		escaped := strconv.QuoteRune(r)
		b.WriteString(escaped[1 : len(escaped)-1])
	}
	return b.String()
}

// visibleLines is [Visible] for each line of a text.
func visibleLines(text string) string {
	lines := strings.Split(text, "\n")
	for i := range lines {
		lines[i] = Visible(lines[i])
	}
	return strings.Join(lines, "\n")
}

// EscapeJSON writes the hidden characters in JSON as \uXXXX, which means the same: they
// are in strings only.
func EscapeJSON(text []byte) []byte {
	return escape(text, func(dst []byte, r rune) []byte {
		if first, second := utf16.EncodeRune(r); first != utf8.RuneError {
			return fmt.Appendf(dst, `\u%04x\u%04x`, first, second)
		}
		return fmt.Appendf(dst, `\u%04x`, r)
	})
}

// EscapeYAML is [EscapeJSON] for YAML in which only double-quoted scalars have hidden
// characters.
func EscapeYAML(text []byte) []byte {
	return escape(text, func(dst []byte, r rune) []byte {
		if r > 0xFFFF {
			return fmt.Appendf(dst, `\U%08x`, r)
		}
		return fmt.Appendf(dst, `\u%04x`, r)
	})
}

// escape replaces the hidden characters other than tabs and line feeds.
func escape(text []byte, with func(dst []byte, r rune) []byte) []byte {
	if !hides(text) {
		return text
	}
	out := make([]byte, 0, len(text)+64)
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r != '\t' && r != '\n' && isHidden(r) {
			out = with(out, r)
		} else {
			out = utf8.AppendRune(out, r) // U+FFFD for a byte that is no UTF-8
		}
		text = text[size:]
	}
	return out
}

func hides(text []byte) bool {
	return !utf8.Valid(text) || bytes.ContainsFunc(text, func(r rune) bool { return r != '\t' && r != '\n' && isHidden(r) })
}

// EscapedLog returns a writer for a log, whose lines may hold input of others. It writes
// hidden characters as [EscapeJSON] does.
func EscapedLog(out io.Writer) io.Writer { return escapedLog{out} }

type escapedLog struct{ out io.Writer }

// Write implements io.Writer.
func (l escapedLog) Write(text []byte) (int, error) {
	if _, err := l.out.Write(EscapeJSON(text)); err != nil {
		return 0, err
	}
	return len(text), nil
}
