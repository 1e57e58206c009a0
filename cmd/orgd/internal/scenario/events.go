package scenario

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"sort"
	"time"
)

// Event is something that an agent did, as POST /activities takes it.
type Event struct {
	ID          string            `json:"id"`
	Type        string            `json:"event_type"`
	Agent       string            `json:"agent"`
	Timestamp   string            `json:"timestamp"`
	Description string            `json:"description"`
	Related     map[string]string `json:"related_ids"`
	Data        map[string]any    `json:"data"`

	At time.Time `json:"-"`

	who *worker
}

// happen sets when an event happened, and the id that goes with it. An id is a
// UUIDv7: those that ascend with time are the easiest to keep.
func (e *Event) happen(at time.Time, r *rand.Rand) {
	e.At = at.UTC().Truncate(time.Millisecond)
	e.Timestamp = e.At.Format("2006-01-02T15:04:05.000Z")
	ms, random := e.At.UnixMilli(), r.Uint64()
	e.ID = fmt.Sprintf("%08x-%04x-7%03x-%04x-%012x", ms>>16, ms&0xffff, random>>52, 0x8000|random>>32&0x3fff, r.Uint64()>>16)
}

// First is the first day of the history.
func (o *Organization) First() time.Time { return (o.began - date(max(o.opts.Days, 1)) + 1).start() }

// Day returns what all agents did on a day, the oldest first; the last of it may
// end on the next day. left says that those who leave have left.
func (o *Organization) Day(t time.Time, left bool) []Event {
	var events []Event
	d := dateOf(t)
	for _, w := range o.workers {
		if !o.works(w, d) {
			continue
		}
		for i, t := range o.tasks(w, d) {
			events = append(events, o.report(w, d, t, o.random("events", w.number, int(d), i))...)
		}
	}
	if left {
		events = slices.DeleteFunc(events, func(e Event) bool { return e.who.fate == dismissed })
	}
	sort.SliceStable(events, func(i, j int) bool { return events[i].At.Before(events[j].At) })
	return events
}

// report tells a task as its agent, and one who helps, report it.
func (o *Organization) report(w *worker, d date, t task, r *rand.Rand) []Event {
	var events []Event
	add := func(who *worker, typ string, part float64, description string, data object) {
		e := Event{
			Type: typ, who: who, Agent: who.name, Description: description,
			Related: map[string]string{"project": t.project}, Data: data,
		}
		e.happen(t.begin.Add(time.Duration(part*float64(t.took))), r)
		events = append(events, e)
	}
	add(w, "task_started", 0, "began: "+t.description, object{"task_id": t.id})
	for range 1 + r.IntN(2) {
		tool := pick(r, w.role.tools)
		add(w, "tool_used", 0.1+0.8*r.Float64(), "used "+tool, object{"tool": tool, "success": r.IntN(20) > 0, "task_id": t.id})
	}
	if helper := pick(r, w.department.workers); r.IntN(8) == 0 && helper != w && o.works(helper, d) {
		add(w, "delegation_sent", 0.3, "asked "+helper.name+" for a part",
			object{"task_id": t.id, "counterpart": helper.name, "score": hundredths(6 + 4*r.Float64())})
		add(helper, "delegation_received", 0.3, "helps "+w.name,
			object{"task_id": t.id, "counterpart": w.name, "score": hundredths(6 + 4*r.Float64())})
	}
	input := t.tokens * (60 + r.IntN(30)) / 100
	add(w, "cost_incurred", 1, "spent on "+w.model.id,
		object{"amount": t.cost, "model": w.model.id, "input_tokens": input, "output_tokens": t.tokens - input, "task_id": t.id})
	outcome := t.description
	if !t.success {
		outcome = "gave up: " + t.description
	}
	add(w, "task_completed", 1, outcome, object{
		"task_id": t.id, "success": t.success, "duration_seconds": t.took.Seconds(),
		"quality_score": t.quality, "cost": t.cost, "tokens": t.tokens,
	})
	return events
}

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
