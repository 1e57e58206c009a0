package jsondoc_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

// parse is Parse of text that must be valid.
func parse(t testing.TB, text string) jsondoc.Value {
	t.Helper()
	v, err := jsondoc.Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%.200q) = %v, want no error", text, err)
	}
	return v
}

func TestParseRefuses(t *testing.T) {
	for in, want := range map[string]string{
		"":                           `byte 0: expected a value, found the end of the text`,
		" \n\t ":                     `byte 4 (line 2, column 3): expected a value, found the end of the text`,
		"\ufeff{}":                   `byte 0: a byte order mark is not allowed`,
		"\xff":                       `byte 0: this byte is not valid UTF-8`,
		"{\"ä\":\"\xc3\"}":           `byte 7: this byte is not valid UTF-8`,
		"\"\xed\xa0\x80\"":           `byte 1: this byte is not valid UTF-8`,
		"\"\xc0\xaf\"":               `byte 1: this byte is not valid UTF-8`,
		"\x00":                       `byte 0: expected a value, found "\x00"`,
		"{}\x00":                     `byte 2: expected the end of the text, found "\x00"`,
		"{} {}":                      `byte 3: expected the end of the text, found "{"`,
		"1,":                         `byte 1: expected the end of the text, found ","`,
		"\u00a0{}":                   `byte 0: expected a value, found "\u00a0"`,
		"\f1":                        `byte 0: expected a value, found "\f"`,
		"NaN":                        `byte 0: "NaN" is not a value; text needs double quotes`,
		"Infinity":                   `byte 0: "Infinity" is not a value; text needs double quotes`,
		"-Infinity":                  `byte 0: "-Infinity" is not a number: it must start with a digit or a minus and a digit`,
		"True":                       `byte 0: "True" is not a value; text needs double quotes`,
		"nul":                        `byte 0: "nul" is not a value; text needs double quotes`,
		"nullx":                      `byte 0: "nullx" is not a value; text needs double quotes`,
		"'a'":                        `byte 0: expected a value, found "'"`,
		"/* hi */ 1":                 `byte 0: expected a value, found "/"`,
		"[1,]":                       `byte 2: a comma must not stand before ]`,
		"[,1]":                       `byte 1: expected a value, found ","`,
		"[1 2]":                      `byte 3: expected a comma or ] after the item, found "2"`,
		"[1}":                        `byte 2: expected a comma or ] after the item, found "}"`,
		"[1":                         `byte 2: expected a comma or ] after the item, found the end of the text`,
		"[":                          `byte 1: expected a value, found the end of the text`,
		"]":                          `byte 0: expected a value, found "]"`,
		"[1,":                        `byte 3: expected a value, found the end of the text`,
		`{"a":1,}`:                   `byte 6: a comma must not stand before }`,
		`{,}`:                        `byte 1: expected a member name in double quotes, found ","`,
		`{a:1}`:                      `byte 1: expected a member name in double quotes, found "a"`,
		`{1:1}`:                      `byte 1: expected a member name in double quotes, found "1"`,
		`{"a"}`:                      `byte 4: expected a colon after the member name "a", found "}"`,
		`{"a":}`:                     `byte 5: expected a value, found "}"`,
		`{"a":1 "b":2}`:              `byte 7: expected a comma or } after the member, found "\""`,
		`{`:                          `byte 1: expected a member name in double quotes, found the end of the text`,
		`{"a":1,"a":2}`:              `byte 7: duplicate key "a"`,
		`{"":1,"":2}`:                `byte 6: duplicate key ""`,
		`{"é":1, "\u00e9":2}`:        `byte 9: duplicate key "é"`,
		`[{"x":{"a":1,"\u0061":1}}]`: `byte 13: duplicate key "a"`,
		"{\n  \"a\": 1,\n  \"ä\": 2, \"a\": 3\n}": `byte 23 (line 3, column 11): duplicate key "a"`,
		"01":                     `byte 0: "01" is not a number: it has a leading zero`,
		"[1.]":                   `byte 1: "1." is not a number: a digit must follow the decimal point`,
		"+1":                     `byte 0: expected a value, found "+"`,
		"-":                      `byte 0: "-" is not a number: it has no digits`,
		"0x10":                   `byte 0: "0x10" is not a number: it contains something that is not part of a number`,
		"1e1000000000":           `byte 0: "1e1000000000" is out of range: the exponent must lie within ±999999999`,
		`"a`:                     `byte 0: this string has no closing quote`,
		`"a\`:                    `byte 0: this string has no closing quote`,
		`"a\"`:                   `byte 0: this string has no closing quote`,
		"\"a\nb\"":               `byte 2: the control character U+000A must be written as an escape`,
		"\"\\n\tb\"":             `byte 3: the control character U+0009 must be written as an escape`,
		`"\x41"`:                 `byte 1: after a backslash must come one of " \ / b f n r t u`,
		`"\U0041"`:               `byte 1: after a backslash must come one of " \ / b f n r t u`,
		`"\u00g0"`:               `byte 1: four hexadecimal digits must follow \u`,
		`"\u12"`:                 `byte 1: four hexadecimal digits must follow \u`,
		`"ab\ud800"`:             `byte 3: the surrogate \ud800 is not part of a pair`,
		`"\uDC00"`:               `byte 1: the surrogate \uDC00 is not part of a pair`,
		`"\ud800\u0041"`:         `byte 1: the surrogate \ud800 is not part of a pair`,
		`"\ud800\ud800"`:         `byte 1: the surrogate \ud800 is not part of a pair`,
		`"\ud800\n"`:             `byte 1: the surrogate \ud800 is not part of a pair`,
		`"\ud83d\udezz"`:         `byte 1: the surrogate \ud83d is not part of a pair`,
		`{"\ud800":1}`:           `byte 2: the surrogate \ud800 is not part of a pair`,
		strings.Repeat("[", 1e6): `byte 32: nested too deeply, at most 32 levels are allowed`,
		strings.Repeat(`{"a":`, 33) + "1" + strings.Repeat("}", 33): `byte 160: nested too deeply, at most 32 levels are allowed`,
	} {
		v, err := jsondoc.Parse([]byte(in))
		if !errors.Is(err, jsondoc.ErrSyntax) || err.Error() != "invalid JSON at "+want || !v.IsNull() {
			t.Errorf("Parse(%.60q) = %v, %v, want null, invalid JSON at %s", in, v, err, want)
		}
		if code := fault.Of(err).Code; code != fault.RequestValidation {
			t.Errorf("Parse(%.60q) has code %d, want %d", in, code, fault.RequestValidation)
		}
	}
}

func TestParseAccepts(t *testing.T) {
	for in, want := range map[string]string{
		"null": "null", " true ": "true", "false": "false",
		"\r\n\t {} ":                           "{}",
		"[ ]":                                  "[]",
		"-0":                                   "0",
		"1.50":                                 "1.5",
		"1E2":                                  "100",
		"9007199254740993":                     "9007199254740993",
		"123456789012345678901234567890.5":     "123456789012345678901234567890.5",
		"1e400":                                "1e+400",
		`""`:                                   `""`,
		`"\"\\\/\b\f\n\r\t"`:                   `"\"\\/\b\f\n\r\t"`,
		`"\u0041\u00e9\u20AC"`:                 `"Aé€"`,
		`"\ud83d\ude00"`:                       `"😀"`,
		`"\uD83D\uDE00!"`:                      `"😀!"`,
		`"\u0000\u001f\u007f"`:                 "\"\\u0000\\u001f\x7f\"",
		"\"\u2028<>&\ufeff\"":                  "\"\u2028<>&\ufeff\"",
		`"\uffff\ufffd"`:                       "\"\uffff\ufffd\"",
		`{"$ne":1,"a.b":2,"":3,"__proto__":4}`: `{"":3,"$ne":1,"__proto__":4,"a.b":2}`,
		`{"a":1,"A":2}`:                        `{"A":2,"a":1}`,
		`[1,[2,[3]],{"b":[],"a":{}}]`:          `[1,[2,[3]],{"a":{},"b":[]}]`,
		strings.Repeat("[", 32) + strings.Repeat("]", 32): strings.Repeat("[", 32) + strings.Repeat("]", 32),
	} {
		if got := parse(t, in).String(); got != want {
			t.Errorf("Parse(%q) = %s, want %s", in, got, want)
		}
	}
}

func TestParseStoredGoesDeeper(t *testing.T) {
	for levels, ok := range map[int]bool{33: true, 255: true, 256: false} {
		text := strings.Repeat("[", levels) + strings.Repeat("]", levels)
		v, err := jsondoc.ParseStored([]byte(text))
		if (err == nil) != ok || ok && depth(v) != levels {
			t.Errorf("ParseStored of %d levels = depth %d, %v, want accepted %t", levels, depth(v), err, ok)
		}
	}
}

func TestParseCopiesItsInput(t *testing.T) {
	text := []byte(`{"name":"value"}`)
	v, err := jsondoc.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	clear(text)
	if got := v.String(); got != `{"name":"value"}` {
		t.Errorf("after its text was cleared, v = %q, want it unchanged", got)
	}
}

// Sizes at which anything quadratic would take minutes.
func TestParseLarge(t *testing.T) {
	var b strings.Builder
	const keys = 100_000
	for i := range keys {
		fmt.Fprintf(&b, `,"key%06d":%d`, keys-i, i)
	}
	object := "{" + b.String()[1:] + "}"
	v := parse(t, object)
	if got := len(v.Members()); got != keys {
		t.Errorf("Parse of %d keys = %d members", keys, got)
	}
	if again := parse(t, v.String()); !again.Equal(v) {
		t.Error("a large object does not come back equal")
	}
	repeated := strings.TrimSuffix(object, "}") + `,"key000001":0}`
	if _, err := jsondoc.Parse([]byte(repeated)); err == nil || !strings.Contains(err.Error(), `duplicate key "key000001"`) {
		t.Errorf("Parse of a late duplicate = %v, want it named", err)
	}
	text := `["` + strings.Repeat(`\ud83d\ude00é`, 1<<20/14) + `"]`
	if got := parse(t, text).Items()[0].Text(); !strings.HasPrefix(got, "😀é😀") {
		t.Errorf("a long string starts with %.9q", got)
	}
	zeros := "[" + strings.Repeat("0,", keys) + "0]"
	if got := len(parse(t, zeros).Items()); got != keys+1 {
		t.Errorf("Parse of %d items = %d items", keys+1, got)
	}
}

// Slabs must not let one array grow into its neighbour.
func TestContainersDoNotShareCapacity(t *testing.T) {
	v := parse(t, `{"a":[1,2],"b":[3,4],"c":{"x":1},"d":{"y":2}}`)
	a, _ := v.Get("a")
	_ = append(a.Items(), a.Items()...)
	c, _ := v.Get("c")
	_ = append(c.Members(), c.Members()...)
	if got, want := v.String(), `{"a":[1,2],"b":[3,4],"c":{"x":1},"d":{"y":2}}`; got != want {
		t.Errorf("after appending to its parts, v = %s, want %s", got, want)
	}
}

// What is wrong with a part is found in the whole.
func TestParseAt(t *testing.T) {
	const before, part = "{\n  \"ä\": ", "[1,\n x]"
	for at, want := range map[jsondoc.Place]string{
		{}:                                       "byte 5 (line 2, column 2): ",
		jsondoc.Place{}.After(before):            "byte 15 (line 3, column 2): ",
		jsondoc.Place{}.After(before).After(" "): "byte 16 (line 3, column 2): ",
	} {
		if _, err := jsondoc.ParseAt([]byte(part), at); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("ParseAt(%q, %v) = %v, want %s", part, at, err, want)
		}
	}
	if _, err := jsondoc.ParseAt([]byte("x"), jsondoc.Place{}.After(before)); !strings.Contains(err.Error(), "byte 10 (line 2, column 8): ") {
		t.Errorf("ParseAt = %v", err)
	}
}
