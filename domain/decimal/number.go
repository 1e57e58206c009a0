package decimal

import (
	"strconv"
	"strings"
)

// number is a decimal taken apart: 0.d₁d₂d₃… × 10^point, where the digits are
// whole followed by frac, the first and the last of them not '0'. Zero has no
// digits.
type number struct {
	neg         bool
	whole, frac string
	point       int64
	plainEnd    int // how much of the text is the normal form, 0 when unknown
}

// normalize removes zeros at both ends of the digits and sets the point, given
// the exponent that was written behind them.
func (n *number) normalize(exp int64) {
	n.point = int64(len(n.whole)) + exp
	n.whole = n.trimLeft(n.whole)
	if n.whole == "" {
		n.frac = n.trimLeft(n.frac)
	}
	n.frac = strings.TrimRight(n.frac, "0")
	if n.frac == "" {
		n.whole = strings.TrimRight(n.whole, "0")
	}
}

// trimLeft removes leading zeros, each of which moves the point.
func (n *number) trimLeft(digits string) string {
	short := strings.TrimLeft(digits, "0")
	n.point -= int64(len(digits) - len(short))
	return short
}

// number takes d apart; text that is no number is zero.
func (d Decimal) number() number {
	n, reason := scan(string(d))
	if reason != "" {
		return number{}
	}
	return n
}

func (n *number) len() int { return len(n.whole) + len(n.frac) }

// digit is the digit at i, '0' behind the last.
func (n *number) digit(i int) byte {
	switch {
	case i < len(n.whole):
		return n.whole[i]
	case i < n.len():
		return n.frac[i-len(n.whole)]
	}
	return '0'
}

func (n *number) sign() int {
	switch {
	case n.len() == 0:
		return 0
	case n.neg:
		return -1
	}
	return 1
}

// exponent is that of the scientific notation.
func (n *number) exponent() int64 { return n.point - 1 }

// normal writes the normal form of a number other than zero.
func (n *number) normal() Decimal {
	var b strings.Builder
	b.Grow(n.len() + maxPlain)
	if n.neg {
		b.WriteByte('-')
	}
	if int64(b.Len())+n.plainLen() <= maxPlain {
		n.writePlain(&b)
	} else {
		n.writeScientific(&b)
	}
	return Decimal(b.String())
}

// plainLen is the length without exponent and sign.
func (n *number) plainLen() int64 {
	digits := int64(n.len())
	switch {
	case n.point <= 0:
		return 2 - n.point + digits
	case n.point < digits:
		return digits + 1
	}
	return n.point
}

func (n *number) writePlain(b *strings.Builder) {
	if n.point <= 0 {
		b.WriteString("0.")
	}
	for i := n.point; i < 0; i++ {
		b.WriteByte('0')
	}
	for i := range max(n.len(), int(n.point)) {
		if i > 0 && int64(i) == n.point {
			b.WriteByte('.')
		}
		b.WriteByte(n.digit(i))
	}
}

func (n *number) writeScientific(b *strings.Builder) {
	b.WriteByte(n.digit(0))
	if n.len() > 1 {
		b.WriteByte('.')
		whole, frac := n.whole, n.frac // not joined: they may have a megabyte
		if whole != "" {
			whole = whole[1:]
		} else {
			frac = frac[1:]
		}
		b.WriteString(whole)
		b.WriteString(frac)
	}
	b.WriteByte('e')
	if n.exponent() >= 0 {
		b.WriteByte('+')
	}
	b.WriteString(strconv.FormatInt(n.exponent(), 10))
}
