package decimal

import "cmp"

// Cmp compares the numbers exactly: -1 when a is less than b, 0 when they are
// equal, 1 when a is greater.
func Cmp(a, b Decimal) int {
	if a == b {
		return 0
	}
	x, y := a.number(), b.number()
	if x.sign() != y.sign() {
		return cmp.Compare(x.sign(), y.sign())
	}
	return x.sign() * magnitude(&x, &y)
}

// magnitude compares two numbers other than zero without their signs.
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
