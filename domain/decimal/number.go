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

// settle removes zeros at both ends of the digits and sets the point, given
// the exponent that was written behind them.
func (n *number) settle(exp int64) {
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
	b := make([]byte, 0, n.len()+maxPlain)
	if n.neg {
		b = append(b, '-')
	}
	if int64(len(b))+n.plainLen() <= maxPlain {
		b = n.appendPlain(b)
	} else {
		b = n.appendScientific(b)
	}
	return Decimal(b)
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

func (n *number) appendPlain(b []byte) []byte {
	if n.point <= 0 {
		b = append(b, "0."...)
	}
	for i := n.point; i < 0; i++ {
		b = append(b, '0')
	}
	for i := range max(n.len(), int(n.point)) {
		if i > 0 && int64(i) == n.point {
			b = append(b, '.')
		}
		b = append(b, n.digit(i))
	}
	return b
}

func (n *number) appendScientific(b []byte) []byte {
	b = append(b, n.digit(0))
	if n.len() > 1 {
		b = append(b, '.')
		if n.whole != "" {
			b = append(b, n.whole[1:]...)
			b = append(b, n.frac...)
		} else {
			b = append(b, n.frac[1:]...)
		}
	}
	b = append(b, 'e')
	if n.exponent() >= 0 {
		b = append(b, '+')
	}
	return strconv.AppendInt(b, n.exponent(), 10)
}
