package yamldoc_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"orgd/adapters/httpapi/internal/document/yamldoc"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

const deep = 32

func value(t testing.TB, json string) jsondoc.Value {
	t.Helper()
	v, err := jsondoc.Parse([]byte(json))
	if err != nil {
		t.Fatalf("jsondoc.Parse(%s) = %v", json, err)
	}
	return v
}

// whole writes an object as a document of its own.
func whole(v jsondoc.Value) string {
	var text []byte
	for _, m := range v.Members() {
		text = yamldoc.AppendMember(text, m.Name, m.Value, 0)
	}
	return string(text)
}

func TestWrite(t *testing.T) {
	v := value(t, `{"name":"Ada Lovelace","num":12.50,"big":9007199254740993,"yes":"yes","no":true,"empty":"","null":null,"text":"null",
		"list":[],"object":{},"date":"2026-01-31","colon":"a: b","hash":"a # b","end":"a ","e":"é, ß; (x)","line":"one\ntwo\n","more":"one\n\n  two\n\n",
		"none":"one\ntwo","indented":"  one\ntwo","control":"a\u0000\u0085\u2028\ufeff\ud83d\ude00","<<":1,
		"items":[1,"a",["b",[]],{"x":1,"y":{"z":"l1\nl2"}},"m1\nm2"],"nested":{"a":{"b":[{"c":null}]}}}`)
	want := `name: Ada Lovelace
num: 12.5
big: 9007199254740993
"yes": "yes"
"no": true
empty: ""
"null": null
text: "null"
list: []
object: {}
date: "2026-01-31"
colon: "a: b"
hash: "a # b"
end: "a "
e: é, ß; (x)
line: |
  one
  two
more: |+
  one

    two

none: |-
  one
  two
indented: "  one\ntwo"
control: "a\u0000\u0085\u2028\uFEFF` + "\U0001F600" + `"
"<<": 1
items:
  - 1
  - a
  -
    - b
    - []
  - x: 1
    "y":
      z: |-
        l1
        l2
  - |-
    m1
    m2
nested:
  a:
    b:
      - c: null
`
	if diff := cmp.Diff(want, whole(v)); diff != "" {
		t.Errorf("YAML (-want +got):\n%s", diff)
	}
	got, err := yamldoc.Parse([]byte(want), 1, deep)
	if err != nil || !got.Equal(v) {
		t.Errorf("Parse = %s, %v, want what was written", got, err)
	}
}

// What is written reads back as it was, for this reader and for the library
// itself.
func TestRoundTrip(t *testing.T) {
	pieces := []string{
		"a", "Z", "é", "名", "\U0001F600", " ", "  ", "\n", "\n\n", "\t", "\r", "\x00", "\x7f", "\u0085", "\u00a0", "\u2028", "\ufeff", "\ufffe",
		"-", "- ", "? ", ": ", ":", "#", " #", "&a", "*a", "!", "|", ">", "'", `"`, "%", "@", "`", "{", "}", "[", "]", ",", "~", "0", "1e3", ".5", "0x1", "=", "<<", "---", "...", "true", "null", "\\",
	}
	text := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 0, 6).Draw(t, "pieces"), "")
	})
	var anything func(depth int) *rapid.Generator[drawn]
	anything = func(depth int) *rapid.Generator[drawn] {
		return rapid.Custom(func(t *rapid.T) drawn {
			kind := rapid.IntRange(0, 7).Draw(t, "kind")
			if depth == 0 {
				kind %= 6
			}
			w := jsondoc.NewWriter(nil)
			switch kind {
			case 0, 1, 2:
				w.Text(text.Draw(t, "text"))
			case 3:
				w.Null()
			case 4:
				w.Bool(rapid.Bool().Draw(t, "bool"))
			case 5:
				w.Raw(rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,5})?([eE][-+]?[0-9]{1,2})?`).Draw(t, "number"))
			case 6:
				w.OpenList()
				for range rapid.IntRange(0, 3).Draw(t, "items") {
					w.Raw(string(anything(depth-1).Draw(t, "item")))
				}
				w.CloseList()
			case 7:
				w.Open()
				for _, k := range rapid.SliceOfNDistinct(text, 0, 3, rapid.ID).Draw(t, "keys") {
					w.Field(k).Raw(string(anything(depth-1).Draw(t, "member")))
				}
				w.Close()
			}
			return drawn(w.Bytes())
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		v, err := jsondoc.ParseStored([]byte(`{"k":` + string(anything(4).Draw(t, "value")) + `}`))
		if err != nil {
			t.Fatalf("ParseStored = %v", err)
		}
		text := whole(v)
		got, err := yamldoc.Parse([]byte(text), 1, deep)
		if err != nil || !got.Equal(v) {
			t.Fatalf("Parse = %s, %v, want %s from\n%s", got, err, v, text)
		}
		var other struct{ K any }
		if err := yaml.Unmarshal([]byte(text), &other); err != nil {
			t.Fatalf("yaml.Unmarshal = %v of\n%s", err, text)
		}
		if s, ok := other.K.(string); (v.Members()[0].Value.Kind() == jsondoc.KindString) != ok || ok && s != v.Members()[0].Value.Text() {
			t.Fatalf("yaml.Unmarshal = %#v, want %s from\n%s", other.K, v, text)
		}
	})
}

// drawn is the JSON of a drawn value.
type drawn string

func TestParse(t *testing.T) {
	for text, want := range map[string]string{
		"a: 1":                           `{"a":1}`,
		"---\na: 1\n...\n":               `{"a":1}`,
		"# c\n\na: b # c\n":              `{"a":"b"}`,
		"a: yes\nb: on\nc: No":           `{"a":"yes","b":"on","c":"No"}`,
		"a: [~, null, Null, NULL, '']":   `{"a":[null,null,null,null,""]}`,
		"a:\nb: True":                    `{"a":null,"b":true}`,
		"a: [0o17, 0x1F, 017, +1, .5]":   `{"a":[15,31,17,1,0.5]}`,
		"a: [1., -0.0, 1e2, 1_000, 0b1]": `{"a":[1,0,100,"1_000","0b1"]}`,
		"a: 2026-01-31":                  `{"a":"2026-01-31"}`,
		"a: 12:30:45":                    `{"a":"12:30:45"}`,
		"a: 9007199254740993":            `{"a":9007199254740993}`,
		"a: \"1\"\n'b': '2'":             `{"a":"1","b":"2"}`,
		"a: one\n  two\n\n  three":       `{"a":"one two\nthree"}`,
		"a: >-\n  one\n  two\n":          `{"a":"one two"}`,
		"a: |2\n    one\n":               `{"a":"  one\n"}`,
		"a: one\r\nb: two\r\n":           `{"a":"one","b":"two"}`,
		`{"a": [1, {"b": null}]}`:        `{"a":[1,{"b":null}]}`,
		"'<<': {a: 1}":                   `{"<<":{"a":1}}`,
		"- 1\n- - 2\n  - 3":              `[1,[2,3]]`,
		"'1': a\n\"true\": b":            `{"1":"a","true":"b"}`,
		"? long\n: 1":                    `{"long":1}`,
		"text":                           `"text"`,
	} {
		got, err := yamldoc.Parse([]byte(text), 1, deep)
		if err != nil || !got.Equal(value(t, want)) {
			t.Errorf("Parse(%q) = %s, %v, want %s", text, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "line 11: there is nothing",
		"# only\n":                   "line 11: there is nothing",
		"a: &x 1":                    "line 11: anchors are not allowed",
		"b: 1\na: *x":                "line 1",
		"x: &x 1\na: *x":             "line 11: anchors are not allowed",
		"&x a: 1":                    "line 11: anchors are not allowed",
		"a: !!str 1":                 "line 11: tags are not allowed",
		"a: !own {b: 1}":             "line 11: tags are not allowed",
		"!!str a: 1":                 "line 11: tags are not allowed",
		"<<: {a: 1}":                 "line 11: merge keys are not allowed",
		"a: 1\nb:\n  c: 1\n  c: 2":   `line 14: duplicate key "c"`,
		"1: a":                       "line 11: the key 1 is not a string; put it in quotes",
		"true: a":                    "line 11: the key true is not a string",
		"~: a":                       "line 11: the key ~ is not a string",
		"[a]: 1":                     "line 11: a key must be a string",
		"a: .inf":                    "line 11: .inf is not a number that JSON has",
		"a: -.Inf":                   "is not a number that JSON has",
		"a: .NaN":                    "is not a number that JSON has",
		"a: 0xFFFFFFFFFFFFFFFFF":     "is not a number that JSON has",
		"a: 1e9999999999999":         "is not a number that JSON has",
		"a: 1\n---\nb: 2":            "only one document is allowed",
		"%YAML 1.1\n---\na: 1":       "line 11: directives are not allowed",
		"\ufeffa: 1":                 "line 11: a byte order mark is not allowed",
		"a: \xff":                    "line 11: the text is not UTF-8",
		"a: 1\n b: 2\n  - c":         "line 1",
		"a: *x":                      "line 11: aliases are not allowed",
		"<<: *x":                     "line 11: aliases are not allowed",
		"a: b\x01c":                  "line 11: a control character must be an escape in double quotes",
		strings.Repeat("[", 20000):   "line 11: nested too deeply",
		"a: \"unclosed":              "line 1",
		"a: [1, 2":                   "line 1",
		"\ta: 1":                     "line 1",
		"a: \x01":                    "line 1",
		strings.Repeat("[", deep+1):  "line 1",
		strings.Repeat("- ", deep+1): "line 11: nested too deeply",
	} {
		got, err := yamldoc.Parse([]byte(text), 11, deep)
		f := fault.Of(err)
		if err == nil || f.Code != fault.RequestValidation || !strings.Contains(f.Msg, want) {
			t.Errorf("Parse(%.40q) = %s, %v, want code 2001 and %q", text, got, err, want)
		}
	}
}

func TestDepth(t *testing.T) {
	text := []byte(strings.Repeat("- ", deep) + "1")
	want := strings.Repeat("[", deep) + "1" + strings.Repeat("]", deep)
	if v, err := yamldoc.Parse(text, 1, deep); err != nil || v.String() != want {
		t.Errorf("Parse of %d levels = %v", deep, err)
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: 1", "- |+\n a\n\n", "? a\n: b", "{a: [b, 'c', \"d\"]}", "a: >\n b\n  c\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := yamldoc.Parse([]byte(s), 1, deep)
		if err != nil {
			return
		}
		again, err := yamldoc.Parse(yamldoc.AppendMember(nil, "k", v, 0), 1, deep+1)
		if got, _ := again.Get("k"); err != nil || !got.Equal(v) {
			t.Errorf("%q = %s is read back as %s, %v", s, v, again, err)
		}
	})
}

func BenchmarkParse(b *testing.B) {
	var text []byte
	for i := range 50 {
		text = fmt.Appendf(text, "key%d:\n  - name: some text %d\n    number: %d.5\n    long: |\n      line one\n      line two\n", i, i, i)
	}
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		if _, err := yamldoc.Parse(text, 1, deep); err != nil {
			b.Fatal(err)
		}
	}
}
