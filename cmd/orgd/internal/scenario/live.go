package scenario

import (
	"fmt"
	"math/rand/v2"
	"time"
)

// Live is what the agents do while somebody watches. It is not history: each run
// has events of its own.
type Live struct {
	org     *Organization
	run     int64
	rng     *rand.Rand
	present []*worker
	waiting []Event // of tasks that have begun
	begun   int     // tasks
}

// Live begins the work of a run, which is known by the time of its begin.
func (o *Organization) Live(begin time.Time) *Live {
	l := &Live{org: o, run: begin.UnixMilli(), rng: o.random("live", int(begin.UnixMilli()))}
	for _, w := range o.workers {
		if o.works(w, dateOf(begin)) {
			l.present = append(l.present, w)
		}
	}
	return l
}

// Next returns the next n events, spread evenly from one time up to another.
// Agents work in a hurry: how long a task takes is told but not waited for. It
// returns none if nobody is there.
func (l *Live) Next(n int, from, to time.Time) []Event {
	for len(l.waiting) < n && len(l.present) > 0 {
		l.begin(to)
	}
	next := l.waiting[:min(n, len(l.waiting))]
	l.waiting = l.waiting[len(next):]
	for i := range next {
		next[i].happen(from.Add(to.Sub(from)*time.Duration(i)/time.Duration(n)), l.rng)
	}
	return next
}

// begin lets somebody do a task.
func (l *Live) begin(now time.Time) {
	w, today := pick(l.rng, l.present), dateOf(now)
	t := l.org.task(w, today, l.rng, l.rng.Float64() < l.org.shape(w, today).success)
	t.id = fmt.Sprintf("%s-%x-%d", w.department.prefix, l.run, l.begun)
	l.begun++
	l.waiting = append(l.waiting, l.org.report(w, today, t, l.rng)...)
}
