package document

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
	"pgregory.net/rapid"

	"orgd/cmd/orgd/internal/terminal"
)

// What is printed as YAML is, read again, what it was as JSON: every text and
// every digit.
func TestYAMLIsTheSame(t *testing.T) {
	word := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
		"", "yes", "null", "~", "1e3", "0x1F", "12:30", "2026-01-02", "- a", "a: b", "# c", "one\ntwo\n", "\n", " lead", "tail \n", "tab\there", "a\n\tb\n", " \tx\n", "\n\tx", "a\n \n\tb ", " \n a\n", "\u0085", "\ufeff", "\x7f", "…", "🙂", "<b>&",
	}))
	number := rapid.SampledFrom([]json.Number{"0", "-1", "12345678901234567890", "0.1", "1e3", "1.50", "123456789.123456789"})
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
		var node yaml.Node
		if err := yaml.Unmarshal(written.Bytes(), &node); err != nil {
			t.Fatalf("%v in:\n%s", err, &written)
		}
		got, err := plain(node.Content[0])
		if err != nil {
			t.Fatalf("%v in:\n%s", err, &written)
		}
		d := json.NewDecoder(strings.NewReader(text))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s as YAML (-want +got):\n%s\n%s", text, diff, &written)
		}
	})
}
