package money_test

import (
	"errors"
	"testing"

	"orgd/domain/decimal"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
)

// FuzzRead holds that a number is refused, or is an amount and a percentage
// within their bounds and of exactly its worth.
func FuzzRead(f *testing.F) {
	for _, s := range []string{"0", "-0", "12.5", "999999999.999999999", "1e9", "33.33333", "1e-10", "100.00000"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := jsondoc.Parse([]byte(text))
		if err != nil || v.Kind() != jsondoc.KindNumber {
			return
		}
		doc, err := jsondoc.Parse([]byte(`{"x":` + text + `}`))
		if err != nil {
			t.Fatalf("Parse of an object with %s = %v", text, err)
		}
		var amount money.Amount
		var percent money.Percent
		for what, try := range map[string]struct {
			read  func(*jsondoc.Reader)
			worth func() decimal.Decimal
		}{
			"amount":     {func(r *jsondoc.Reader) { money.ReadAmount(r, "x", &amount) }, func() decimal.Decimal { return amount.Decimal() }},
			"percentage": {func(r *jsondoc.Reader) { money.ReadPercent(r, "x", &percent) }, func() decimal.Decimal { return percent.Decimal() }},
		} {
			err := jsondoc.Read(doc, try.read)
			if err != nil && !errors.Is(err, jsondoc.ErrInvalid) {
				t.Errorf("%s of %s: %v, want ErrInvalid", what, text, err)
			}
			if err == nil && decimal.Cmp(try.worth(), v.Number()) != 0 {
				t.Errorf("%s of %s = %s", what, text, try.worth())
			}
		}
		if amount < 0 || amount > money.MaxAmount || percent < 0 || percent > money.Hundred {
			t.Errorf("%s = %d and %d, out of bounds", text, amount, percent)
		}
	})
}
