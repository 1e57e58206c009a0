// Package jsondoc reads and writes JSON documents strictly and exactly.
//
// [Parse] accepts one JSON value and nothing that two readers could understand
// differently. A [Value] keeps the order of members and the exact numbers;
// [Value.Append] writes it in one canonical form. [Read] moves the members of
// an object into typed fields, [Writer] writes fields out, and [Object] carries
// free-form objects unchanged.
//
// A text is checked as a whole, but nothing is made of it before it is asked
// for. So what nobody asks for costs no memory, however much of it there is.
package jsondoc

import (
	"bytes"
	"iter"

	"orgd/domain/decimal"
)

// Kind says what a [Value] is.
type Kind uint8

// The kinds of values.
const (
	KindNull Kind = iota
	KindBool
	KindNumber
	KindString
	KindArray
	KindObject
)

// String is the kind with its article, as error sentences use it.
func (k Kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// Value is one JSON value. It never changes after [Parse] made it, may be
// copied and shared freely, and shares memory with the parsed text. The zero
// value is null.
type Value struct {
	// text is the unescaped text of a string, the normal form of a number, and
	// the checked text of everything else.
	text string
	kind Kind
}

// Member is one name and value of an object.
type Member struct {
	Name  string
	Value Value
}

// Kind says what v is.
func (v Value) Kind() Kind { return v.kind }

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.kind == KindNull }

// Bool is true if v is true, and false for everything else.
func (v Value) Bool() bool { return v.kind == KindBool && v.text == "true" }

// Number is the number v, or 0 if v is something else.
func (v Value) Number() decimal.Decimal {
	if v.kind != KindNumber {
		return "0"
	}
	return decimal.Decimal(v.text)
}

// Text is the string v without quotes and escapes, or "" if v is something
// else.
func (v Value) Text() string {
	if v.kind != KindString {
		return ""
	}
	return v.text
}

// Len is the number of items or members of v, 0 if v is neither an array nor an
// object. It costs no memory, as [Value.Items] and [Value.Members] do.
func (v Value) Len() int { return v.parts().left() }

// Items makes the items of the array v in order, nil if v is something else.
func (v Value) Items() []Value {
	var items []Value
	for p := v.partsOf(KindArray); p.next(); {
		items = append(items, p.value())
	}
	return items
}

// Members makes the members of the object v in the order of the text, nil if v
// is something else.
func (v Value) Members() []Member {
	var members []Member
	for p := v.partsOf(KindObject); p.next(); {
		members = append(members, p.member())
	}
	return members
}

// Names walks the names of the members of the object v in the order of the text.
// A value of another kind has none.
func (v Value) Names() iter.Seq[string] {
	return func(yield func(string) bool) {
		for p := v.partsOf(KindObject); p.next(); {
			if !yield(p.name()) {
				return
			}
		}
	}
}

// Get returns the member of the object v that has exactly this name. ok is
// false if there is none or v is something else. It walks the members.
func (v Value) Get(name string) (member Value, ok bool) {
	for p := v.partsOf(KindObject); p.next(); {
		if p.ref().is(v.text, name) {
			return p.value(), true
		}
	}
	return Value{}, false
}

// Only returns the object v with those of its members for which keep holds, in
// their order. Another value comes back as it is.
func (v Value) Only(keep func(name string) bool) Value {
	if v.kind != KindObject {
		return v
	}
	text := append(make([]byte, 0, len(v.text)), '{')
	for p := v.parts(); p.next(); {
		if keep(p.name()) {
			text = append(append(text, v.text[p.begin:p.end]...), ',')
		}
	}
	return Value{string(append(bytes.TrimSuffix(text, []byte(",")), '}')), KindObject}
}

// Equal reports whether v and w are the same value: equal numbers however they
// were written, and equal members in any order.
func (v Value) Equal(w Value) bool {
	return v == w || v.kind == w.kind && v.String() == w.String()
}

// String is the canonical text of v.
func (v Value) String() string { return string(v.Append(nil)) }
