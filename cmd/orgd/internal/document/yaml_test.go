package document

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"orgd/domain/jsondoc"
	"orgd/test/golden"
)

// read returns the JSON of a text, and what is wrong with it.
func read(text string) (value string, mistakes []Mistake) {
	_, got, mistakes := File{Name: "f", Text: []byte(text), yaml: true}.parse()
	return string(got), mistakes
}

func TestWrite(t *testing.T) {
	v := []byte(`{"name":"Ada Lovelace","num":12.50,"big":9007199254740993,"yes":"yes","no":true,"empty":"","null":null,"text":"null",
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
	got, err := blockYAML(v)
	if diff := cmp.Diff(want, string(got)); err != nil || diff != "" {
		t.Errorf("YAML, %v (-want +got):\n%s", err, diff)
	}
	if got, mistakes := read(want); len(mistakes) > 0 || !isSame(got, string(v)) {
		t.Errorf("parse = %s, %v, want what was written", got, mistakes)
	}
}

// The export of an organization is the same bytes as ever.
func TestWriteOrganization(t *testing.T) {
	text, err := os.ReadFile("../../../../test/apitest/testdata/organization.json")
	if err != nil {
		t.Fatal(err)
	}
	var answer struct{ Data json.RawMessage }
	if err := json.Unmarshal(bytes.ReplaceAll(text, []byte("DATE"), []byte("2026-01-31")), &answer); err != nil {
		t.Fatal(err)
	}
	got, err := blockYAML(answer.Data)
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "testdata/organization.yaml", string(got))
	got, err = blockYAML([]byte(`{"format":1,"company":{"a":1},"departments":[],"agents":[]}`))
	if want := "format: 1\ncompany:\n  a: 1\ndepartments: []\nagents: []\n"; err != nil || string(got) != want {
		t.Errorf("an empty organization is %q, %v, want %q", got, err, want)
	}
}

// isSame reports whether two JSON texts are the same value.
func isSame(a, b string) bool {
	v, errV := jsondoc.ParseStored(a)
	w, errW := jsondoc.ParseStored(b)
	return errV == nil && errW == nil && v.Equal(w)
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
		v, err := jsondoc.ParseStored(`{"k":` + string(anything(4).Draw(t, "value")) + `}`)
		if err != nil {
			t.Fatalf("ParseStored = %v", err)
		}
		text, err := blockYAML([]byte(v.String()))
		if got, mistakes := read(string(text)); err != nil || len(mistakes) > 0 || !isSame(got, v.String()) {
			t.Fatalf("parse = %s, %v, %v, want %s from\n%s", got, mistakes, err, v, text)
		}
		var other struct{ K any }
		if err := yaml.Unmarshal(text, &other); err != nil {
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
		if got, mistakes := read(text); len(mistakes) > 0 || !isSame(got, want) {
			t.Errorf("parse(%q) = %s, %v, want %s", text, got, mistakes, want)
		}
	}
}

// Everything that is wrong is told with its line, as far as the text can be read.
func TestParseRefuses(t *testing.T) {
	const notYAML = ": this is not YAML, or something before it is not closed"
	for text, want := range map[string]string{
		"a: &x 1":                  "f:1: anchors are not allowed",
		"b: 1\na: *x":              "f:2: aliases are not allowed",
		"x: &x 1\na: *x":           "f:1: anchors are not allowed; f:2: aliases are not allowed",
		"&x a: 1":                  "f:1: anchors are not allowed",
		"a: !!str 1":               "f:1: tags are not allowed",
		"a: !own {b: 1}":           "f:1: tags are not allowed",
		"!!str a: 1":               "f:1: tags are not allowed",
		"<<: {a: 1}":               "f:1: merge keys are not allowed",
		"a: 1\nb:\n  c: 1\n  c: 2": `f:4: duplicate key "c"`,
		`{"a": 1, "a": 2}`:         `f: duplicate key "a"`,
		"1: a\n~: b":               "f:1: the key 1 is not a string; put it in quotes; f:2: the key ~ is not a string; put it in quotes",
		"true: a":                  "f:1: the key true is not a string; put it in quotes",
		"[a]: 1":                   "f:1: a key must be a string",
		"a: .inf":                  "f:1: .inf is not a number that JSON has",
		"a: -.Inf":                 "f:1: -.Inf is not a number that JSON has",
		"a: .NaN":                  "f:1: .NaN is not a number that JSON has",
		"a: 0xFFFFFFFFFFFFFFFFF":   "f:1: 0xFFFFFFFFFFFFFFFFF is not a number that JSON has",
		"a: 1\n---\nb: 2":          "f:2: only one document is allowed",
		"%YAML 1.1\n---\na: 1":     "f:1: directives are not allowed",
		"\ufeffa: 1":               "f:1: a byte order mark is not allowed",
		"a: \xff":                  "f: the text is not UTF-8",
		"<<: *x":                   "f:1: aliases are not allowed",
		"a: 1\nb: b\x01c":          "f:2: a control character must be an escape in double quotes",
		"a: 1\n b: 2\n  - c":       "f:2" + notYAML,
		"a: \"unclosed":            "f:1" + notYAML,
		"a: [1, 2":                 "f:1" + notYAML,
		"\ta: 1":                   "f:1" + notYAML,
		strings.Repeat("[", 20000): "f:1" + notYAML,
	} {
		got, mistakes := read(text)
		var said []string
		for _, m := range mistakes {
			said = append(said, m.String())
		}
		if strings.Join(said, "; ") != want {
			t.Errorf("parse(%.40q) = %s, %q, want %q", text, got, said, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"a: 1", "- |+\n a\n\n", "? a\n: b", "{a: [b, 'c', \"d\"]}", "a: >\n b\n  c\n"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, mistakes := read(s)
		if len(mistakes) > 0 || v == "" {
			return
		}
		text, err := blockYAML([]byte(`{"k":` + v + "}"))
		if err != nil {
			return // too deep, or a number that is too large
		}
		if again, mistakes := read(string(text)); len(mistakes) > 0 || !isSame(again, `{"k":`+v+"}") {
			t.Errorf("%q = %s is read back as %s, %v", s, v, again, mistakes)
		}
	})
}
