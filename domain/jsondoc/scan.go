package jsondoc

import (
	"unicode/utf16"
	"unicode/utf8"

	"orgd/domain/decimal"
	"orgd/domain/fault"
)

// word reads true, false or null.
func (p *parser) word() Value {
	start := p.at
	for p.at < len(p.text) && isLetter(p.text[p.at]) {
		p.at++
	}
	switch p.text[start:p.at] {
	case "true":
		return Value{node: trueNode}
	case "false":
		return Value{node: falseNode}
	case "null":
		return Value{}
	case "":
		p.fail(start, "expected a value, found %s", p.found())
	default:
		p.fail(start, "%s is not a value; text needs double quotes", quoted(p.text[start:p.at]))
	}
	return Value{}
}

func isLetter(c byte) bool { return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' }

// number reads everything that could belong to a number and lets package
// decimal judge it.
func (p *parser) number() Value {
	start := p.at
	for p.at < len(p.text) && isNumeric(p.text[p.at]) {
		p.at++
	}
	d, err := decimal.Parse(p.text[start:p.at])
	if err != nil {
		p.fail(start, "%s", fault.Of(err).Msg)
		return Value{}
	}
	return Value{text: string(d), node: numberNode}
}

func isNumeric(c byte) bool {
	return '0' <= c && c <= '9' || c == '-' || c == '+' || c == '.' || isLetter(c)
}

// string reads a string from its opening quote on and returns its text without
// escapes. Text that needs no change is not copied.
func (p *parser) string() string {
	p.at++
	start := p.at
	p.plain()
	if p.at < len(p.text) && p.text[p.at] == '"' {
		p.at++
		return p.text[start : p.at-1]
	}
	return p.escaped(start)
}

// plain skips to the next byte that ends or interrupts a string.
func (p *parser) plain() {
	for p.at < len(p.text) {
		if c := p.text[p.at]; c == '"' || c == '\\' || c < ' ' {
			return
		}
		p.at++
	}
}

// escaped reads the rest of a string whose text so far, from start on, is
// plain.
func (p *parser) escaped(start int) string {
	quote := start - 1
	var b []byte
	for p.at < len(p.text) {
		b = append(b, p.text[start:p.at]...)
		switch c := p.text[p.at]; {
		case c == '"':
			p.at++
			return string(b)
		case c < ' ':
			p.fail(p.at, "the control character U+%04X must be written as an escape", c)
		default:
			b = p.escape(b)
		}
		if p.err != nil {
			return ""
		}
		start = p.at
		p.plain()
	}
	p.fail(quote, "this string has no closing quote")
	return ""
}

// escape reads one escape, from its backslash on, and appends what it means.
func (p *parser) escape(b []byte) []byte {
	if p.at+1 == len(p.text) {
		p.at++ // the caller finds that the string does not end
		return b
	}
	if p.text[p.at+1] == 'u' {
		return utf8.AppendRune(b, p.unicodeEscape())
	}
	c := unescaped(p.text[p.at+1])
	if c == 0 {
		p.fail(p.at, "after a backslash must come one of \" \\ / b f n r t u")
		return b
	}
	p.at += 2
	return append(b, c)
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

// unicodeEscape reads \uXXXX, or two of them that make up a surrogate pair.
func (p *parser) unicodeEscape() rune {
	start := p.at
	r, ok := p.codeUnit()
	if !ok {
		p.fail(start, "four hexadecimal digits must follow \\u")
		return utf8.RuneError
	}
	if !utf16.IsSurrogate(r) {
		return r
	}
	if low, ok := p.codeUnit(); ok {
		if r := utf16.DecodeRune(r, low); r != utf8.RuneError {
			return r
		}
	}
	p.fail(start, "the surrogate %s is not part of a pair", p.text[start:start+6])
	return utf8.RuneError
}

// codeUnit reads one \uXXXX, if there is one.
func (p *parser) codeUnit() (unit rune, ok bool) {
	if len(p.text)-p.at < 6 || p.text[p.at:p.at+2] != `\u` {
		return 0, false
	}
	for i := p.at + 2; i < p.at+6; i++ {
		digit, ok := hexValue(p.text[i])
		if !ok {
			return 0, false
		}
		unit = unit<<4 | digit
	}
	p.at += 6
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
