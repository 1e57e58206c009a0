package jsondoc

import "math"

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
		return "", notObject(v)
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
	const usual = 512 // bytes, to avoid growing step by step
	text, ok := v.appendWithin(make([]byte, 0, usual), maxBytes)
	if !ok || len(text) == len("{}") {
		return "", ok
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
