package jsondoc

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"orgd/domain/decimal"
	"orgd/domain/fault"
)

// word passes true, false or null.
func (p *parser) word() {
	start := p.at
	for p.at < len(p.text) && isLetter(p.text[p.at]) {
		p.at++
	}
	switch word := p.text[start:p.at]; word {
	case "true", "false", "null":
	case "":
		p.fail(start, "expected a value, found %s", p.found())
	default:
		p.fail(start, "%s is not a value; text needs double quotes", quoted(word))
	}
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// number passes everything that could belong to a number and lets package
// decimal judge it.
func (p *parser) number() {
	start := p.at
	for p.at < len(p.text) && isNumeric(p.text[p.at]) {
		p.at++
	}
	text := p.text[start:p.at]
	if isPlainInteger(text) {
		return
	}
	if err := decimal.Check(text); err != nil {
		p.fail(start, "%s", fault.Of(err).Msg)
	}
}

func isNumeric(c byte) bool {
	return '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.' || isLetter(c)
}

// string passes a string from its opening quote on and reports whether it has
// escapes.
func (p *parser) string() (escaped bool) {
	quote := p.at
	p.at++
	for p.err == nil {
		p.plain()
		if p.at >= len(p.text) {
			p.fail(quote, "this string has no closing quote")
			break
		}
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return escaped
		case c < ' ':
			p.fail(p.at, "the control character U+%04X must be written as an escape", c)
		default:
			escaped = true
			p.escape()
		}
	}
	return escaped
}

// plain skips to the next byte that ends or interrupts a string.
func (p *parser) plain() {
	rest := p.text[p.at:]
	for i := range len(rest) {
		if c := rest[i]; c == '"' || c == '\\' || c < ' ' {
			p.at += i
			return
		}
	}
	p.at = len(p.text)
}

// escape passes one escape, from its backslash on.
func (p *parser) escape() {
	if p.at+1 == len(p.text) {
		p.at++ // the caller finds that the string does not end
		return
	}
	if p.text[p.at+1] == 'u' {
		p.unicodeEscape()
		return
	}
	if unescaped(p.text[p.at+1]) == 0 {
		p.fail(p.at, "after a backslash must come one of \" \\ / b f n r t u")
		return
	}
	p.at += 2
}

// unescaped is what the character after a backslash stands for, 0 for none.
func unescaped(c byte) byte {
	switch c {
	case '"', '\\', '/':
		return c
	case 'b':
		return '\b'
	case 'f':
		return '\f'
	case 'n':
		return '\n'
	case 'r':
		return '\r'
	case 't':
		return '\t'
	}
	return 0
}

// unicodeEscape passes \uXXXX, or two of them that make up a surrogate pair.
func (p *parser) unicodeEscape() {
	switch _, size := decodeUnicode(p.text[p.at:]); size {
	case 0:
		p.fail(p.at, "four hexadecimal digits must follow \\u")
	case lone:
		p.fail(p.at, "the surrogate %s is not part of a pair", p.text[p.at:p.at+unitSize])
	default:
		p.at += size
	}
}

const (
	unitSize = len(`\u0000`)
	lone     = -1 // half of a pair
)

// decodeUnicode returns the character that text begins with as \uXXXX, or two of
// them that make up a surrogate pair, and how many bytes of text that are: 0 if
// it is none, or lone.
func decodeUnicode(text string) (r rune, size int) {
	r, ok := codeUnit(text)
	if !ok {
		return utf8.RuneError, 0
	}
	if !utf16.IsSurrogate(r) {
		return r, unitSize
	}
	if low, ok := codeUnit(text[unitSize:]); ok {
		if r := utf16.DecodeRune(r, low); r != utf8.RuneError {
			return r, 2 * unitSize
		}
	}
	return utf8.RuneError, lone
}

// codeUnit reads the \uXXXX that text begins with, if there is one.
func codeUnit(text string) (unit rune, ok bool) {
	if len(text) < unitSize || text[:2] != `\u` {
		return 0, false
	}
	for i := 2; i < unitSize; i++ {
		digit, ok := hexValue(text[i])
		if !ok {
			return 0, false
		}
		unit = unit<<4 | digit
	}
	return unit, true
}

func hexValue(c byte) (v rune, ok bool) {
	switch {
	case '0' <= c && c <= '9':
		return rune(c - '0'), true
	case 'a' <= c && c <= 'f':
		return rune(c-'a') + 10, true
	case 'A' <= c && c <= 'F':
		return rune(c-'A') + 10, true
	}
	return 0, false
}

// escaped returns what the escape means that checked text begins with, and how
// many bytes it has.
func escaped(text string) (meaning rune, size int) {
	if text[1] == 'u' {
		return decodeUnicode(text)
	}
	return rune(unescaped(text[1])), len(`\n`)
}

// cutEscape returns what stands in checked text before and behind its first
// escape, and what that one means. found is false if there is none.
func cutEscape(text string) (before string, meaning rune, behind string, found bool) {
	i := strings.IndexByte(text, '\\')
	if i < 0 {
		return text, 0, "", false
	}
	meaning, size := escaped(text[i:])
	return text[:i], meaning, text[i+size:], true
}
