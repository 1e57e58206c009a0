package client

import "time"

// Date is a day in UTC, such as "2026-03-01". Dates compare as text.
type Date string

// DateOf is the day of t in UTC.
func DateOf(t time.Time) Date { return Date(t.UTC().Format(time.DateOnly)) }

// Time is the beginning of the day. The error says that d is not a date.
func (d Date) Time() (time.Time, error) { return time.Parse(time.DateOnly, string(d)) }
