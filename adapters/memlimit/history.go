package memlimit

import (
	"time"

	"orgd/domain/limit"
)

// steps is how finely the period of a window with a large cap is divided. It
// bounds the memory of a history; up to this cap every request is kept by
// itself and the window is exact.
const steps = 1000

// history is the admitted requests of one window, oldest first, as runs in a
// ring. The requests of a run were admitted in the same step of time and leave
// the window together: one period after the step's end, so that none of them
// leaves early. The price is that a run may count for one step, 1/1000 of the
// period, too long.
type history struct {
	name, key string
	runs      []run // a ring; its length is 0 or a power of two
	first     int   // index of the oldest run
	used      int   // runs in the ring
	count     int   // requests in them
}

// run is n requests admitted before end.
type run struct {
	end time.Duration
	n   int
}

// step is the length of a run: a nanosecond, the finest the clock can tell,
// unless the cap is large.
func step(w limit.Window) time.Duration {
	if w.Cap <= steps {
		return 1
	}
	return max(1, w.Length/steps)
}

func (h *history) at(i int) *run { return &h.runs[(h.first+i)&(len(h.runs)-1)] }

// expire drops the runs that have left the window.
func (h *history) expire(now, length time.Duration) {
	for h.used > 0 && now >= h.at(0).end+length {
		h.count -= h.at(0).n
		h.first++
		h.used--
	}
}

// wait returns how long the window is closed to one more request, 0 if it is
// open. The history is up to date.
func (h *history) wait(now time.Duration, w limit.Window) time.Duration {
	excess := h.count - w.Cap + 1
	if w.Cap <= 0 || excess <= 0 {
		return 0
	}
	var last run
	for i := 0; excess > 0; i++ { // ends in time: excess is at most count
		last = *h.at(i)
		excess -= last.n
	}
	return last.end + w.Length - now
}

// add counts a request admitted now and returns the end of its run.
func (h *history) add(now time.Duration, w limit.Window) time.Duration {
	h.count++
	size := step(w)
	end := now - now%size + size
	if h.used > 0 {
		if newest := h.at(h.used - 1); newest.end >= end {
			newest.n++
			return newest.end
		}
	}
	if h.used == len(h.runs) {
		h.grow()
	}
	h.used++
	*h.at(h.used - 1) = run{end: end, n: 1}
	return end
}

// grow doubles the ring.
func (h *history) grow() {
	runs := make([]run, max(2, 2*len(h.runs)))
	for i := range h.used {
		runs[i] = *h.at(i)
	}
	h.runs, h.first = runs, 0
}

// usage reports the window. The history is up to date.
func (h *history) usage(now time.Duration, w limit.Window) limit.Usage {
	u := limit.Usage{Window: w, Remaining: max(0, w.Cap-h.count)}
	switch {
	case u.Remaining == 0:
		u.Reset = h.wait(now, w)
	case h.used > 0:
		u.Reset = h.at(0).end + w.Length - now
	}
	return u
}
