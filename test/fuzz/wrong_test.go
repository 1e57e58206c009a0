package fuzz

import (
	"encoding/json"
	"math/big"
	"slices"
	"strings"
)

const nobody = "0190a5c4-0000-7000-8000-000000000001" // the id of nothing

// oddTexts are texts that programs trip over.
var oddTexts = []string{
	"", " ", "a", "A", "null", "true", "0", "-1", "1e999", "NaN", "undefined", "$ne", "$where", "a.b", ".", "..", "../..", "%", "%s%n%d", "%00", "%2F",
	"\x00", "\n", "\r\n", "\t", "\x1b[0m", "\x7f", "\u0085", "\u2028", "\u200b", "\ufeff", "\u202e", "\u061c", "\ufffd", "\uffff", "\U000e0001",
	"é", "e\u0301", "\u1100\u1161\u11a8", "名前", "\U0001F600", "\U0001F468\u200D\U0001F469", "\U0010FFFF", "ﬁ", "İ", "ı", "ß", "ẞ", "ᾷ", "Ǆ", "ς", "اسم", "שם",
	"\xff", "\xed\xa0\x80", "\xc0\xaf", "\xf4\x90\x80\x80", // not UTF-8
	nobody, strings.ToUpper(nobody), strings.ReplaceAll(nobody, "-", ""), "{" + nobody + "}", "proj-000000000000",
	"2026-01-31T12:00:00Z", "2026-13-31", "0000-01-01T00:00:00Z", "9999-12-31T23:59:59.999999999Z", "2026-01-31T23:59:60Z", "2026-01-31 12:00:00",
	"'", `"`, `\`, "' OR 1=1 --", "<script>", "{{.}}", "${x}", "a/b", "a b", "a+b", "a;b", "a&b=c", "#", "?", "*", `"x"`, `W/"x"`, "|", "`id`",
	strings.Repeat("x", 129), strings.Repeat("ä", 128), strings.Repeat("\U0001F600", 300), strings.Repeat("a\u0301", 200), strings.Repeat("[", 40), strings.Repeat(" ", 200),
}

// oddNumbers has none that is smaller than a float64 can be: the validator of
// answers would take it for 0.
var oddNumbers = []any{
	json.Number("0"), json.Number("-0"), json.Number("-1"), json.Number("1"), json.Number("0.5"), json.Number("1.0"), json.Number("1e2"), json.Number("1E+2"),
	json.Number("0.00001"), json.Number("0.1234567891"), json.Number("999999999.999999999"), json.Number("1e300"), json.Number("-1e-300"), json.Number("1e999"),
	json.Number("1e-300"), json.Number("1e999999999"), json.Number("9007199254740991"), json.Number("9007199254740992"), json.Number("9007199254740993"),
	json.Number("2147483648"), json.Number("-2147483649"), json.Number("9223372036854775807"), json.Number("9223372036854775808"), json.Number("18446744073709551616"),
	json.Number(strings.Repeat("9", 400)), json.Number("0." + strings.Repeat("3", 400)),
}

// times and dates are such that a format allows.
var (
	times = []any{
		"2026-01-31T12:00:00Z", "2026-09-01T00:00:00.000Z", "2020-02-29T23:59:59.999999999+14:00", "1970-01-01T00:00:00Z", "0001-01-01T00:00:00Z",
		"9999-12-31T23:59:59Z", "2038-01-19T03:14:08-12:00", "2026-11-22t01:02:03z",
	}
	dates = []any{"2026-01-31", "2024-02-29", "1970-01-01", "0001-01-01", "9999-12-31"}
)

// surrogate is half of a character, which JSON can write and UTF-8 cannot.
type surrogate string

func (s surrogate) MarshalJSON() ([]byte, error) { return []byte(`"` + string(s) + `"`), nil }

// wrong makes a value that a schema does not allow, or hardly: of another type,
// just outside of a bound, an odd one.
func (v *values) wrong(s *schema) any {
	switch v.IntN(8) {
	case 0:
		return nil
	case 1:
		return v.anything(2)
	case 2:
		return pick(v.Rand, []any{surrogate(`\ud800`), surrogate(`\udc00\ud800`), surrogate(`a\udfff`), surrogate(`\u0000`), surrogate(`\uD83D\uDE00`)})
	case 3:
		return pick(v.Rand, oddNumbers)
	}
	switch {
	case slices.Contains(s.Type, "string"):
		if s.MaxLength != nil && v.IntN(3) == 0 {
			return v.letters(*s.MaxLength + 1)
		}
		return pick(v.Rand, oddTexts)
	case slices.Contains(s.Type, "number"), slices.Contains(s.Type, "integer"):
		return v.beyond(s)
	case slices.Contains(s.Type, "array") && v.IntN(2) == 0:
		item := v.anything(1)
		return list{item, item}
	}
	return v.anything(3)
}

// beyond is a number next to a bound, on its other side.
func (v *values) beyond(s *schema) any {
	least, most := bounds(s)
	edge := pick(v.Rand, []float64{least, most})
	step := pick(v.Rand, []float64{-1, -0.0001, 0, 0.0001, 1, 0.5})
	x := new(big.Float).SetPrec(200).SetFloat64(edge)
	return json.Number(x.Add(x, big.NewFloat(step)).Text('f', 10))
}

// spoiltText is the text of a body with a mistake in it that has nothing to do
// with its schema.
func (v *values) spoiltText(text string) string {
	at := v.IntN(len(text) + 1)
	switch v.IntN(12) {
	case 0:
		return text[:at]
	case 1:
		return text + pick(v.Rand, []string{" {}", "}", "null", "\x00", "\n", ",", "\xff"})
	case 2:
		return "\ufeff" + text
	case 3: // a key twice
		if members, ok := strings.CutPrefix(text, "{"); ok {
			return `{"name":"x","name":"y",` + members
		}
	case 4:
		return strings.Repeat("[", 1+v.IntN(200)) + text
	case 5:
		return strings.Repeat(`{"a":`, 64) + text + strings.Repeat("}", 64)
	case 6:
		return pick(v.Rand, []string{"", " ", "null", "[]", "{}", `""`, "0", "true", "nul", "{]", "\x00", "a: b", "- a", "&a [*a]", "!!binary eA==", "--- {}\n--- {}"})
	case 7: // UTF-16
		var b strings.Builder
		for _, r := range text {
			b.Write([]byte{byte(r >> 8), byte(r)})
		}
		return b.String()
	case 8:
		return strings.ReplaceAll(text, `"`, `'`)
	case 9:
		return text[:at] + pick(v.Rand, oddTexts) + text[at:]
	}
	if at < len(text) {
		spoilt := []byte(text)
		spoilt[at] ^= 1 << v.IntN(8)
		return string(spoilt)
	}
	return text
}
