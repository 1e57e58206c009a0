package search

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

func TestParse(t *testing.T) {
	for s, want := range map[string]bool{
		"": false, "ab": false, "éé": false, "abc": true, "   ": true, "\n\r\n": true, "%_\\": true, "😀😀😀": true, "\u202ea\u200d": true, "退款": true, "デx": true, "ไป": true, "退": false, "e\u0301e\u0301": false, "\u200d\u200d\u200d": false,
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
		{"straße", "STRASSE", "STRASSE"}, // the full case folding
		{"strasse", "in der Straße", "Straße"},
		{"rass", "Straße", "raß"},
		{"sse", "Straße", "ße"},
		{"find", "ﬁnd", "ﬁnd"},
		{"İst", "i̇st", "i̇st"},
		{"İst", "xİSTx", "İST"},
		{"ist", "İst", ""},
		{"ὀδὸς", "ὈΔῸΣ", "ὈΔῸΣ"}, // ς is σ
		{"Ⱥⱥⱥ", "xⱥȺȺ", "ⱥȺȺ"},   // which have two and three bytes
		{"😀😁😂", "😀😀😁😂😂", "😀😁😂"},
		{"\u202eabc", "\u202eABC", "\u202eABC"},
		{"éa!", "e\u0301a!", "e\u0301a!"},
		{"e\u0301a!", "xÉA!", "ÉA!"},
		{"bệnh", "be\u0323\u0302nh", "be\u0323\u0302nh"},
		{"bệnh", "xbe\u0302\u0323nh", "be\u0302\u0323nh"},
		{"デプロイ", "テ\u3099フ\u309aロイ", "テ\u3099フ\u309aロイ"},
		{"cafe", "café", ""}, // another letter
		{"退款", "全額退款", "退款"},
		{"میروم", "می\u200cروم", "می\u200cروم"},
		{"한글", "\u1112\u1161\u11ab\u1100\u1173\u11af", "\u1112\u1161\u11ab\u1100\u1173\u11af"},
	} {
		text := newText(c.text)
		begin, end := text.Find(c.in)
		if c.want == "" && begin != -1 || c.want != "" && (begin < 0 || c.in[begin:end] != c.want) {
			t.Errorf("Find of %q in %q = %d, %d, want %q", c.text, c.in, begin, end, c.want)
		}
	}
}

// alphabets are few characters each, so that much is found, and almost found.
var alphabets = [][]rune{
	[]rune("aAbB"), []rune("kK\u212ax"), []rune("sSſß"), []rune("ẞßıİiI"), []rune("Ⱥⱥa"), []rune("θΘϑϴ"), []rune("\"\\\n\r\x00a"), []rune("😀😁"), []rune(" e🙂E\u202e"), []rune("eéE\u0301\u0323"), []rune("ßsSﬁfi"), []rune("デテ\u3099ロ"), []rune("\n\u0301a\u200d\"\u200c"),
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
		folded, all := name.Fold(s), name.Fold(in)
		if want := folded != "" && strings.Contains(all, folded); begin >= 0 != want || want && !strings.Contains(name.Fold(in[begin:end]), folded) {
			t.Fatalf("Find of %q in %q = %d, %d, want it to be found: %t", s, in, begin, end, want)
		}
		if begin < 0 {
			continue
		}
		w := jsondoc.NewWriter(nil)
		w.Text(in)
		if !newText(s).InJSON()(string(w.Bytes())) {
			t.Fatalf("%q is in %q, but is said not to be in %s", s, in, w.Bytes())
		}
	}
}

// Whether it finds what it should a database tells, too: Go has no such expressions as Perl.
func TestPattern(t *testing.T) {
	const others = "ẚŉİ\u037e\u1fefﬀ-ﬆ\u200c\u200d"
	for text, want := range map[string]string{
		"":       "",
		"abc":    "[Aa][Bb][Cc]|[" + others + "]",
		".*\\n":  `\.\*|[` + others + "]",
		"kin":    "[Kk\u212a][Ii][Nn]|[" + others + "]",
		"straße": "[Ssſ][Tt][Rr][Aa][Ssſ][Ssſ][Ee]|[" + others + "ßẞ]",
		"café":   "[Cc][Aa][Ff]|[" + others + "]",
		"éé":     "",
		"дом":    "[Ддᲁ][Ооᲂ][Мм]|[" + others + "]",
		"退款":     "退款|[" + others + "\uf900-\ufaff\U0002f800-\U0002fa1f]",
	} {
		if got := newText(text).Pattern(); got != want {
			t.Errorf("the pattern of %q is %s, want %s", text, got, want)
		}
	}
}

// Every character whose folded form has a plain one is a form of that, or is among the others
// of its pattern.
func TestPatternKnowsEveryCharacter(t *testing.T) {
	for r := range unicode.MaxRune {
		if r >= 0xd800 && r < 0xe000 {
			continue
		}
		for _, plain := range name.Fold(string(r)) {
			if !isPlain(plain) || plain < ' ' || plain == '"' || plain == '\\' || plain == 0x7f {
				continue
			}
			if re := regexp.MustCompile(newText(string(plain)).Pattern()); !re.MatchString(string(r)) {
				t.Errorf("%q is folded to %q, whose pattern is %s", r, plain, re)
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
