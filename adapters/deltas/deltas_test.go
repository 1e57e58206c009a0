package deltas_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"orgd/adapters/deltas"
)

// words returns a text that hardly compresses.
func words(random *rand.Rand, size int) string {
	var b strings.Builder
	for b.Len() < size {
		fmt.Fprintf(&b, "%x ", random.Uint64())
	}
	return b.String()[:size]
}

// edited returns a text with some of its parts changed, removed or moved.
func edited(random *rand.Rand, text string) string {
	for range random.IntN(4) {
		at := random.IntN(len(text) + 1)
		end := at + random.IntN(min(300, len(text)-at+1))
		switch random.IntN(4) {
		case 0:
			text = text[:at] + words(random, random.IntN(400)) + text[end:]
		case 1:
			text = text[:at] + text[end:]
		case 2:
			text = text[end:] + text[:end]
		default:
			text = text[:at] + text[at:end] + text[at:]
		}
	}
	return text
}

func TestChains(t *testing.T) {
	random := rand.New(rand.NewPCG(54, 1))
	for round := range 200 {
		texts := []string{words(random, random.IntN(1<<(random.IntN(17))))}
		var packed [][]byte // that of the first is the first
		for number := int64(1); number <= 40; number++ {
			text := texts[number-1]
			next := edited(random, text)
			p := deltas.Pack(number, next, text)
			if whole, want := deltas.IsWhole(p), number%deltas.Interval == 0; whole != want && len(text) < 60_000 {
				t.Fatalf("round %d: IsWhole of version %d = %v, want %v", round, number, whole, want)
			}
			packed, texts = append(packed, p), append(texts, next)
		}
		neighbor := texts[len(texts)-1]
		for i := len(packed) - 1; i >= 0; i-- {
			got, err := deltas.Unpack(neighbor, packed[i])
			if err != nil || got != texts[i] {
				t.Fatalf("round %d: Unpack of version %d: %v, equal: %v", round, i+1, err, got == texts[i])
			}
			neighbor = got
		}
	}
}

func TestDifferencesAreSmall(t *testing.T) {
	random := rand.New(rand.NewPCG(54, 2))
	prompt := words(random, 3000)
	twice := prompt[:700] + "one" + prompt[700:1900] + "two" + prompt[1900:]
	long, large := words(random, 60_000), words(random, 128<<10)
	for _, c := range []struct {
		name, neighbor, text string
		atMost               int
	}{
		{"the same text", prompt, prompt, 5},
		{"a sentence", prompt, prompt[:1500] + "And be kind." + prompt[1500:], 20},
		{"two places", prompt, twice, 40},
		{"a part moved to the end", prompt, prompt[1000:] + prompt[:1000], 60},
		{"a long text", long, long[:30_000] + "And be kind." + long[30_000:], 20},
		{"nothing in common", large, strings.ToUpper(large), len(large) + len(large)/50},
	} {
		if packed := deltas.Pack(2, c.neighbor, c.text); len(packed) > c.atMost {
			t.Errorf("%s takes %d bytes, want at most %d", c.name, len(packed), c.atMost)
		}
	}
}

// TestDamaged unpacks what was changed at random: that ends, and takes no more memory than
// a text may have.
func TestDamaged(t *testing.T) {
	random := rand.New(rand.NewPCG(54, 3))
	before := words(random, 4000)
	text := edited(random, before[:1000]+words(random, 500)+before[1200:])
	for _, packed := range [][]byte{deltas.Pack(16, "", text), deltas.Pack(2, before, text)} {
		for range 20_000 {
			damaged := append([]byte(nil), packed[:random.IntN(len(packed)+1)]...)
			for range 1 + random.IntN(3) {
				if len(damaged) > 0 {
					damaged[random.IntN(len(damaged))] ^= 1 << random.IntN(8)
				}
			}
			if got, err := deltas.Unpack(before, damaged); err == nil && len(got) > 16<<20 {
				t.Fatalf("Unpack = %d bytes", len(got))
			}
		}
	}
	for _, bad := range []string{"", "\x03", "\x01\x02x", "\x01\x00\x01", "\x01\x00\x0e", "\x01\x00\x00\x07", "\x01\x00\x00\xff", "\x02\xff", "\x00\xff\xff\xff\xff\x0f"} {
		if got, err := deltas.Unpack("before", []byte(bad)); err == nil {
			t.Errorf("Unpack of %q = %q, want an error", bad, got)
		}
	}
}

func FuzzUnpack(f *testing.F) {
	f.Add("before", []byte("\x01\x02\x03x"))
	f.Fuzz(func(t *testing.T, before string, packed []byte) {
		if text, err := deltas.Unpack(before, packed); err == nil {
			if again, err := deltas.Unpack(before, deltas.Pack(2, before, text)); err != nil || again != text {
				t.Errorf("Unpack of what was packed again: %v, equal: %v", err, again == text)
			}
		}
	})
}

func Benchmark(b *testing.B) {
	random := rand.New(rand.NewPCG(54, 4))
	before := words(random, 9500)
	text := before[:3000] + "one sentence more" + before[3100:7000] + "and here" + before[7000:]
	b.Run("Pack", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			deltas.Pack(2, before, text)
		}
	})
	packed := deltas.Pack(2, before, text)
	b.Run("Unpack", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := deltas.Unpack(before, packed); err != nil {
				b.Fatal(err)
			}
		}
	})
}
