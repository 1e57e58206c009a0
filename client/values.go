package client

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math/big"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Date is a day in UTC, such as "2026-03-01". Dates compare as text.
type Date string

// DateOf is the day of t in UTC.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(time.DateOnly)) }

// Time is the beginning of the day. The error says that d is not a date.
func (d Date) Time() (time.Time, error) { return time.Parse(time.DateOnly, string(d)) }

// Decimal is an exact number in decimal notation, such as "12.50". It is text,
// so nothing is rounded, and constants can be written as they are:
//
//	company.BudgetMonthly = "250000.00"
//
// The empty Decimal is 0. In the fields of an input it is left out instead.
type Decimal string

// maxExponent bounds the work of [Decimal.Rat].
const maxExponent = 1000

// Rat returns the number for exact calculation. The error says that d is not a
// number, or one beyond all measure.
func (d Decimal) Rat() (*big.Rat, error) {
	text := cmp.Or(string(d), "0")
	if _, exponent, found := strings.Cut(strings.ToLower(text), "e"); found {
		if n, err := strconv.Atoi(exponent); err != nil || n > maxExponent || n < -maxExponent {
			return nil, fmt.Errorf("client: decimal %q: the exponent is out of range", text)
		}
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || !isNumber(text) {
		return nil, fmt.Errorf("client: decimal %q: is not a number", text)
	}
	return r, nil
}

// Float64 returns the nearest float64, which is inexact as these are. Text that
// is not a number is 0.
func (d Decimal) Float64() float64 {
	if !isNumber(string(d)) {
		return 0
	}
	// The text is a number here, so the only error is the range, and then f is
	// already the infinity.
	f, _ := strconv.ParseFloat(string(d), 64)
	return f
}

// MarshalJSON implements json.Marshaler. It writes a number, as it stands.
func (d Decimal) MarshalJSON() ([]byte, error) {
	text := cmp.Or(string(d), "0")
	if !isNumber(text) {
		return nil, fmt.Errorf("decimal %q: is not a number", text)
	}
	return []byte(text), nil
}

// UnmarshalJSON implements json.Unmarshaler. It takes a number, as it stands.
func (d *Decimal) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil // as everywhere in encoding/json
	}
	if !isNumber(string(text)) {
		return fmt.Errorf("decimal %s: is not a number", text)
	}
	*d = Decimal(text)
	return nil
}

// isNumber reports whether text is a number of JSON.
func isNumber(text string) bool {
	return text != "" && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') && json.Valid([]byte(text)) && strings.TrimSpace(text) == text
}

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
// known, a pointer to a struct, the others into others, nil if there are none.
func openObject[M ~map[string]V, V any](text []byte, known any, others *M) error {
	if err := decode(text, known); err != nil {
		return err
	}
	var all map[string]V
	if err := decode(text, &all); err != nil {
		return err
	}
	for _, name := range fieldsOf(reflect.TypeOf(known).Elem()) {
		delete(all, name)
	}
	*others = nil
	if len(all) > 0 {
		*others = all
	}
	return nil
}

// joinObject writes known, a struct, and other members as one object. A member
// that both have is an error, because one of them would be lost.
func joinObject(known any, others Object) ([]byte, error) {
	for _, name := range fieldsOf(reflect.TypeOf(known)) {
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

// fieldsOf returns the names that the fields of a struct have in JSON.
func fieldsOf(t reflect.Type) (names []string) {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			names = append(names, name)
		}
	}
	return names
}
