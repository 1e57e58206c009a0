package webhook

import "time"

// The schedule of a delivery whose attempts fail: the waits double from
// firstDelay to lastDelay. With all of them the last attempt comes about three
// days after the first.
const (
	MaxAttempts = 24
	firstDelay  = 5 * time.Second
	lastDelay   = 6 * time.Hour
	// spread is by how much of itself a wait may be shorter or longer, so that
	// those who failed together do not come back together.
	spread = 0.2
)

// delay is how long to wait after the n-th attempt, counted from 1; random is
// in [0, 1).
func delay(n int, random float64) time.Duration {
	d := lastDelay
	if n <= 13 { // 5 s × 2¹² is the last below
		d = min(d, firstDelay<<max(n-1, 0))
	}
	return time.Duration(float64(d) * (1 - spread + 2*spread*random))
}
