package activity

import (
	"strconv"
	"time"

	"orgd/domain/fault"
)

// ErrWindow is a text that names no window.
var ErrWindow = fault.New(fault.RequestValidation, "not a window")

// Window is how many hours a feed looks back: 24, 48 or 168. The zero value
// looks back without an end.
type Window int

// The windows.
const (
	Hours24  Window = 24
	Hours48  Window = 48
	Hours168 Window = 168
)

// ParseWindow reads a number of hours, or returns [ErrWindow].
func ParseWindow(s string) (Window, error) {
	for _, w := range []Window{Hours24, Hours48, Hours168} {
		if s == strconv.Itoa(int(w)) {
			return w, nil
		}
	}
	return 0, ErrWindow.With("last_n_hours: must be 24, 48 or 168")
}

// Since is the earliest time that a feed shows when it is first read at now:
// events at that time or later belong to the window. It is the zero time for a
// window without an end.
func (w Window) Since(now time.Time) time.Time {
	if w == 0 {
		return time.Time{}
	}
	return now.Add(-time.Duration(w) * time.Hour)
}
