package document

import (
	"bytes"
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"orgd/cmd/orgd/internal/terminal"
)

// What is printed as YAML is, read again, what it was as JSON: every text and
// every digit.
func TestYAMLIsTheSame(t *testing.T) {
	word := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "yes", "null", "~", "1e3", "0x1F", "0xFFFFFFFFFFFFFFFFF", "1e400", "12:30", "2026-01-02", "- a", "a: b", "# c", "one\ntwo\n", "\n", " lead", "tail \n", "tab\there", "a\n\tb\n", " \tx\n", "\n\tx", "a\n \n\tb ", " \n a\n", "\u0085", "\ufeff", "\x7f", "…", "🙂", "<b>&",
	}))
	number := rapid.SampledFrom([]json.Number{"0", "-1", "12345678901234567890", "0.1", "1e3", "1.50", "123456789.123456789", "1e400"})
	value := rapid.Deferred(func() *rapid.Generator[any] {
		leaf := rapid.OneOf(word.AsAny(), number.AsAny(), rapid.Bool().AsAny(), rapid.Just[any](nil))
		list := rapid.SliceOfN(leaf, 0, 3)
		return rapid.OneOf(leaf, list.AsAny(), rapid.MapOfN(word, rapid.OneOf(leaf, list.AsAny()), 0, 3).AsAny())
	})
	rapid.Check(t, func(t *rapid.T) {
		object := rapid.MapOfN(word, value, 1, 4).Draw(t, "object")
		text := terminal.JSON(object)
		var written bytes.Buffer
		if err := (terminal.OutputFlag{Output: "yaml"}).Print(&terminal.Terminal{Stdout: &written}, object, nil); err != nil {
			t.Fatal(err)
		}
		again, mistakes := read(written.String())
		if len(mistakes) > 0 {
			t.Fatalf("%v in:\n%s", mistakes, &written)
		}
		got, err := decode([]byte(again))
		if err != nil {
			t.Fatalf("%v in:\n%s", err, &written)
		}
		want, err := decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s as YAML (-want +got):\n%s\n%s", text, diff, &written)
		}
	})
}
