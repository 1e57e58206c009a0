package terminal

import (
	"math/big"
	"strings"
	"time"
)

// Score is a score from 0 to 10 in a table. Like the other figures it is "" if it is absent.
func Score[T ~string](v *T) string { return rounded(Word(v), 2) }

// Percent is a share of 100 in a table.
func Percent[T ~string](v T) string { return withUnit(rounded(string(v), 2), "%") }

// Rate is a share of 1 in a table, as percent.
func Rate[T ~string](v *T) string {
	share, ok := new(big.Rat).SetString(Word(v))
	if !ok {
		return ""
	}
	return Percent(share.Mul(share, big.NewRat(100, 1)).FloatString(4))
}

// Money is an amount in a table.
func Money[T ~string](v T, currency string) string { return withUnit(rounded(string(v), 4), currency) }

// Seconds is a duration in a table.
func Seconds[T ~string](v *T) string {
	seconds, ok := new(big.Rat).SetString(Word(v))
	if !ok {
		return ""
	}
	f, _ := seconds.Float64()
	d := time.Duration(f * float64(time.Second))
	if d >= time.Minute {
		return d.Round(time.Second).String()
	}
	return d.Round(time.Second / 10).String()
}

func withUnit(figure, unit string) string {
	if figure == "" {
		return ""
	}
	return strings.TrimSpace(figure + " " + unit)
}

// rounded returns a number with at most so many digits behind the point.
func rounded(number string, digits int) string {
	n, ok := new(big.Rat).SetString(number)
	if !ok {
		return ""
	}
	whole, fraction, _ := strings.Cut(n.FloatString(digits), ".")
	return strings.TrimSuffix(whole+"."+strings.TrimRight(fraction, "0"), ".")
}
