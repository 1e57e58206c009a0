// Package domaintest has what the tests of most domain packages need: texts
// become values, and errors become codes.
package domaintest

import (
	"errors"
	"testing"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// JSON parses a text, which must be JSON.
func JSON(t testing.TB, text string) jsondoc.Value {
	t.Helper()
	v, err := jsondoc.Parse([]byte(text))
	if err != nil {
		t.Fatalf("jsondoc.Parse(%.80s) = %v", text, err)
	}
	return v
}

// Read reads a JSON text by a function such as ParsePatch, which must accept it.
func Read[T any](t testing.TB, read func(jsondoc.Value) (T, error), text string) T {
	t.Helper()
	v, err := read(JSON(t, text))
	if err != nil {
		t.Fatalf("%.80s = %v", text, err)
	}
	return v
}

// Name is the name that a text says. Another text is a mistake of the test, and
// a panic.
func Name(text string) name.Name {
	n, err := name.Parse(text)
	if err != nil {
		panic(err)
	}
	return n
}

// Code is the code of an error: 0 for nil, and -1 for an error that has none.
func Code(err error) fault.Code {
	var f *fault.Error
	switch {
	case err == nil:
		return 0
	case errors.As(err, &f):
		return f.Code
	}
	return -1
}
