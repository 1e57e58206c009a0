// Package money counts money and percentages exactly. Floating point appears
// only where a figure leaves the process for a human or a formula.
package money

import (
	"cmp"
	"fmt"
	"strings"

	"orgd/domain/decimal"
	"orgd/domain/jsondoc"
)

// Amount is an amount of the company's currency in nano units (10⁻⁹), 0 to
// [MaxAmount]. JSON shows it as a number of units.
type Amount int64

// MaxAmount is 999 999 999.999 999 999 units.
const MaxAmount Amount = 1e18 - 1

const (
	amountDecimals = 9
	nanos          = 1_000_000_000 // in one unit
)

// Decimal is the amount in units.
func (a Amount) Decimal() decimal.Decimal { return decimal.FromFixed(int64(a), amountDecimals) }

// String is the amount in units, such as "12.5".
func (a Amount) String() string { return a.Decimal().String() }

// Total is an exact sum of amounts. The zero value is 0. It holds the sum of
// at least nine thousand million amounts of any size.
type Total struct {
	Units int64 // whole units
	Nanos int64 // the rest in nano units, 0 to 999 999 999
}

// Add returns t plus one amount.
func (t Total) Add(a Amount) Total { return t.Plus(Total{Nanos: int64(a)}) }

// Plus returns the sum of two totals. Of what is below 0, Nanos are above the Units.
func (t Total) Plus(u Total) Total {
	n := t.Nanos + u.Nanos
	sum := Total{Units: t.Units + u.Units + n/nanos, Nanos: n % nanos}
	if sum.Nanos < 0 {
		sum.Units, sum.Nanos = sum.Units-1, sum.Nanos+nanos
	}
	return sum
}

// Minus returns t without u.
func (t Total) Minus(u Total) Total { return t.Plus(Total{Units: -u.Units, Nanos: -u.Nanos}) }

// Compare is -1, 0 or 1 if t is less than u, the same, or more. Both come from [Total.Plus].
func (t Total) Compare(u Total) int {
	return cmp.Or(cmp.Compare(t.Units, u.Units), cmp.Compare(t.Nanos, u.Nanos))
}

// Decimal is the sum in units, exactly.
func (t Total) Decimal() decimal.Decimal {
	if t.Nanos == 0 {
		return decimal.FromInt(t.Units)
	}
	return decimal.Decimal(strings.TrimRight(fmt.Sprintf("%d.%09d", t.Units, t.Nanos), "0"))
}

// String is the sum in units, such as "12.5".
func (t Total) String() string { return t.Decimal().String() }

// Percent is a percentage in steps of 0.0001, 0 to [Hundred].
type Percent int64

// Hundred is 100 percent.
const Hundred Percent = 100 * 10_000

const percentDecimals = 4

// Decimal is the percentage as a number, 0 to 100.
func (p Percent) Decimal() decimal.Decimal { return decimal.FromFixed(int64(p), percentDecimals) }

// String is the percentage as a number without the sign, such as "12.5".
func (p Percent) String() string { return p.Decimal().String() }

// ReadAmount reads the amount in the member name into dst. An absent member
// leaves dst as it is; a wrong one is recorded in r.
func ReadAmount(r *jsondoc.Reader, name string, dst *Amount) {
	*dst = Amount(readFixed(r, name, int64(*dst), int64(MaxAmount), amountDecimals))
}

// ReadPercent reads the percentage in the member name into dst. An absent
// member leaves dst as it is; a wrong one is recorded in r.
func ReadPercent(r *jsondoc.Reader, name string, dst *Percent) {
	*dst = Percent(readFixed(r, name, int64(*dst), int64(Hundred), percentDecimals))
}

// readFixed reads a number of 0 to max/10^decimals and returns it times
// 10^decimals. It returns current if the member is absent or wrong.
func readFixed(r *jsondoc.Reader, name string, current, max int64, decimals int) int64 {
	limit := decimal.FromFixed(max, decimals)
	d := decimal.FromFixed(current, decimals)
	r.Decimal(name, &d, "0", limit)
	if v, ok := d.Fixed(decimals); ok {
		return v
	}
	r.Fail(name, "must have at most %d decimals", decimals)
	return current
}
