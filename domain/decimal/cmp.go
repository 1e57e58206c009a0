package decimal

// Cmp compares the numbers exactly: -1 when a is less than b, 0 when they are
// equal, 1 when a is greater.
func Cmp(a, b Decimal) int {
	if a == b {
		return 0
	}
	x, y := a.number(), b.number()
	sign := x.sign()
	if sign != y.sign() {
		return compare(int64(sign), int64(y.sign()))
	}
	return sign * magnitude(&x, &y)
}

// magnitude compares without sign. Zero only ever meets zero here.
func magnitude(x, y *number) int {
	if x.point != y.point && x.sign() != 0 {
		return compare(x.point, y.point)
	}
	for i := range max(x.len(), y.len()) {
		if c := compare(int64(x.digit(i)), int64(y.digit(i))); c != 0 {
			return c
		}
	}
	return 0
}

func compare(a, b int64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}
