package revision

import (
	"testing"
	"time"
)

func TestTime(t *testing.T) {
	noon := time.Date(2026, 1, 31, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct{ at, want time.Time }{
		"later":   {noon.Add(time.Second), noon.Add(time.Second)},
		"equal":   {noon, noon.Add(time.Millisecond)},
		"earlier": {noon.Add(-time.Hour), noon.Add(time.Millisecond)},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Time(c.at, noon); !got.Equal(c.want) {
				t.Errorf("Time(%v, %v) = %v, want %v", c.at, noon, got, c.want)
			}
		})
	}
}
