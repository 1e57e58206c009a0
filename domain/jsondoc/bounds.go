package jsondoc

import (
	"math"
	"strconv"
	"unicode/utf8"
)

// Bounds limits an array of strings: the number of items, and the code points
// of each.
type Bounds struct {
	MinItems, MaxItems int
	MinLen, MaxLen     int
}

// checkLength returns what is wrong with the number of code points of s, "" if
// nothing.
func checkLength(s string, min, max int) string {
	if len(s) <= max && len(s)/utf8.UTFMax >= min {
		return "" // whatever the characters are
	}
	if n := utf8.RuneCountInString(s); min <= n && n <= max {
		return ""
	}
	return "must be " + amount(min, max, "character")
}

// checkCount returns what is wrong with the number of items, "" if nothing.
func checkCount(n, min, max int) string {
	if min <= n && n <= max {
		return ""
	}
	return "must have " + amount(min, max, "item")
}

// amount says in words how many are allowed.
func amount(min, max int, noun string) string {
	switch {
	case max == math.MaxInt:
		return "at least " + plural(min, noun)
	case min == max:
		return "exactly " + plural(max, noun)
	case min <= 0:
		return "at most " + plural(max, noun)
	}
	return strconv.Itoa(min) + " to " + plural(max, noun)
}

func plural(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return strconv.Itoa(n) + " " + noun
}

// wholeNumber says in words which whole numbers are allowed.
func wholeNumber(min, max int64) string {
	const what = "a whole number"
	low, high := strconv.FormatInt(min, 10), strconv.FormatInt(max, 10)
	switch {
	case min == math.MinInt64 && max == math.MaxInt64:
		return what + " of at most 64 bits"
	case min == math.MinInt64:
		return what + " of at most " + high
	case max == math.MaxInt64:
		return what + " of at least " + low
	}
	return what + " from " + low + " to " + high
}
