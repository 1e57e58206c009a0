package jsondoc

import (
	"fmt"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"orgd/domain/decimal"
)

// get returns the member if it is present and of the kind that the sentence
// "must be ..." asks for; otherwise ok is false and a problem is recorded where
// there is one.
func (r *Reader) get(name string, kind Kind, what string) (v Value, ok bool) {
	v, ok = r.find(name)
	switch {
	case !ok:
		return v, false
	case v.IsNull():
		r.Fail(name, "must not be null")
		return v, false
	case v.Kind() != kind:
		r.Fail(name, "must be %s", what)
		return v, false
	}
	return v, true
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

// checkLength returns what is wrong with the length of s, "" if nothing.
func checkLength(s string, min, max int) string {
	if len(s) >= min*utf8.UTFMax && len(s) <= max {
		return "" // whatever the characters are
	}
	n := utf8.RuneCountInString(s)
	switch {
	case min <= n && n <= max:
		return ""
	case min == max:
		return fmt.Sprintf("must be exactly %d characters", min)
	case min <= 0:
		return fmt.Sprintf("must be at most %d characters", max)
	case max == math.MaxInt:
		return fmt.Sprintf("must be at least %d characters", min)
	}
	return fmt.Sprintf("must be %d to %d characters", min, max)
}

// TextOrNull reads a string like Text; null makes it nil.
func (r *Reader) TextOrNull(name string, dst **string, min, max int) {
	orNull(r, name, dst, func(s *string) { r.Text(name, s, min, max) })
}

// orNull reads a member that may be null: null makes *dst nil, a present member
// makes it a new variable that read fills. If read fails *dst stays.
func orNull[T any](r *Reader, name string, dst **T, read func(*T)) {
	v, ok := r.find(name)
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
	what := "a whole number" + span(min, max)
	v, ok := r.get(name, KindNumber, what)
	if !ok {
		return
	}
	n, ok := v.Number().Int()
	if !ok || n < min || n > max {
		r.Fail(name, "must be %s", what)
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
		r.Fail(name, "must be a number from %s to %s", min, max)
		return
	}
	*dst = d
}

// DecimalOrNull reads an exact number like Decimal; null makes it nil.
func (r *Reader) DecimalOrNull(name string, dst **decimal.Decimal, min, max decimal.Decimal) {
	orNull(r, name, dst, func(d *decimal.Decimal) { r.Decimal(name, d, min, max) })
}

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

// parseTime accepts the times that can be written in the same form again.
func parseTime(s string) (t time.Time, ok bool) {
	const longest = 64
	if len(s) > longest || t.UnmarshalText([]byte(s)) != nil {
		return time.Time{}, false
	}
	t = t.UTC().Truncate(time.Millisecond)
	return t, 0 <= t.Year() && t.Year() <= 9999
}

// TimeOrNull reads a time like Time; null makes it nil.
func (r *Reader) TimeOrNull(name string, dst **time.Time) {
	orNull(r, name, dst, func(t *time.Time) { r.Time(name, t) })
}

// Enum reads one of the words.
func Enum[T ~string](r *Reader, name string, dst *T, words ...T) {
	v, ok := r.find(name)
	if !ok {
		return
	}
	if v.IsNull() {
		r.Fail(name, "must not be null")
		return
	}
	for _, word := range words {
		if v.Kind() == KindString && v.text == string(word) {
			*dst = word
			return
		}
	}
	r.Fail(name, "must be one of %s", list(words))
}

func list[T ~string](words []T) string {
	var b strings.Builder
	for i, word := range words {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(string(word))
	}
	return b.String()
}

// EnumOrNull reads one of the words like Enum; null makes it nil.
func EnumOrNull[T ~string](r *Reader, name string, dst **T, words ...T) {
	orNull(r, name, dst, func(word *T) { Enum(r, name, word, words...) })
}
