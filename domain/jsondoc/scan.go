package jsondoc

import (
	"orgd/domain/decimal"
	"orgd/domain/fault"
)

// parser checks a text, in which it walks once. It makes nothing of it but the
// names that an object must not have twice.
type parser struct {
	text   string
	begin  Place
	at     int // offset of the next byte
	levels int // how many levels are allowed
	depth  int // how many of them may still be opened
	err    error
}

// value passes the next value, after white space. After an error every caller
// stops.
func (p *parser) value() {
	switch c := p.peek(); {
	case c == '"':
		p.string()
	case c == '{':
		p.object()
	case c == '[':
		p.array()
	case c == '-' || '0' <= c && c <= '9':
		p.number()
	default:
		p.word()
	}
}

// object passes an object from its opening brace on.
func (p *parser) object() {
	if !p.open() {
		return
	}
	var names refSet
	for more := p.peek() != '}'; more; more = p.more('}', "member") {
		if p.member(&names); p.err != nil {
			return
		}
	}
	p.close()
}

// member passes one name and value. names are those before it in its object.
func (p *parser) member(names *refSet) {
	if p.peek() != '"' {
		p.fail(p.at, "expected a member name in double quotes, found %s", p.found())
		return
	}
	start := p.at
	escaped := p.string()
	if p.err != nil {
		return
	}
	name := p.text[start+1 : p.at-1]
	if escaped {
		name = unescape(p.text[start:p.at])
	}
	if names.add(p.text, name, refTo(start, escaped)) != 0 {
		p.fail(start, "duplicate key %s", quoted(name))
		return
	}
	if p.peek() != ':' {
		p.fail(p.at, "expected a colon after the member name %s, found %s", quoted(name), p.found())
		return
	}
	p.at++
	p.value()
}

// array passes an array from its opening bracket on.
func (p *parser) array() {
	if !p.open() {
		return
	}
	for more := p.peek() != ']'; more; more = p.more(']', "item") {
		if p.value(); p.err != nil {
			return
		}
	}
	p.close()
}

// open steps into an object or array, if it is not too deep.
func (p *parser) open() bool {
	if p.depth == 0 {
		p.fail(p.at, "nested too deeply, at most %d levels are allowed", p.levels)
		return false
	}
	p.depth--
	p.at++
	return true
}

// close steps out behind the closing bracket, unless something was found instead
// of it.
func (p *parser) close() {
	if p.err == nil {
		p.depth++
		p.at++
	}
}

// more reports whether another part of an object or array follows, and steps
// over the comma before it. end is the closing bracket.
func (p *parser) more(end byte, part string) bool {
	switch c := p.peek(); {
	case c == end:
		return false
	case c != ',':
		p.fail(p.at, "expected a comma or %c after the %s, found %s", end, part, p.found())
		return false
	}
	comma := p.at
	p.at++
	if p.peek() == end {
		p.fail(comma, "a comma must not stand before %c", end)
		return false
	}
	return true
}

// peek skips white space and returns the byte there, 0 at the end of the text.
func (p *parser) peek() byte {
	for p.at < len(p.text) {
		switch c := p.text[p.at]; c {
		case ' ', '\n', '\r', '\t':
			p.at++
		default:
			return c
		}
	}
	return 0
}

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
	rest := p.text[p.at:]
	if _, size := decodeEscape(rest); size > 0 {
		p.at += size
		return
	}
	switch _, isUnit := codeUnit(rest); {
	case isUnit:
		p.fail(p.at, "the surrogate %s is not part of a pair", rest[:unitSize])
	case len(rest) == 1:
		p.at++ // the caller finds that the string does not end
	case rest[1] == 'u':
		p.fail(p.at, "four hexadecimal digits must follow \\u")
	default:
		p.fail(p.at, "after a backslash must come one of \" \\ / b f n r t u")
	}
}
