package search

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"orgd/domain/jsondoc"
)

func TestParse(t *testing.T) {
	for s, want := range map[string]bool{
		"": false, "ab": false, "éé": false, "abc": true, "   ": true, "\n\r\n": true, "%_\\": true, "😀😀😀": true, "\u202ea\u200d": true,
		strings.Repeat("😀", MaxLength): true, strings.Repeat("a", MaxLength+1): false,
	} {
		if _, err := Parse(s); (err == nil) != want || !want && !errors.Is(err, ErrInvalid) {
			t.Errorf("Parse(%q) = %v, want it to be valid: %t", s, err, want)
		}
	}
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		text, in string
		want     string // what is found; "" for nothing
	}{
		{"abc", "xABCx", "ABC"},
		{"", "abc", ""},
		{"ABC", "xabc", "abc"},
		{"abc", "ab", ""},
		{"abc", "", ""},
		{"aab", "aaaab", "aab"},
		{"abab!", "ababab!", "abab!"},
		{"100%", "from 100% on", "100%"},
		{"100%", "from 1000 on", ""},
		{"a_c", "abc a_C", "a_C"},
		{".*x", "abx", ""},
		{`a\n`, "a\n", ""},
		{"a\nb", "A\nB", "A\nB"},
		{"a\nb", "a\r\nb", ""},
		{"\r\n\r", "x\r\n\r\n", "\r\n\r"},
		{"kelvin", "5 \u212aelvin", "\u212aelvin"}, // KELVIN SIGN
		{"\u212aelvin", "KELVIN", "KELVIN"},
		{"sss", "sſS", "sſS"}, // LATIN SMALL LETTER LONG S
		{"straße", "STRAẞE", "STRAẞE"},
		{"straße", "STRASSE", ""}, // which is the full case folding
		{"İst", "i̇st", ""},
		{"İst", "xİSTx", "İST"},
		{"ist", "İst", ""},
		{"ὀδὸς", "ὈΔῸΣ", "ὈΔῸΣ"}, // ς is σ
		{"Ⱥⱥⱥ", "xⱥȺȺ", "ⱥȺȺ"},   // which have two and three bytes
		{"😀😁😂", "😀😀😁😂😂", "😀😁😂"},
		{"\u202eabc", "\u202eABC", "\u202eABC"},
		{"éa!", "e\u0301a!", ""}, // no normalization
	} {
		text := newText(c.text)
		begin, end := text.Find(c.in)
		if c.want == "" && begin != -1 || c.want != "" && (begin < 0 || c.in[begin:end] != c.want) {
			t.Errorf("Find of %q in %q = %d, %d, want %q", c.text, c.in, begin, end, c.want)
		}
	}
}

// naive is Find, as it is defined.
func naive(s, in string) (begin, end int) {
	for begin := range in {
		end := begin
		for range utf8.RuneCountInString(s) {
			_, size := utf8.DecodeRuneInString(in[end:])
			end += size
		}
		if strings.EqualFold(in[begin:end], s) {
			return begin, end
		}
	}
	return -1, -1
}

// alphabets are few characters each, so that much is found, and almost found.
var alphabets = [][]rune{
	[]rune("aAbB"), []rune("kK\u212ax"), []rune("sSſß"), []rune("ẞßıİiI"), []rune("Ⱥⱥa"), []rune("θΘϑϴ"), []rune("\"\\\n\r\x00a"), []rune("😀😁"), []rune(" e🙂E\u202e"),
}

func TestFindRandomTexts(t *testing.T) {
	r := rand.New(rand.NewPCG(49, 2))
	for range 50_000 {
		letters := alphabets[r.IntN(len(alphabets))]
		write := func(n int) string {
			text := make([]rune, n)
			for i := range text {
				text[i] = letters[r.IntN(len(letters))]
			}
			return string(text)
		}
		s, in := write(3+r.IntN(4)), write(r.IntN(40))
		begin, end := newText(s).Find(in)
		if want, wantEnd := naive(s, in); begin != want || end != wantEnd {
			t.Fatalf("Find of %q in %q = %d, %d, want %d, %d", s, in, begin, end, want, wantEnd)
		}
		w := jsondoc.NewWriter(nil)
		w.Text(in)
		json := newText(s).InJSON()
		if at, _ := json.Find(string(w.Bytes())); begin >= 0 && at < 0 {
			t.Fatalf("%q is in %q, but what it is in JSON is not in %s", s, in, w.Bytes())
		}
	}
}

// Whether it finds what it should only a database tells: Go has no such expressions.
func TestPattern(t *testing.T) {
	for text, want := range map[string]string{
		"":       "",
		"abc":    "(?i:b)(?i:c)(?<=(?i:a)(?i:b)(?i:c))",
		"Zea":    "(?i:Z)(?i:e)(?i:a)",
		".*\\n":  `\.\*\\(?i:n)`,
		"kiss":   "(?i:i)[Ssſ][Ssſ](?<=[Kk\u212a](?i:i)[Ssſ][Ssſ])",
		"sss":    "[Ssſ][Ssſ][Ssſ]",
		"éa😀":    "😀(?<=[Éé](?i:a)😀)",
		"]-^":    "\\]-\\^",
		"straße": "(?i:r)(?i:a)[ßẞ](?i:e)(?<=[Ssſ](?i:t)(?i:r)(?i:a)[ßẞ](?i:e))",
	} {
		if got := newText(text).Pattern(); got != want {
			t.Errorf("the pattern of %q is %s, want %s", text, got, want)
		}
	}
}

// All forms of a character fit into the array of them.
func TestForms(t *testing.T) {
	for r := range unicode.MaxRune {
		forms := formsOf(r)
		for next := unicode.SimpleFold(r); next != r; next = unicode.SimpleFold(next) {
			if !forms.has(next) {
				t.Errorf("the forms of %q are %q, want %q, too", r, forms, next)
			}
		}
	}
}

// BenchmarkFind compares finding with reading the characters of a text: it takes time in the
// order of the text, whatever the two are, and not a hundred times as much as where each
// character is compared with the whole text that is searched for.
func BenchmarkFind(b *testing.B) {
	const size = 2 << 20
	for what, c := range map[string]struct{ text, in string }{
		"almost, again and again":        {strings.Repeat("z", MaxLength), strings.Repeat(strings.Repeat("z", MaxLength-1)+"y", size/MaxLength)},
		"the rare one is everywhere":     {strings.Repeat("a", MaxLength-1) + "z", strings.Repeat("z", size)},
		"all but the first":              {"q" + strings.Repeat("e", MaxLength-1), strings.Repeat("e", size)},
		"characters of four bytes":       {strings.Repeat("😀", MaxLength-1) + "😁", strings.Repeat("😀", size/4)},
		"forms of other lengths":         {strings.Repeat("k", MaxLength-1) + "s", strings.Repeat("\u212aſ", size/5)},
		"the beginning, again and again": {strings.Repeat("ab", MaxLength/2-1) + "ac", strings.Repeat("ab", size/2)},
	} {
		b.Run(what, func(b *testing.B) {
			text, reading := newText(c.text), time.Duration(0)
			for b.Loop() {
				if at, _ := text.Find(c.in); at >= 0 {
					b.Fatalf("found at %d", at)
				}
				b.StopTimer()
				begin := time.Now()
				for range c.in {
				}
				reading += time.Since(begin)
				b.StartTimer()
			}
			b.ReportMetric(float64(b.Elapsed())/float64(reading), "×reading")
		})
	}
}
