package decimal_test

import (
	"encoding/json"
	"errors"
	"testing"

	"orgd/domain/decimal"
)

// FuzzParse holds Parse against the grammar as encoding/json understands it, and
// its result against its promises.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"0", "-0.0", "1.50", "1e2", "-12.5E-3", "1e400", "01", "1.", "+1", "1e999999999", "NaN"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		d, err := decimal.Parse(text)
		if err != nil {
			if errors.Is(err, decimal.ErrSyntax) && isNumber(text) {
				t.Errorf("Parse(%q) = %v, want a number", text, err)
			}
			return
		}
		if !isNumber(text) || !isNumber(d.String()) {
			t.Errorf("Parse(%q) = %q, want JSON numbers on both sides", text, d)
		}
		if again, err := decimal.Parse(d.String()); err != nil || again != d {
			t.Errorf("Parse(%q) = %q, %v, want the same text", d, again, err)
		}
		if decimal.Cmp(decimal.Decimal(text), d) != 0 {
			t.Errorf("Cmp(%q, %q) != 0, want the same number", text, d)
		}
	})
}

// isNumber reports whether text is a JSON number and nothing else.
func isNumber(text string) bool {
	if text == "" || text[0] != '-' && (text[0] < '0' || text[0] > '9') {
		return false
	}
	last := text[len(text)-1]
	return '0' <= last && last <= '9' && json.Valid([]byte(text))
}
