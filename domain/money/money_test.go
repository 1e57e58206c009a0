package money_test

import (
	"errors"
	"math/big"
	"testing"

	"pgregory.net/rapid"

	"orgd/domain/jsondoc"
	"orgd/domain/money"
)

func TestReadAmount(t *testing.T) {
	for text, want := range map[string]money.Amount{
		"0":                   0,
		"-0":                  0,
		"1":                   1e9,
		"12.50":               12.5e9,
		"1e-9":                1,
		"0.000000001":         1,
		"999999999.999999999": money.MaxAmount,
		"9.99999999e8":        999_999_999e9,
		"0e999999999":         0,
	} {
		if got, _, err := read(t, `{"budget":`+text+`}`); got != want || err != nil {
			t.Errorf("budget %s = %d, %v, want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"-1", "-0.000000001", "1000000000", "0.0000000001", "999999999.9999999999", "1e9", "1e999999999", "1e-999999999"} {
		if got, _, err := read(t, `{"budget":`+text+`}`); !errors.Is(err, jsondoc.ErrInvalid) {
			t.Errorf("budget %s = %d, %v, want ErrInvalid", text, got, err)
		}
	}
}

func TestStrings(t *testing.T) {
	for _, tc := range []struct{ got, want string }{
		{money.Amount(0).String(), "0"},
		{money.Amount(1).String(), "0.000000001"},
		{money.Amount(12.5e9).String(), "12.5"},
		{money.MaxAmount.String(), "999999999.999999999"},
		{money.Percent(0).String(), "0"},
		{money.Percent(1).String(), "0.0001"},
		{money.Percent(125_000).String(), "12.5"},
		{money.Hundred.String(), "100"},
		{money.Total{}.String(), "0"},
		{money.Total{Units: 7, Nanos: 50_000_000}.String(), "7.05"},
	} {
		if tc.got != tc.want {
			t.Errorf("String() = %q, want %q", tc.got, tc.want)
		}
	}
}

func TestAmountsKeepTheirValue(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a := money.Amount(rapid.Int64Range(0, int64(money.MaxAmount)).Draw(r, "a"))
		if got, _, err := read(t, `{"budget":`+a.String()+`}`); got != a || err != nil {
			r.Errorf("budget %s = %d, %v, want %d", a, got, err, a)
		}
	})
}

// A total is the sum that arithmetic without bounds gives, in any order.
func TestTotalIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := new(big.Int)
		var left, right money.Total
		for i, v := range rapid.SliceOf(rapid.Int64Range(0, int64(money.MaxAmount))).Draw(t, "amounts") {
			want.Add(want, big.NewInt(v))
			if i%2 == 0 {
				left = left.Add(money.Amount(v))
			} else {
				right = right.Add(money.Amount(v))
			}
		}
		sum := left.Plus(right)
		got := new(big.Int).Mul(big.NewInt(sum.Units), big.NewInt(1e9))
		if got.Add(got, big.NewInt(sum.Nanos)); got.Cmp(want) != 0 {
			t.Errorf("sum = %v nano units, want %v", got, want)
		}
		if sum.Nanos < 0 || sum.Nanos >= 1e9 || sum != right.Plus(left) {
			t.Errorf("sum = %+v, want one normal form", sum)
		}
		r, ok := new(big.Rat).SetString(sum.Decimal().String())
		if !ok || r.Cmp(new(big.Rat).SetFrac(want, big.NewInt(1e9))) != 0 {
			t.Errorf("Decimal() = %s, want %v / 1e9", sum.Decimal(), want)
		}
	})
}
