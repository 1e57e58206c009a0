package jsondoc

import (
	"math"
	"strings"
	"unicode/utf8"
)

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

// Object is a free-form JSON object as its canonical text, so two Objects are
// the same object exactly if == says so. The zero value "" is the empty object,
// as is "{}", which this package never makes. Make Objects with [ParseObject],
// [Value.Object] or [Reader.Free]; other text reads as the empty object.
type Object string

// ParseObject reads the text of one JSON object under the rules of [Parse]. Any
// other value is [ErrInvalid].
func ParseObject(text []byte) (Object, error) {
	v, err := Parse(text)
	if err != nil {
		return "", err
	}
	o, ok := v.Object()
	if !ok {
		return "", notObject("", v)
	}
	return o, nil
}

// Object returns v as a free-form object. ok is false if v is no object.
func (v Value) Object() (o Object, ok bool) { return v.ObjectWithin(math.MaxInt) }

// ObjectWithin is [Value.Object] for an object whose canonical text has at most
// maxBytes bytes. ok is also false for a longer one, which it does not write out.
func (v Value) ObjectWithin(maxBytes int) (o Object, ok bool) {
	if v.kind != KindObject {
		return "", false
	}
	if v.Len() == 0 {
		return "", len("{}") <= maxBytes
	}
	const usual = 512 // bytes, to avoid growing step by step
	text, ok := v.appendWithin(make([]byte, 0, usual), maxBytes)
	if !ok {
		return "", false
	}
	return Object(text), true
}

// String is the canonical text of o, a JSON object.
func (o Object) String() string {
	if o == "" {
		return "{}"
	}
	return string(o)
}

// Value returns o for reading.
func (o Object) Value() Value {
	v, err := parse(o.String(), maxDepth, Place{})
	if err != nil || v.kind != KindObject {
		return Value{"{}", KindObject}
	}
	return v
}

// Merge returns o after the JSON Merge Patch (RFC 7396) patch. A patch that is
// no object changes nothing.
func (o Object) Merge(patch Value) Object {
	if patch.kind != KindObject {
		return o
	}
	merged, _ := MergePatch(o.Value(), patch).Object() // it is one
	return merged
}
