package terminal

import (
	"testing"
	"time"
)

func TestParseDuration(t *testing.T) {
	for s, want := range map[string]time.Duration{
		"0": 0, "0s": 0, "30s": 30 * time.Second, "1h30m": 90 * time.Minute, "400d": 400 * day, "106000d": 106000 * day,
	} {
		got, err := ParseDuration(s)
		if err != nil || got != want {
			t.Errorf("ParseDuration(%q) = %v, %v, want %v", s, got, err, want)
		}
		if again, err := ParseDuration(DurationText(got)); err != nil || again != got {
			t.Errorf("ParseDuration(DurationText(%v) = %q) = %v, %v", got, DurationText(got), again, err)
		}
	}
	for _, s := range []string{"", "d", "5", "-1s", "-1d", "1.5d", "106001d", "99999999999999999999d", "1w"} {
		if got, err := ParseDuration(s); err == nil {
			t.Errorf("ParseDuration(%q) = %v, want an error", s, got)
		}
	}
}
