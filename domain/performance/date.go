package performance

import "time"

// Date is a UTC day, counted from 1970-01-01, which is 0. Days that follow each
// other differ by 1.
type Date int64

const secondsPerDay = 24 * 60 * 60

// DateOf returns the UTC day in which t lies.
func DateOf(t time.Time) Date {
	seconds := t.Unix()
	day := seconds / secondsPerDay
	if seconds%secondsPerDay < 0 {
		day-- // before 1970 division rounds the wrong way
	}
	return Date(day)
}

// Start is the first moment of the day, in UTC.
func (d Date) Start() time.Time { return time.Unix(int64(d)*secondsPerDay, 0).UTC() }

// String is the day as YYYY-MM-DD.
func (d Date) String() string { return d.Start().Format(time.DateOnly) }
