package jsondoc

import (
	"strings"
	"time"
)

// Time reads an RFC 3339 time with any offset as UTC, cut to milliseconds.
func (r *Reader) Time(name string, dst *time.Time) {
	const what = "a time such as 2026-01-31T12:00:00.000Z"
	v, ok := r.get(name, KindString, what)
	if !ok {
		return
	}
	t, ok := parseTime(v.text)
	if !ok {
		r.Fail(name, "must be %s", what)
		return
	}
	*dst = t
}

// TimeOrNull reads a time like Time; null makes it nil.
func (r *Reader) TimeOrNull(name string, dst **time.Time) {
	orNull(r, name, dst, func(t *time.Time) { r.Time(name, t) })
}

// parseTime accepts the times that can be written in the same form again.
func parseTime(s string) (t time.Time, ok bool) {
	if !looksLikeTime(s) {
		return time.Time{}, false
	}
	t, err := time.Parse(time.RFC3339, s)
	t = t.UTC().Truncate(time.Millisecond)
	return t, err == nil && 0 <= t.Year() && t.Year() <= 9999
}

// looksLikeTime refuses what package time accepts although RFC 3339 does not:
// an hour of one digit, a comma before the fraction, an offset of a day or more.
func looksLikeTime(s string) bool {
	const whole, longest = "0000-00-00T00:00:00", 64
	if len(s) > longest || len(s) < len(whole) || !hasShape(s[:len(whole)], whole) {
		return false
	}
	rest := s[len(whole):]
	if strings.HasPrefix(rest, ".") {
		rest = strings.TrimLeft(rest[1:], "0123456789")
	}
	if rest == "Z" {
		return true
	}
	return (hasShape(rest, "+00:00") || hasShape(rest, "-00:00")) && rest[1:3] < "24" && rest[4:] < "60"
}

// hasShape reports whether s is shape with any digits instead of zeros.
func hasShape(s, shape string) bool {
	if len(s) != len(shape) {
		return false
	}
	for i := range len(s) {
		isDigit := '0' <= s[i] && s[i] <= '9'
		if isDigit != (shape[i] == '0') || !isDigit && s[i] != shape[i] {
			return false
		}
	}
	return true
}
