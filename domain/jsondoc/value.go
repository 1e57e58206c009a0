// Package jsondoc reads and writes JSON documents strictly and exactly.
//
// [Parse] accepts one JSON value and nothing that two readers could understand
// differently. A [Value] keeps the order of members and the exact numbers;
// [Value.Append] writes it in one canonical form. [Read] moves the members of
// an object into typed fields, [Writer] writes fields out, and [Object] carries
// free-form objects unchanged.
package jsondoc

import "orgd/domain/decimal"

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
	// text is the unescaped text of a string or the normal form of a number.
	text string
	// node is nil for null, one of the shared nodes below for the other
	// scalars, and an array's or object's own node. This keeps a Value at three
	// words.
	node *node
}

// Member is one name and value of an object.
type Member struct {
	Name  string
	Value Value
}

// node is what a Value's text cannot say. Nodes are never modified once a Value
// holds them, so those without content are shared.
type node struct {
	kind    Kind
	depth   uint8 // levels of arrays and objects, this one included
	sorted  bool  // the members are in canonical order
	removes bool  // as a merge patch, the object removes members
	items   []Value
	members []Member
}

var (
	falseNode  = &node{kind: KindBool}
	trueNode   = &node{kind: KindBool}
	numberNode = &node{kind: KindNumber}
	stringNode = &node{kind: KindString}

	emptyArray  = &node{kind: KindArray, depth: 1}
	emptyObject = &node{kind: KindObject, depth: 1, sorted: true}
)

// Kind says what v is.
func (v Value) Kind() Kind {
	if v.node == nil {
		return KindNull
	}
	return v.node.kind
}

// IsNull reports whether v is null.
func (v Value) IsNull() bool { return v.node == nil }

// Bool is true if v is true, and false for everything else.
func (v Value) Bool() bool { return v.node == trueNode }

// Number is the number v, or 0 if v is something else.
func (v Value) Number() decimal.Decimal {
	if v.Kind() != KindNumber {
		return "0"
	}
	return decimal.Decimal(v.text)
}

// Text is the string v without quotes and escapes, or "" if v is something
// else.
func (v Value) Text() string {
	if v.Kind() != KindString {
		return ""
	}
	return v.text
}

// Items are the items of the array v in order, nil if v is something else. The
// slice belongs to v and must not be modified.
func (v Value) Items() []Value {
	if v.node == nil {
		return nil
	}
	return v.node.items
}

// Members are the members of the object v in the order of the text, nil if v is
// something else. The slice belongs to v and must not be modified.
func (v Value) Members() []Member {
	if v.node == nil {
		return nil
	}
	return v.node.members
}

// Get returns the member of the object v that has exactly this name. ok is
// false if there is none or v is something else. It walks the members.
func (v Value) Get(name string) (member Value, ok bool) {
	for _, m := range v.Members() {
		if m.Name == name {
			return m.Value, true
		}
	}
	return Value{}, false
}

// Only returns the object v with those of its members for which keep holds, in
// their order. Another value comes back as it is.
func (v Value) Only(keep func(name string) bool) Value {
	if v.Kind() != KindObject {
		return v
	}
	var members []Member
	for _, m := range v.Members() {
		if keep(m.Name) {
			members = append(members, m)
		}
	}
	return Value{node: newObject(members)}
}

// Depth counts the levels of arrays and objects: 0 for a scalar, 1 for [].
func (v Value) Depth() int {
	if v.node == nil {
		return 0
	}
	return int(v.node.depth)
}

// Equal reports whether v and w are the same value: equal numbers however they
// were written, and equal members in any order.
func (v Value) Equal(w Value) bool {
	return v.Kind() == w.Kind() && v.String() == w.String()
}

// String is the canonical text of v.
func (v Value) String() string { return string(v.Append(nil)) }

// describeArray completes an array whose items are set.
func (n *node) describeArray() {
	n.kind = KindArray
	for _, v := range n.items {
		n.deepen(v)
	}
	n.depth++
}

// describeObject completes an object whose members are set.
func (n *node) describeObject() {
	n.kind, n.sorted = KindObject, true
	for i, m := range n.members {
		n.deepen(m.Value)
		n.removes = n.removes || m.Value.IsNull() || m.Value.removes()
		n.sorted = n.sorted && (i == 0 || compareNames(n.members[i-1].Name, m.Name) < 0)
	}
	n.depth++
}

// newObject makes an object that keeps members.
func newObject(members []Member) *node {
	n := &node{members: members}
	n.describeObject()
	return n
}

// removes reports whether v, read as a JSON Merge Patch, is an object that
// removes members. One that does not is the result of merging it into nothing.
func (v Value) removes() bool { return v.node != nil && v.node.removes }

// deepen makes n at least as deep as its part v.
func (n *node) deepen(v Value) {
	if v.node != nil {
		n.depth = max(n.depth, v.node.depth)
	}
}
