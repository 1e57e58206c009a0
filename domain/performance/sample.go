package performance

import (
	"math/big"

	"orgd/domain/decimal"
	"orgd/domain/money"
)

const nanos = 1_000_000_000

// Sample is how many values were measured and their exact sum. Values are not
// negative and whole multiples of 10⁻⁹. The zero value is the empty sample.
//
// Sums are integers, so they come out the same in whatever order and grouping
// values arrive. A sample holds at least nine thousand million values of the
// greatest size that this package adds (10⁹, or 10¹² for tokens, of which it
// holds nine million).
type Sample struct {
	Count int64
	Units int64 // whole units of the sum
	Nanos int64 // the rest of the sum in 10⁻⁹ units, 0 to 999 999 999
}

// Add returns s with one more value of n × 10⁻⁹ units.
func (s Sample) Add(n int64) Sample {
	return s.Merge(Sample{Count: 1, Units: n / nanos, Nanos: n % nanos})
}

// Merge returns the values of both samples together. The result is in normal
// form even when s and t are not, so a store may add the three numbers of
// samples separately.
func (s Sample) Merge(t Sample) Sample {
	sum := s.Total().Plus(t.Total())
	return Sample{Count: s.Count + t.Count, Units: sum.Units, Nanos: sum.Nanos}
}

// Total is the sum as money.
func (s Sample) Total() money.Total { return money.Total{Units: s.Units, Nanos: s.Nanos} }

// mean is sum / count, rounded half up to the given number of decimals, or nil
// for an empty sample.
func (s Sample) mean(decimals int) *decimal.Decimal {
	sum := new(big.Int).Mul(big.NewInt(s.Units), big.NewInt(nanos))
	sum.Add(sum, big.NewInt(s.Nanos))
	return quotient(sum, new(big.Int).Mul(big.NewInt(s.Count), big.NewInt(nanos)), decimals)
}

// about is the mean × 10⁹ as a floating-point number, for trends. The sample is
// not empty. In this scale a sum below 2⁵³ is exact, so equal means give equal
// numbers and no trend appears out of nothing.
func (s Sample) about() float64 {
	return (float64(s.Units)*nanos + float64(s.Nanos)) / float64(s.Count)
}

// ratio is a / b, rounded half up to the given number of decimals, or nil if b
// is 0.
func ratio(a, b int64, decimals int) *decimal.Decimal {
	return quotient(big.NewInt(a), big.NewInt(b), decimals)
}

// quotient is a / b for a ≥ 0 and b ≥ 0, rounded half up, or nil if b is 0.
func quotient(a, b *big.Int, decimals int) *decimal.Decimal {
	if b.Sign() == 0 {
		return nil
	}
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	scale.Mul(scale, a)
	// ⌊a·10ᵏ/b + ½⌋ = ⌊(2·a·10ᵏ + b) / 2b⌋
	scale.Lsh(scale, 1).Add(scale, b)
	scale.Quo(scale, new(big.Int).Lsh(b, 1))
	return new(decimal.FromFixed(scale.Int64(), decimals))
}
