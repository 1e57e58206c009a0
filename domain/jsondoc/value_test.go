package jsondoc_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"orgd/domain/jsondoc"
)

func TestValueAccessors(t *testing.T) {
	v := parse(t, `{"b":[1,"x"],"a":true,"n":1.50,"s":"t","z":null}`)
	kinds := map[string]jsondoc.Kind{
		"b": jsondoc.KindArray, "a": jsondoc.KindBool, "n": jsondoc.KindNumber,
		"s": jsondoc.KindString, "z": jsondoc.KindNull,
	}
	for name, want := range kinds {
		m, ok := v.Get(name)
		if !ok || m.Kind() != want || m.IsNull() != (want == jsondoc.KindNull) {
			t.Errorf("Get(%q) = %s, %t, want %s", name, m.Kind(), ok, want)
		}
		if m.Bool() != (name == "a") || (m.Number() != "0") != (name == "n") || (m.Text() != "") != (name == "s") || (m.Items() != nil) != (name == "b") || m.Members() != nil {
			t.Errorf("member %q = %t %q %q %v, want only its own kind", name, m.Bool(), m.Number(), m.Text(), m.Items())
		}
	}
	if _, ok := v.Get("B"); ok {
		t.Error(`Get("B") found a member, want names compared exactly`)
	}
	if v.Members()[0].Name != "b" || v.Members()[4].Name != "z" {
		t.Errorf("Members = %v, want the order of the text", v.Members())
	}
	if _, ok := v.Members()[2].Value.Get("n"); ok {
		t.Error("Get on a number found a member")
	}
}

func TestZeroValueIsNull(t *testing.T) {
	var v jsondoc.Value
	if v.Kind() != jsondoc.KindNull || v.String() != "null" || depth(v) != 0 || !v.Equal(parse(t, "null")) {
		t.Errorf("the zero Value = %s %s, want null", v.Kind(), v)
	}
}

// depth counts the levels of arrays and objects: 0 for a scalar, 1 for [].
func depth(v jsondoc.Value) int {
	if k := v.Kind(); k != jsondoc.KindArray && k != jsondoc.KindObject {
		return 0
	}
	below := 0
	for _, item := range v.Items() {
		below = max(below, depth(item))
	}
	for _, m := range v.Members() {
		below = max(below, depth(m.Value))
	}
	return 1 + below
}

func TestEqual(t *testing.T) {
	for _, c := range []struct {
		a, b string
		want bool
	}{
		{`{"a":1.0,"b":[2]}`, `{"b":[2e0],"a":1}`, true},
		{`[1,2]`, `[2,1]`, false},
		{`"1"`, `1`, false},
		{`null`, `"null"`, false},
		{`{}`, `[]`, false},
		{`{"a":null}`, `{}`, false},
		{`9007199254740992`, `9007199254740993`, false},
	} {
		if got := parse(t, c.a).Equal(parse(t, c.b)); got != c.want {
			t.Errorf("%s Equal %s = %t, want %t", c.a, c.b, got, c.want)
		}
	}
}

func TestKindNames(t *testing.T) {
	for kind, want := range map[jsondoc.Kind]string{
		jsondoc.KindNull: "null", jsondoc.KindBool: "a boolean", jsondoc.KindNumber: "a number",
		jsondoc.KindString: "a string", jsondoc.KindArray: "an array", jsondoc.KindObject: "an object",
	} {
		if got := kind.String(); got != want {
			t.Errorf("Kind(%d) = %q, want %q", kind, got, want)
		}
	}
}

func TestLen(t *testing.T) {
	for in, want := range map[string]int{
		"1": 0, `"[1,2]"`: 0, "null": 0, "[]": 0, "{ }": 0, "[ 1 , [2,3] ]": 2, `["]",{"a":1}]`: 2, `{"a":[1,2],"}":"\"}"}`: 2,
	} {
		if got := parse(t, in).Len(); got != want {
			t.Errorf("Len of %s = %d, want %d", in, got, want)
		}
	}
}

// A name is found however it is written, and only the whole of it.
func TestGetByTheMeaningOfNames(t *testing.T) {
	v := parse(t, `{"\u0061":1,"b\"":2,"b\":":3,"b":"x","\ud83d\ude00":4,"\ufffd":5,"c\u0064":6,"cde":7}`)
	for name, want := range map[string]string{
		"a": "1", `b"`: "2", `b":`: "3", "b": `"x"`, "😀": "4", "\ufffd": "5", "cd": "6", "cde": "7",
		"": "", "c": "", `\u0061`: "", `b":"x`: "", "\xff": "", "😁": "", "\U0001F600x": "",
	} {
		got, ok := v.Get(name)
		if ok != (want != "") || ok && got.String() != want {
			t.Errorf("Get(%q) = %s, %t, want %q", name, got, ok, want)
		}
	}
}

func TestIndex(t *testing.T) {
	for _, n := range []int{0, 1, 16, 17, 1000} {
		var w strings.Builder
		for i := range n {
			fmt.Fprintf(&w, `,"%d":%d`, i, i)
		}
		x := parse(t, "{"+strings.TrimPrefix(w.String(), ",")+"}").Index()
		if len(x.Members()) != n {
			t.Errorf("an index of %d members has %d", n, len(x.Members()))
		}
		for i := range n + 1 {
			if v, ok := x.Get(strconv.Itoa(i)); ok != (i < n) || ok && string(v.Number()) != strconv.Itoa(i) {
				t.Errorf("of %d members, %d is %v, %t", n, i, v, ok)
			}
		}
	}
	if x := parse(t, `["0"]`).Index(); len(x.Members()) != 0 {
		t.Errorf("an index of an array has %v", x.Members())
	}
}

func TestNames(t *testing.T) {
	for text, want := range map[string]string{
		`{}`: "", `{"b":{"c":1},"a":[{"d":2}]}`: "b a ", ` { "x\u0079" : "}" , "" : 0 } `: "xy  ", `["a"]`: "", `"a"`: "", `1`: "",
	} {
		var got string
		for name := range parse(t, text).Names() {
			got += name + " "
		}
		if got != want {
			t.Errorf("Names of %s = %q, want %q", text, got, want)
		}
	}
	for name := range parse(t, `{"a":1,"b":2}`).Names() {
		if name != "a" {
			t.Errorf("the walk goes on with %q, want it ended", name)
		}
		break
	}
}
