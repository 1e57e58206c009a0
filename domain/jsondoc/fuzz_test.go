package jsondoc_test

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"orgd/domain/jsondoc"
)

// stricter are the reasons for which Parse refuses what encoding/json accepts.
var stricter = []string{
	"not valid UTF-8", "duplicate key", "not part of a pair", "nested too deeply", "is out of range",
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		agentText, `{"a":1,"a":2}`, `[1,2.50,1e3,-0]`, `"\ud83d\ude00\n"`, `{"a":{"b":[null,true,false,{}]}}`,
		"[1,]", "\ufeff{}", "\"\xff\"", strings.Repeat("[", 40), `{"€":1,"😀":2,"דּ":3}`,
		`"\ud83d\ude"x"`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(agree)
}

// Every text of six such pieces in quotes: what begins as an escape may end anywhere.
func TestParseEscapes(t *testing.T) {
	pieces := []string{`\u`, "d8", "de", "3d", "zz", `\`, `"`, "n", ""}
	var try func(text string, left int)
	try = func(text string, left int) {
		if left == 0 {
			agree(t, []byte(`"`+text+`"`))
			return
		}
		for _, piece := range pieces {
			try(text+piece, left-1)
		}
	}
	try("", 6)
}

// agree holds Parse against encoding/json, and its result against its promises.
func agree(t *testing.T, text []byte) {
	v, err := jsondoc.Parse(text)
	if err != nil {
		if json.Valid(text) && !isStricter(err.Error()) {
			t.Errorf("Parse(%q) = %v, want it accepted", text, err)
		}
		return
	}
	if !json.Valid(text) {
		t.Fatalf("Parse(%q) accepts it, want an error", text)
	}
	canonical := v.Append(nil)
	again, err := jsondoc.Parse(canonical)
	if err != nil || !bytes.Equal(again.Append(nil), canonical) {
		t.Fatalf("Parse(%q) = %s, %v, want a fixpoint", canonical, again, err)
	}
	if want, got := decode(text), decode(canonical); !reflect.DeepEqual(got, want) {
		t.Errorf("canonical %q = %q, want the same value", text, canonical)
	}
}

func isStricter(sentence string) bool {
	for _, reason := range stricter {
		if strings.Contains(sentence, reason) {
			return true
		}
	}
	return false
}

// decode reads text with encoding/json; nil if its numbers are too large.
func decode(text []byte) any {
	var v any
	if json.Unmarshal(text, &v) != nil {
		return nil
	}
	return v
}
