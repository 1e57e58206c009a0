package jsondoc_test

import (
	"cmp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"orgd/domain/jsondoc"
)

// The vectors of RFC 8785, sections 3.2.2 and 3.2.3. Its numbers are left out:
// ours stay exact where that document rounds them.
func TestCanonicalVectors(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{
			`{"string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/", "literals": [null, true, false]}`,
			`{"literals":[null,true,false],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
		},
		{
			`{"\u20ac":"Euro Sign","\r":"Carriage Return","\ufb33":"Hebrew Letter Dalet With Dagesh","1":"One",` +
				`"\ud83d\ude00":"Emoji: Grinning Face","\u0080":"Control","\u00f6":"Latin Small Letter O With Diaeresis"}`,
			`{"\r":"Carriage Return","1":"One",` + "\"\u0080\"" + `:"Control","ö":"Latin Small Letter O With Diaeresis",` +
				`"€":"Euro Sign","😀":"Emoji: Grinning Face",` + "\"\ufb33\"" + `:"Hebrew Letter Dalet With Dagesh"}`,
		},
		{`{"b":1,"":2,"a":{"d":3,"c":4},"ab":5}`, `{"":2,"a":{"c":4,"d":3},"ab":5,"b":1}`},
	} {
		if got := parse(t, c.in).String(); got != c.want {
			t.Errorf("canonical %s =\n%s, want\n%s", c.in, got, c.want)
		}
	}
}

func TestPropertyMembersSortByUTF16(t *testing.T) {
	// Characters around the places where the orders of bytes and of UTF-16 differ.
	edges := []rune("\x00a~\u0080\u07ff\u0800\ud7ff\ue000\uf000\uffff\U00010000\U0001F600\U000FFFFF\U0010FFFF")
	name := rapid.StringOfN(rapid.OneOf(rapid.SampledFrom(edges), rapid.Rune()), 0, 4, -1)
	rapid.Check(t, func(t *rapid.T) {
		names := rapid.SliceOfNDistinct(name, 0, 20, rapid.ID[string]).Draw(t, "names")
		w := jsondoc.NewWriter(nil)
		w.Open()
		for _, n := range names {
			w.Field(n).Int(1)
		}
		w.Close()
		canonical := mustParse(t, string(w.Bytes())).String()
		var got []string
		for _, m := range mustParse(t, canonical).Members() {
			got = append(got, m.Name)
		}
		slices.SortFunc(names, func(a, b string) int {
			return slices.CompareFunc(utf16.Encode([]rune(a)), utf16.Encode([]rune(b)), cmp.Compare[uint16])
		})
		if !slices.Equal(got, names) {
			t.Fatalf("canonical order = %q, want %q", got, names)
		}
	})
}

func mustParse(t *rapid.T, text string) jsondoc.Value {
	v, err := jsondoc.Parse([]byte(text))
	if err != nil {
		t.Fatalf("Parse(%q) = %v, want no error", text, err)
	}
	return v
}

// document draws the text of any value of at most depth levels, written
// carelessly: with white space, escapes and numbers that are not normal.
func document(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		kinds := 4
		if depth > 0 {
			kinds = 6
		}
		space := rapid.SampledFrom([]string{"", "", " ", "\n\t"}).Draw(t, "space")
		switch rapid.IntRange(0, kinds-1).Draw(t, "kind") {
		case 0:
			return space + "null"
		case 1:
			return space + rapid.SampledFrom([]string{"true", "false"}).Draw(t, "bool")
		case 2:
			return space + rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,5})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "number")
		case 3:
			return space + quote(rapid.String().Draw(t, "string"), rapid.Bool().Draw(t, "escape"))
		case 4:
			items := rapid.SliceOfN(document(depth-1), 0, 4).Draw(t, "items")
			return space + "[" + strings.Join(items, space+",") + space + "]"
		}
		return space + object(depth).Draw(t, "object")
	})
}

// object draws the text of an object of at most depth levels.
func object(depth int) *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		name := rapid.OneOf(rapid.SampledFrom([]string{"", "a", "b", "c", "$ne", "a.b"}), rapid.String())
		names := rapid.SliceOfNDistinct(name, 0, 5, rapid.ID[string]).Draw(t, "names")
		members := make([]string, len(names))
		for i, n := range names {
			members[i] = quote(n, rapid.Bool().Draw(t, "escape")) + " :" + document(depth-1).Draw(t, "member")
		}
		return "{" + strings.Join(members, " ,") + " }"
	})
}

// quote writes a JSON string, with every character escaped if asked to.
func quote(s string, escapeAll bool) string {
	if !escapeAll {
		w := jsondoc.NewWriter(nil)
		w.Text(s)
		return string(w.Bytes())
	}
	const digits = "0123456789aBcDeF"
	b := []byte{'"'}
	for _, u := range utf16.Encode([]rune(s)) {
		b = append(b, '\\', 'u', digits[u>>12], digits[u>>8&15], digits[u>>4&15], digits[u&15])
	}
	return string(append(b, '"'))
}

func TestPropertyCanonicalIsAFixpoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := mustParse(t, document(4).Draw(t, "document"))
		canonical := v.String()
		again := mustParse(t, canonical)
		if got := again.String(); got != canonical {
			t.Fatalf("canonical %q = %q, want the same", canonical, got)
		}
		if !v.Equal(again) || depth(v) != depth(again) {
			t.Fatalf("%s does not come back equal", canonical)
		}
		if got := string(v.Append([]byte("x"))); got != "x"+canonical {
			t.Fatalf("Append = %q, want it behind x", got)
		}
	})
}

func TestPropertyTextComesBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "string")
		for _, escape := range []bool{false, true} {
			if got := mustParse(t, quote(s, escape)).Text(); got != s {
				t.Fatalf("Text of %s = %q, want %q", quote(s, escape), got, s)
			}
		}
	})
}
