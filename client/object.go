package client

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Object is a free-form JSON object. What comes from the service holds strings,
// bools, nil, []any, map[string]any and, for every number, json.Number, so that
// numbers of any size and precision stay what they are.
type Object map[string]any

// UnmarshalJSON implements json.Unmarshaler.
func (o *Object) UnmarshalJSON(text []byte) error {
	return decode(text, (*map[string]any)(o))
}

// Decode stores the object in a struct, a map or whatever else encoding/json can
// make of it.
func (o Object) Decode(into any) error {
	text, err := encode(o)
	if err != nil {
		return err
	}
	return decode(text, into)
}

// decode reads JSON and keeps the numbers in values of type any.
func decode(text []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return d.Decode(into)
}

// encode writes JSON without the escapes that only HTML needs.
func encode(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

// openObject reads an object of which some members are known: those go into
// known, a pointer to a struct, the others are returned.
func openObject(text []byte, known any) (map[string]json.RawMessage, error) {
	if err := decode(text, known); err != nil {
		return nil, err
	}
	var others map[string]json.RawMessage
	if err := json.Unmarshal(text, &others); err != nil {
		return nil, err
	}
	for name := range fieldsOf(reflect.TypeOf(known).Elem()) {
		delete(others, name)
	}
	if len(others) == 0 {
		return nil, nil
	}
	return others, nil
}

// openFree is openObject with the other members as values.
func openFree(text []byte, known any) (Object, error) {
	others, err := openObject(text, known)
	if err != nil || others == nil {
		return nil, err
	}
	free := Object{}
	for name, raw := range others {
		var v any
		if err := decode(raw, &v); err != nil {
			return nil, err
		}
		free[name] = v
	}
	return free, nil
}

// joinObject writes known, a struct, and other members as one object. A member
// that both have is an error, because one of them would be lost.
func joinObject(known any, others Object) ([]byte, error) {
	for name := range fieldsOf(reflect.TypeOf(known)) {
		if _, twice := others[name]; twice {
			return nil, fmt.Errorf("%s: has a field of its own and must not stand in Other", name)
		}
	}
	text, err := encode(known)
	if err != nil || len(others) == 0 {
		return text, err
	}
	more, err := encode(others)
	if err != nil {
		return nil, err
	}
	if string(text) == "{}" {
		return more, nil
	}
	return append(append(text[:len(text)-1], ','), more[1:]...), nil
}

// fieldsOf maps the names that the fields of a struct have in JSON to the fields.
func fieldsOf(t reflect.Type) map[string]reflect.StructField {
	all := map[string]reflect.StructField{}
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			all[name] = f
		}
	}
	return all
}
