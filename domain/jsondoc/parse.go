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
// accepts. Anything else is [ErrSyntax]. text may be reused afterwards.
func Parse(text []byte) (Value, error) { return parse(string(text), MaxDepth, Place{}) }

// ParseAt is [Parse] for a part of a longer text, which begins at a place. What
// is wrong is found in the longer text then.
func ParseAt(text []byte, begin Place) (Value, error) { return parse(string(text), MaxDepth, begin) }

// ParseStored reads a document that this service wrote itself. It differs from
// [Parse] in that the levels do not count against [MaxDepth] but may be up to
// 255: a stored document or an export wraps what a request brought.
func ParseStored(text []byte) (Value, error) { return parse(string(text), maxDepth, Place{}) }

func parse(text string, depth int, begin Place) (Value, error) {
	size := slabSize(text)
	p := parser{
		text: text, begin: begin, levels: depth, depth: depth,
		members: make([]Member, 0, size/2), items: make([]Value, 0, size/2), slabs: slabs{size: size},
	}
	if !utf8.ValidString(text) {
		p.failEncoding()
		return Value{}, p.err
	}
	if strings.HasPrefix(text, "\uFEFF") {
		p.fail(0, "a byte order mark is not allowed")
		return Value{}, p.err
	}
	v := p.value()
	if p.err == nil && !p.atEnd() {
		p.fail(p.at, "expected the end of the text, found %s", p.found())
	}
	if p.err != nil {
		return Value{}, p.err
	}
	return v, nil
}

// parser walks the text once. The members and items of the containers that are
// still open lie on two stacks; a container that closes takes its own off and
// copies them, in one piece, to a slab.
type parser struct {
	text   string
	begin  Place
	at     int // offset of the next byte
	levels int // how many levels are allowed
	depth  int // how many of them may still be opened
	err    error

	members []Member
	items   []Value
	slabs   slabs
}

// value reads the next value, after white space. After an error it returns null
// and every caller stops.
func (p *parser) value() Value {
	switch c := p.peek(); {
	case c == '"':
		return Value{text: p.string(), node: stringNode}
	case c == '{':
		return p.object()
	case c == '[':
		return p.array()
	case c == '-' || '0' <= c && c <= '9':
		return p.number()
	}
	return p.word()
}

// object reads an object from its opening brace on.
func (p *parser) object() Value {
	if !p.open() {
		return Value{}
	}
	mark := len(p.members)
	seen := nameSet{}
	for more := p.peek() != '}'; more; more = p.more('}', "member") {
		p.member(mark, &seen)
		if p.err != nil {
			return Value{}
		}
	}
	if p.err != nil {
		return Value{}
	}
	p.close()
	n := p.slabs.object(p.members[mark:])
	p.members = p.members[:mark]
	return Value{node: n}
}

// member reads one name and value onto the stack. mark is where the members of
// its object start there.
func (p *parser) member(mark int, seen *nameSet) {
	if p.peek() != '"' {
		p.fail(p.at, "expected a member name in double quotes, found %s", p.found())
		return
	}
	start := p.at
	name := p.string()
	if p.err == nil && seen.repeats(p.members[mark:], name) {
		p.fail(start, "duplicate key %s", quoted(name))
	}
	if p.err != nil {
		return
	}
	if p.peek() != ':' {
		p.fail(p.at, "expected a colon after the member name %s, found %s", quoted(name), p.found())
		return
	}
	p.at++
	v := p.value()
	p.members = append(p.members, Member{name, v})
}

// array reads an array from its opening bracket on.
func (p *parser) array() Value {
	if !p.open() {
		return Value{}
	}
	mark := len(p.items)
	for more := p.peek() != ']'; more; more = p.more(']', "item") {
		v := p.value()
		if p.err != nil {
			return Value{}
		}
		p.items = append(p.items, v)
	}
	if p.err != nil {
		return Value{}
	}
	p.close()
	n := p.slabs.array(p.items[mark:])
	p.items = p.items[:mark]
	return Value{node: n}
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

// close steps out behind the closing bracket.
func (p *parser) close() {
	p.depth++
	p.at++
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
