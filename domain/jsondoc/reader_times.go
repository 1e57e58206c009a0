package jsondoc

import "time"

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
