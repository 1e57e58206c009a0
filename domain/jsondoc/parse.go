package jsondoc

import (
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
	if !utf8.ValidString(text) {
		p.failEncoding()
		return Value{}, p.err
	}
	switch {
	case strings.HasPrefix(text, "\uFEFF"):
		p.fail(0, "a byte order mark is not allowed")
	case int64(len(text)) >= maxText:
		p.fail(0, "the text is too long")
	}
	if p.err != nil {
		return Value{}, p.err
	}
	p.peek()
	start := p.at
	p.value()
	end := p.at
	if p.err == nil && !p.atEnd() {
		p.fail(p.at, "expected the end of the text, found %s", p.found())
	}
	if p.err != nil {
		return Value{}, p.err
	}
	return valueOf(text[start:end]), nil
}

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

// atEnd skips white space and reports whether nothing is left. A NUL byte is
// not the end, though peek returns 0 for both.
func (p *parser) atEnd() bool {
	p.peek()
	return p.at == len(p.text)
}
