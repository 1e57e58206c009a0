package jsondoc_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"orgd/domain/jsondoc"
)

func TestParseObject(t *testing.T) {
	for in, want := range map[string]jsondoc.Object{
		`{}`:                     "",
		` { } `:                  "",
		`{"b": 1.0, "a": "\/"}`:  `{"a":"/","b":1}`,
		`{"n":null}`:             `{"n":null}`,
		`{"$ne":1,"a.b":{"":2}}`: `{"$ne":1,"a.b":{"":2}}`,
		`{"n":9007199254740993}`: `{"n":9007199254740993}`,
	} {
		got, err := jsondoc.ParseObject([]byte(in))
		if err != nil || got != want {
			t.Errorf("ParseObject(%s) = %q, %v, want %q", in, got, err, want)
		}
	}
	for in, want := range map[string]string{
		`[]`:   "the document must be an object, not an array",
		`null`: "the document must be an object, not null",
		`1`:    "the document must be an object, not a number",
	} {
		if _, err := jsondoc.ParseObject([]byte(in)); !errors.Is(err, jsondoc.ErrInvalid) || err.Error() != want {
			t.Errorf("ParseObject(%s) = %v, want %s", in, err, want)
		}
	}
	if _, err := jsondoc.ParseObject([]byte(`{`)); !errors.Is(err, jsondoc.ErrSyntax) {
		t.Errorf("ParseObject({) = %v, want %v", err, jsondoc.ErrSyntax)
	}
}

func TestObjectOfOtherText(t *testing.T) {
	for _, o := range []jsondoc.Object{"", "{}", "nonsense", "[1]"} {
		if v := o.Value(); v.Kind() != jsondoc.KindObject || len(v.Members()) != 0 || depth(v) != 1 {
			t.Errorf("Object(%q).Value() = %s, want {}", o, v)
		}
	}
	if got := jsondoc.Object("").String(); got != "{}" {
		t.Errorf(`Object("").String() = %q, want {}`, got)
	}
}

func TestObjectMerge(t *testing.T) {
	for _, c := range []struct {
		o     jsondoc.Object
		patch string
		want  jsondoc.Object
	}{
		{"", `{"b":1,"a":null}`, `{"b":1}`},
		{`{"a":1}`, `{"a":null}`, ""},
		{`{"a":1}`, `{}`, `{"a":1}`},
		{`{"b":1}`, `{"a":{"c":null,"d":2}}`, `{"a":{"d":2},"b":1}`},
		{`{"b":1}`, `[]`, `{"b":1}`},
		{`{"b":1}`, `null`, `{"b":1}`},
	} {
		if got := c.o.Merge(parse(t, c.patch)); got != c.want {
			t.Errorf("Object(%s).Merge(%s) = %s, want %s", c.o, c.patch, got, c.want)
		}
	}
}

func TestPropertyObjectMergesLikeValues(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		target := mustParse(t, object(3).Draw(t, "target"))
		patch := mustParse(t, object(3).Draw(t, "patch"))
		o, ok := target.Object()
		if !ok || !o.Value().Equal(target) {
			t.Fatalf("Object of %s = %s, %t, want it back", target, o, ok)
		}
		if got, want := o.Merge(patch).String(), jsondoc.MergePatch(target, patch).String(); got != want {
			t.Fatalf("Object(%s).Merge(%s) = %s, want %s", o, patch, got, want)
		}
	})
}

func TestPropertyObjectWithin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := mustParse(t, object(3).Draw(t, "object"))
		whole, _ := v.Object()
		most := rapid.IntRange(0, 2*len(v.String())).Draw(t, "bytes")
		o, ok := v.ObjectWithin(most)
		if ok != (len(v.String()) <= most) || ok && o != whole || !ok && o != "" {
			t.Fatalf("%s within %d bytes = %q, %t", v, most, o, ok)
		}
	})
}
