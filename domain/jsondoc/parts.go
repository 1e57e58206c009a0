package jsondoc

import (
	"strings"

	"orgd/domain/decimal"
)

// parts walks the items of an array or the members of an object. It relies on
// the text having been checked.
type parts struct {
	text     string
	isObject bool
	begin    int  // of the part: its name, or its value in an array
	nameEnd  int  // behind its name
	escaped  bool // the name has escapes
	middle   int  // where its value begins
	end      int  // behind its value
}

// parts begins a walk before the first part; a scalar has none.
func (v Value) parts() parts {
	if v.kind < KindArray {
		return parts{}
	}
	return parts{text: v.text, isObject: v.kind == KindObject, end: 1}
}

// partsOf is parts for a value of this kind; another has none.
func (v Value) partsOf(kind Kind) (p parts) {
	if v.kind == kind {
		p = v.parts()
	}
	return p
}

// next goes to the next part and reports whether there is one.
func (p *parts) next() bool {
	p.begin = skipBetween(p.text, p.end)
	if p.begin >= len(p.text)-1 {
		return false // nothing but the closing bracket is left
	}
	p.middle = p.begin
	if p.isObject {
		p.nameEnd, p.escaped = stringEnd(p.text, p.begin)
		p.middle = skipBetween(p.text, p.nameEnd)
	}
	p.end = valueEnd(p.text, p.middle)
	return true
}

// repeats goes to the next part if it is the one that other has come to from begin, letter
// for letter, which takes a fraction of the time of [parts.next]. Else it stays.
func (p *parts) repeats(other parts, begin int) bool {
	text, rest := other.text[begin:other.end], p.text[p.end:]
	if !strings.HasPrefix(rest, text) || len(rest) == len(text) || rest[len(text)] != ',' && rest[len(text)] != '}' {
		return false
	}
	by := p.end - begin
	p.begin, p.nameEnd, p.escaped = other.begin+by, other.nameEnd+by, other.escaped
	p.middle, p.end = other.middle+by, other.end+by
	return true
}

// left counts the parts that are still to come.
func (p parts) left() int {
	n := 0
	for p.next() {
		n++
	}
	return n
}

// ref refers to the name of a member.
func (p *parts) ref() ref { return refTo(p.begin, p.escaped) }

func (p *parts) name() string {
	if p.escaped {
		return unescape(p.text[p.begin:p.nameEnd])
	}
	return p.text[p.begin+1 : p.nameEnd-1]
}

// raw is the text of the value.
func (p *parts) raw() string { return p.text[p.middle:p.end] }

func (p *parts) value() Value { return valueOf(p.raw()) }

func (p *parts) member() Member { return Member{p.name(), p.value()} }

// indexAt returns which part of v begins at a place.
func (v Value) indexAt(begin int) int {
	p, i := v.parts(), 0
	for p.next() && p.begin < begin {
		i++
	}
	return i
}

// valueOf makes the value of its text.
func valueOf(text string) Value {
	switch text[0] {
	case '"':
		return Value{unquote(text), KindString}
	case '{':
		return Value{text, KindObject}
	case '[':
		return Value{text, KindArray}
	case 't', 'f':
		return Value{text, KindBool}
	case 'n':
		return Value{}
	}
	if isPlainInteger(text) {
		return Value{text, KindNumber}
	}
	d, _ := decimal.Parse(text) // was checked
	return Value{string(d), KindNumber}
}

// isPlainInteger reports whether text is a number in normal form that needs no
// closer look.
func isPlainInteger(text string) bool {
	const always = 15 // digits are written out
	if len(text) > always || text[0] == '0' && len(text) > 1 {
		return false
	}
	for i := range len(text) {
		if text[i] < '0' || text[i] > '9' {
			return false
		}
	}
	return true
}

// between is the set of the characters between names and values.
const between uint64 = 1<<' ' | 1<<'\n' | 1<<'\r' | 1<<'\t' | 1<<',' | 1<<':'

// skipBetween skips what stands between names and values.
func skipBetween(text string, at int) int {
	for at < len(text) && text[at] < 64 && between>>text[at]&1 != 0 {
		at++
	}
	return at
}

// valueEnd returns the place behind the value that begins at a place in an array
// or object.
func valueEnd(text string, at int) int {
	switch text[at] {
	case '"':
		end, _ := stringEnd(text, at)
		return end
	case '[', '{':
		return bracketEnd(text, at)
	}
	for {
		switch text[at] {
		case ',', ']', '}', ' ', '\n', '\r', '\t':
			return at
		}
		at++
	}
}

// bracketEnd returns the place behind the array or object that begins at a place.
func bracketEnd(text string, at int) int {
	const curly = '{' ^ '[' // which is also '}' ^ ']'
	depth := 0
	for ; at < len(text); at++ {
		switch text[at] | curly {
		case '"':
			at, _ = stringEnd(text, at)
			at--
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return at + 1
			}
		}
	}
	return at // which does not happen
}
