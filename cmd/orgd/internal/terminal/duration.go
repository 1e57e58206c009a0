package terminal

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

const day = 24 * time.Hour

// maxDays is what a duration can hold, rounded down: about 290 years.
const maxDays = 106_000

// ParseDuration reads a duration as operators write it: "30s", "1h30m", or
// whole days, "400d". It may not be negative.
func ParseDuration(s string) (time.Duration, error) {
	if days, ok := strings.CutSuffix(s, "d"); ok {
		if n, err := strconv.ParseUint(days, 10, 32); err == nil && n <= maxDays {
			return time.Duration(n) * day, nil
		}
	}
	if d, err := time.ParseDuration(s); err == nil && d >= 0 {
		return d, nil
	}
	return 0, fmt.Errorf("%q must be a duration such as 30s, 12h or 400d", s)
}

// DurationText writes a duration so that ParseDuration reads it, without the
// zeros that time.Duration adds.
func DurationText(d time.Duration) string {
	if d >= day && d%day == 0 {
		return strconv.FormatInt(int64(d/day), 10) + "d"
	}
	s := d.String()
	if rest, ok := strings.CutSuffix(s, "m0s"); ok {
		s = rest + "m"
	}
	if rest, ok := strings.CutSuffix(s, "h0m"); ok {
		s = rest + "h"
	}
	return s
}

// Ago says in words how long ago something was, in the largest unit that is full.
func Ago(d time.Duration) string {
	for _, unit := range []struct {
		of   time.Duration
		name string
	}{{day, "day"}, {time.Hour, "hour"}, {time.Minute, "minute"}} {
		switch n := int64(d / unit.of); {
		case n == 1:
			return "1 " + unit.name + " ago"
		case n > 1:
			return fmt.Sprintf("%d %ss ago", n, unit.name)
		}
	}
	return "just now"
}
