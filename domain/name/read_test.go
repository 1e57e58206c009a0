package name_test

import (
	"errors"
	"strings"
	"testing"

	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

func read(t *testing.T, text string) (name.Name, error) {
	t.Helper()
	v, err := jsondoc.Parse([]byte(text))
	if err != nil {
		t.Fatalf("jsondoc.Parse(%.40s) = %v", text, err)
	}
	n := name.Name{Text: "Old", Key: "old"}
	err = jsondoc.Read(v, func(r *jsondoc.Reader) { name.Read(r, "name", &n, 8) })
	return n, err
}

func TestRead(t *testing.T) {
	for text, want := range map[string]name.Name{
		`{}`:                    {Text: "Old", Key: "old"},
		`{"name":" Ada\u00a0"}`: {Text: "Ada", Key: "ada"},
		`{"name":"e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301e\u0301"}`: {Text: "éééééééé", Key: "éééééééé"},
	} {
		if got, err := read(t, text); got != want || err != nil {
			t.Errorf("Read(%s) = %+v, %v, want %+v", text, got, err, want)
		}
	}
}

// A wrong name is one problem, said once, and leaves the field as it was.
func TestReadRefuses(t *testing.T) {
	for text, want := range map[string]string{
		`{"name":null}`:        `name: must not be null`,
		`{"name":1}`:           `name: must be a string`,
		`{"name":" "}`:         `name: the name must not be empty`,
		`{"name":"123456789"}`: `name: the name must not be longer than 8 characters, it has 9`,
		`{"name":"` + strings.Repeat("x", 5000) + `"}`: `name: the name must not be longer than 8 characters, it has 5000`,
	} {
		n, err := read(t, text)
		if !errors.Is(err, jsondoc.ErrInvalid) || err.Error() != want || n.Text != "Old" {
			t.Errorf("Read(%.40s) = %+v, %v, want %q and the old name", text, n, err, want)
		}
	}
}
