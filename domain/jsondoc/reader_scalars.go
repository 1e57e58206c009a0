package jsondoc

import (
	"slices"
	"strings"
	"time"

	"orgd/domain/decimal"
	"orgd/domain/fault"
)

// notNull returns the member if it is present. null is a problem in a merge patch, where it
// would remove the member; in a document that is whole it is as good as an absent member.
func (r *Reader) notNull(name string) (v Value, ok bool) {
	v, ok = r.Raw(name)
	if !ok || !v.IsNull() {
		return v, ok
	}
	if !r.whole {
		r.Fail(name, "must not be null")
	}
	return v, false
}

// get returns the member if it is present and of the kind that the sentence
// "must be ..." asks for; otherwise ok is false and a problem is recorded where
// there is one.
func (r *Reader) get(name string, kind Kind, what string) (v Value, ok bool) {
	v, ok = r.notNull(name)
	if ok && v.kind != kind {
		r.Fail(name, "must be %s", what)
		return v, false
	}
	return v, ok
}

// Text reads a string of min to max code points.
func (r *Reader) Text(name string, dst *string, min, max int) {
	v, ok := r.get(name, KindString, "a string")
	if !ok {
		return
	}
	if problem := checkLength(v.text, min, max); problem != "" {
		r.Fail(name, "%s", problem)
		return
	}
	*dst = v.text
}

// TextOrNull reads a string like Text; null makes it nil.
func (r *Reader) TextOrNull(name string, dst **string, min, max int) {
	orNull(r, name, dst, func(s *string) { r.Text(name, s, min, max) })
}

// orNull reads a member that may be null: null makes *dst nil, a present member
// makes it a new variable that read fills. If read fails *dst stays.
func orNull[T any](r *Reader, name string, dst **T, read func(*T)) {
	v, ok := r.Raw(name)
	switch {
	case !ok:
	case v.IsNull():
		*dst = nil
	default:
		var fresh T
		before := r.report.count
		if read(&fresh); r.report.count == before {
			*dst = &fresh
		}
	}
}

// Bool reads true or false.
func (r *Reader) Bool(name string, dst *bool) {
	if v, ok := r.get(name, KindBool, "true or false"); ok {
		*dst = v.Bool()
	}
}

// Int reads a whole number from min to max. How it is written does not matter:
// 1.0 and 1e2 are whole.
func (r *Reader) Int(name string, dst *int64, min, max int64) {
	v, ok := r.notNull(name)
	if !ok {
		return
	}
	n, whole := v.Number().Int()
	if v.kind != KindNumber || !whole || n < min || n > max {
		r.Fail(name, "must be %s%s", wholeNumber(min, max), not(v))
		return
	}
	*dst = n
}

// IntOrNull reads a whole number like Int; null makes it nil.
func (r *Reader) IntOrNull(name string, dst **int64, min, max int64) {
	orNull(r, name, dst, func(n *int64) { r.Int(name, n, min, max) })
}

// Decimal reads an exact number from min to max.
func (r *Reader) Decimal(name string, dst *decimal.Decimal, min, max decimal.Decimal) {
	v, ok := r.get(name, KindNumber, "a number")
	if !ok {
		return
	}
	d := v.Number()
	if decimal.Cmp(d, min) < 0 || decimal.Cmp(d, max) > 0 {
		r.Fail(name, "must be a number from %s to %s%s", min, max, not(v))
		return
	}
	*dst = d
}

// Enum reads one of the words.
func Enum[T ~string](r *Reader, name string, dst *T, words ...T) {
	v, ok := r.notNull(name)
	switch {
	case !ok:
	case v.kind != KindString || !slices.Contains(words, T(v.text)):
		r.Fail(name, "must be one of %s", fault.List(words))
	default:
		*dst = T(v.text)
	}
}

// EnumOrNull reads one of the words like Enum; null makes it nil.
func EnumOrNull[T ~string](r *Reader, name string, dst **T, words ...T) {
	orNull(r, name, dst, func(word *T) { Enum(r, name, word, words...) })
}

// Time reads an RFC 3339 time with any offset as UTC, cut to milliseconds.
func (r *Reader) Time(name string, dst *time.Time) (read bool) {
	const what = "a time such as 2026-01-31T12:00:00.000Z"
	v, ok := r.get(name, KindString, what)
	if !ok {
		return false
	}
	t, ok := parseTime(v.text)
	if !ok {
		r.Fail(name, "must be %s", what)
		return false
	}
	*dst = t
	return true
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
