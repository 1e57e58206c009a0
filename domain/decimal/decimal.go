// Package decimal keeps the numbers of JSON documents exactly.
//
// A [Decimal] is text, so a number of any size and precision comes back as it
// was written, digit for digit, and two equal numbers have the same text. It
// does no arithmetic: sums belong to the packages that know their unit, which
// take the number out with [Decimal.Fixed].
package decimal

import (
	"cmp"
	"strconv"
	"strings"
)

// Decimal is an exact number in normal form: without exponent when that takes
// at most 40 characters, else one digit, the fraction and an exponent with its
// sign ("1.5e+60"). A normal form has no zeros that could be left out and no
// "-0", so Decimals from this package are equal exactly if == says so. The zero
// value is the number 0, although [Parse] writes it "0".
//
// Text that is no number at all, which only a conversion can bring in, counts
// as 0 in every method.
type Decimal string

// maxPlain is the number of characters up to which a number is written without
// exponent.
const maxPlain = 40

// MaxExponent bounds the decimal exponent of a number in scientific notation:
// ten to the power of MaxExponent is accepted, ten times that is not.
const MaxExponent = 999_999_999

// FromFixed returns v / 10^decimals. It is the inverse of [Decimal.Fixed].
// decimals lies between -MaxExponent+18 and MaxExponent.
func FromFixed(v int64, decimals int) Decimal {
	if v == 0 {
		return "0"
	}
	n := number{neg: v < 0, whole: strings.TrimPrefix(strconv.FormatInt(v, 10), "-")}
	n.normalize(-int64(decimals))
	return n.normal()
}

// FromInt returns v as a Decimal.
func FromInt(v int64) Decimal { return Decimal(strconv.FormatInt(v, 10)) }

// String is the number's normal form, a valid JSON number.
func (d Decimal) String() string {
	if d == "" {
		return "0"
	}
	return string(d)
}

// Cmp compares the numbers exactly: -1 when a is less than b, 0 when they are
// equal, 1 when a is greater.
func Cmp(a, b Decimal) int {
	if a == b {
		return 0
	}
	x, y := a.number(), b.number()
	if c := cmp.Compare(x.sign(), y.sign()); c != 0 {
		return c
	}
	return x.sign() * magnitude(&x, &y)
}

// magnitude compares the absolute values of two numbers of the same sign.
func magnitude(x, y *number) int {
	if x.point != y.point {
		return cmp.Compare(x.point, y.point)
	}
	for i := range max(x.len(), y.len()) {
		if c := cmp.Compare(x.digit(i), y.digit(i)); c != 0 {
			return c
		}
	}
	return 0
}

// Sign is -1, 0 or 1.
func (d Decimal) Sign() int {
	n := d.number()
	return n.sign()
}

// Fixed returns d × 10^decimals. ok is false when that is not a whole number
// or does not fit an int64.
func (d Decimal) Fixed(decimals int) (v int64, ok bool) {
	n := d.number()
	if n.sign() == 0 {
		return 0, true
	}
	zeros := n.point - int64(n.len()) + int64(decimals)
	if zeros < 0 || int64(n.len())+zeros > 19 {
		return 0, false
	}
	var u uint64 // 19 digits always fit
	for i := range n.len() + int(zeros) {
		u = u*10 + uint64(n.digit(i)-'0')
	}
	if v = int64(u); n.neg {
		v = -v
	}
	if (v < 0) != n.neg { // it did not fit
		return 0, false
	}
	return v, true
}

// Int returns d as an int64. ok is false when d is not a whole number or does
// not fit; 1.0 and 1e2 are whole numbers.
func (d Decimal) Int() (v int64, ok bool) { return d.Fixed(0) }

// Float is the float64 nearest to d, an infinity when d is beyond the largest.
func (d Decimal) Float() float64 {
	if d.Sign() == 0 {
		return 0 // also for text that only ParseFloat takes for a number
	}
	// The text is a number here, so the only error is the range, and then f is
	// already the infinity.
	f, _ := strconv.ParseFloat(string(d), 64)
	return f
}
