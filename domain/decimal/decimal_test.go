package decimal_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"orgd/domain/decimal"
)

func TestParseNormalForm(t *testing.T) {
	nines := strings.Repeat("9", 40)
	for in, want := range map[string]decimal.Decimal{
		"0": "0", "-0": "0", "0.0": "0", "-0.00": "0", "0e999999999999": "0", "-0e-5": "0",
		"1": "1", "-1": "-1", "10": "10", "100": "100",
		"1.0": "1", "1.50": "1.5", "-2.500": "-2.5", "0.10": "0.1", "10.010": "10.01",
		"1e0": "1", "1E2": "100", "1e+2": "100", "1.5e1": "15", "1.5e2": "150", "1.25e1": "12.5",
		"1e-1": "0.1", "12e-1": "1.2", "120e-1": "12", "0.001e3": "1", "0.0012e2": "0.12",
		"9007199254740993":     "9007199254740993",
		"18446744073709551616": "18446744073709551616",
		"0.1000000000000000055511151231257827021181583404541015625": "1.000000000000000055511151231257827021181583404541015625e-1",
		nines:                                   decimal.Decimal(nines),
		"-" + nines:                             decimal.Decimal("-9." + nines[1:] + "e+39"),
		nines + "0":                             decimal.Decimal("9." + nines[1:] + "e+40"),
		"1e39":                                  decimal.Decimal("1" + strings.Repeat("0", 39)),
		"1e40":                                  "1e+40",
		"1e-38":                                 decimal.Decimal("0." + strings.Repeat("0", 37) + "1"),
		"1e-39":                                 "1e-39",
		"15e-40":                                "1.5e-39",
		"1.5e300":                               "1.5e+300",
		"1e999999999":                           "1e+999999999",
		"10e999999998":                          "1e+999999999",
		"1e-999999999":                          "1e-999999999",
		"0.1e-99999998":                         "1e-99999999",
		"1" + strings.Repeat("0", 60) + "e-60":  "1",
		"0." + strings.Repeat("0", 60) + "1e61": "1",
		"3." + strings.Repeat("3", 40):          decimal.Decimal("3." + strings.Repeat("3", 40) + "e+0"),
		"3." + strings.Repeat("3", 38):          decimal.Decimal("3." + strings.Repeat("3", 38)),
		"1e000000000000000000000000000000000000001":  "10",
		"1e-000000000000000000000000000000000000001": "0.1",
	} {
		got, err := decimal.Parse(in)
		if err != nil || got != want {
			t.Errorf("Parse(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for in, sentence := range map[string]string{
		"":                        `"" is not a number: it has no digits`,
		"-":                       `"-" is not a number: it has no digits`,
		"01":                      `"01" is not a number: it has a leading zero`,
		"-00":                     `"-00" is not a number: it has a leading zero`,
		"+1":                      `"+1" is not a number: it must start with a digit or a minus and a digit`,
		".5":                      `".5" is not a number: it must start with a digit or a minus and a digit`,
		"NaN":                     `"NaN" is not a number: it must start with a digit or a minus and a digit`,
		"-Infinity":               `"-Infinity" is not a number: it must start with a digit or a minus and a digit`,
		"1.":                      `"1." is not a number: a digit must follow the decimal point`,
		"1.e5":                    `"1.e5" is not a number: a digit must follow the decimal point`,
		"1e":                      `"1e" is not a number: a digit must follow the e`,
		"1e+":                     `"1e+" is not a number: a digit must follow the e`,
		"1e5.5":                   `"1e5.5" is not a number: it contains something that is not part of a number`,
		"1-2":                     `"1-2" is not a number: it contains something that is not part of a number`,
		"0x1":                     `"0x1" is not a number: it contains something that is not part of a number`,
		" 1":                      `" 1" is not a number: it must start with a digit or a minus and a digit`,
		"1 ":                      `"1 " is not a number: it contains something that is not part of a number`,
		"1_0":                     `"1_0" is not a number: it contains something that is not part of a number`,
		strings.Repeat("1-", 100): `"` + strings.Repeat("1-", 16) + `…" is not a number: it contains something that is not part of a number`,
	} {
		got, err := decimal.Parse(in)
		if !errors.Is(err, decimal.ErrSyntax) || err.Error() != sentence {
			t.Errorf("Parse(%q) = %q, %v, want %s", in, got, err, sentence)
		}
	}
	for _, in := range []string{"1e1000000000", "10e999999999", "-1e1000000000", "0.1e-999999999", "1e99999999999999999999999", "1e-99999999999999999999999"} {
		if got, err := decimal.Parse(in); !errors.Is(err, decimal.ErrRange) {
			t.Errorf("Parse(%q) = %q, %v, want %v", in, got, err, decimal.ErrRange)
		}
	}
}

// A short text with a long plain form must stay short, and a long text must not
// cost more than its length.
func TestParseIsLinear(t *testing.T) {
	long := "1." + strings.Repeat("0", 4<<20) + "1e4194305"
	got, err := decimal.Parse(long)
	if err != nil || len(got) > len(long)+1 { // the sign of the exponent
		t.Errorf("Parse of %d bytes = %d bytes, %v, want about as many", len(long), len(got), err)
	}
	if allocs := testing.AllocsPerRun(10, func() { _, _ = decimal.Parse("-1234567.890") }); allocs != 0 {
		t.Errorf("Parse of a plain number = %v allocations, want 0", allocs)
	}
}

func TestFixed(t *testing.T) {
	for _, c := range []struct {
		d        decimal.Decimal
		decimals int
		want     int64
		ok       bool
	}{
		{"", 9, 0, true},
		{"0", 9, 0, true},
		{"1", 0, 1, true},
		{"-1.5", 1, -15, true},
		{"1.5", 0, 0, false},
		{"0.000000001", 9, 1, true},
		{"0.0000000001", 9, 0, false},
		{"999999999.999999999", 9, 999999999999999999, true},
		{"9223372036854775807", 0, math.MaxInt64, true},
		{"9223372036854775808", 0, 0, false},
		{"-9223372036854775808", 0, math.MinInt64, true},
		{"-9223372036854775809", 0, 0, false},
		{"9999999999999999999", 0, 0, false},
		{"92233720368.54775807", 8, math.MaxInt64, true},
		{"1e18", 0, 1e18, true},
		{"1e19", 0, 0, false},
		{"1e999999999", 0, 0, false},
		{"1e-999999999", 9, 0, false},
		{"1200", -2, 12, true},
		{"1250", -2, 0, false},
		{"abc", 0, 0, true},
	} {
		if got, ok := c.d.Fixed(c.decimals); got != c.want || ok != c.ok {
			t.Errorf("Decimal(%q).Fixed(%d) = %d, %t, want %d, %t", c.d, c.decimals, got, ok, c.want, c.ok)
		}
	}
}

func TestFromFixed(t *testing.T) {
	for _, c := range []struct {
		v        int64
		decimals int
		want     decimal.Decimal
	}{
		{0, 9, "0"}, {5, 0, "5"}, {1500, 3, "1.5"}, {-1, 9, "-0.000000001"},
		{math.MinInt64, 0, "-9223372036854775808"}, {math.MaxInt64, 18, "9.223372036854775807"},
		{12, -2, "1200"}, {1, 100, "1e-100"}, {10, -40, "1e+41"},
	} {
		if got := decimal.FromFixed(c.v, c.decimals); got != c.want {
			t.Errorf("FromFixed(%d, %d) = %q, want %q", c.v, c.decimals, got, c.want)
		}
	}
}

func TestFloat(t *testing.T) {
	for d, want := range map[decimal.Decimal]float64{
		"": 0, "0.1": 0.1, "-2.5": -2.5, "1e+400": math.Inf(1), "-1e+400": math.Inf(-1), "1e-400": 0,
		"Inf": 0, "0x10": 0, "9007199254740993": 9007199254740992,
	} {
		if got := d.Float(); got != want {
			t.Errorf("Decimal(%q).Float() = %v, want %v", d, got, want)
		}
	}
}

func TestZeroValue(t *testing.T) {
	var d decimal.Decimal
	if d.String() != "0" || d.Sign() != 0 || decimal.Cmp(d, "0") != 0 || decimal.Cmp(d, "-1") != 1 {
		t.Errorf("the zero value = %s with sign %d, want the number 0", d, d.Sign())
	}
}

func TestCmpHugeExponents(t *testing.T) {
	ascending := []decimal.Decimal{
		"-1e+999999999", "-1e+41", "-2", "-1.5", "-1e-999999999", "0", "1e-999999999", "0.000000001", "0.1",
		"0.11", "1", "1.0000000000000000000000000000000000000001", "9007199254740992", "9007199254740993", "1e+41", "1.1e+41", "1e+999999999",
	}
	for i, a := range ascending {
		for j, b := range ascending {
			want := min(max(i-j, -1), 1)
			if got := decimal.Cmp(a, b); got != want {
				t.Errorf("Cmp(%s, %s) = %d, want %d", a, b, got, want)
			}
		}
	}
}

// numberText draws JSON numbers of every shape, small enough for big.Rat.
func numberText(t *rapid.T, label string) string {
	return rapid.StringMatching(`-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][+-]?[0-9]{1,2})?`).Draw(t, label)
}

func rat(t *rapid.T, text string) *big.Rat {
	r, ok := new(big.Rat).SetString(text)
	if !ok {
		t.Fatalf("big.Rat refuses %q", text)
	}
	return r
}

func mustParse(t *rapid.T, text string) decimal.Decimal {
	d, err := decimal.Parse(text)
	if err != nil {
		t.Fatalf("Parse(%q) = %v, want no error", text, err)
	}
	return d
}

func TestPropertyParseKeepsTheNumber(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := numberText(t, "number")
		d := mustParse(t, text)
		if rat(t, text).Cmp(rat(t, d.String())) != 0 {
			t.Fatalf("Parse(%q) = %q, want the same number", text, d)
		}
		if again := mustParse(t, d.String()); again != d {
			t.Fatalf("Parse(%q) = %q, want the same text", d, again)
		}
	})
}

func TestPropertyEqualNumbersHaveOneText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := numberText(t, "a"), numberText(t, "b")
		x, y := mustParse(t, a), mustParse(t, b)
		want := rat(t, a).Cmp(rat(t, b))
		if got := decimal.Cmp(x, y); got != want || (x == y) != (want == 0) {
			t.Fatalf("Cmp(%s, %s) = %d, want %d", x, y, got, want)
		}
		if got := decimal.Cmp(decimal.Decimal(a), decimal.Decimal(b)); got != want {
			t.Fatalf("Cmp(%s, %s) of texts that are not normal = %d, want %d", a, b, got, want)
		}
	})
}

func TestPropertyFixedAndBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v, decimals := rapid.Int64().Draw(t, "v"), rapid.IntRange(-30, 60).Draw(t, "decimals")
		d := decimal.FromFixed(v, decimals)
		if got, ok := d.Fixed(decimals); !ok || got != v {
			t.Fatalf("FromFixed(%d, %d).Fixed = %d, %t, want it back", v, decimals, got, ok)
		}
		if again := mustParse(t, d.String()); again != d {
			t.Fatalf("Parse(%q) = %q, want the same text", d, again)
		}
	})
}

func TestPropertyFixedIsExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, decimals := numberText(t, "number"), rapid.IntRange(0, 20).Draw(t, "decimals")
		scaled := rat(t, text)
		scaled.Mul(scaled, new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)))
		want := scaled.IsInt() && scaled.Num().IsInt64()
		got, ok := mustParse(t, text).Fixed(decimals)
		if ok != want || ok && got != scaled.Num().Int64() {
			t.Fatalf("Decimal(%q).Fixed(%d) = %d, %t, want %s, %t", text, decimals, got, ok, scaled, want)
		}
	})
}
