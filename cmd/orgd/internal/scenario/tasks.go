package scenario

import (
	"fmt"
	"math"
	"math/rand/v2"
	"time"
)

// task is a piece of work of one agent.
type task struct {
	id          string
	begin       time.Time
	took        time.Duration
	success     bool
	quality     float64 // points
	tokens      int
	cost        float64 // currency units
	description string
	project     string
}

// maxTasks is how many tasks an agent begins on one day at most.
const maxTasks = 20

// tasks returns what an agent begins on a day.
func (o *Organization) tasks(w *worker, d date) []task {
	r := o.random("tasks", w.number, int(d))
	n := min(int(w.pace*w.department.busy(d)+r.Float64()), maxTasks)
	failing := o.failing(w, d, n, r)
	tasks := make([]task, n)
	for i := range tasks {
		tasks[i] = o.task(w, d, r, !failing[i])
		tasks[i].id = fmt.Sprintf("%s-%d", w.department.prefix, (int(d)*o.opts.Agents+w.number)*maxTasks+i)
	}
	return tasks
}

// task makes up a task that an agent begins on a day.
func (o *Organization) task(w *worker, d date, r *rand.Rand, success bool) task {
	shape := o.shape(w, d)
	minutes := min(w.role.minutes*math.Exp(0.5*r.NormFloat64()), 480)
	tokens := 500 + int(minutes*900*math.Exp(0.3*r.NormFloat64()))
	cost := math.Round(float64(tokens)*w.model.perThousand*shape.cost*10) / 10_000
	clock := time.Duration((float64(hour(r)) + r.Float64()) * float64(time.Hour))
	return task{
		begin:       d.start().Add(clock).Truncate(time.Millisecond),
		took:        time.Duration(minutes * float64(time.Minute)).Truncate(time.Millisecond),
		success:     success,
		quality:     hundredths(min(max(shape.quality+r.Float64()-0.5, 0), 10)),
		tokens:      tokens,
		cost:        max(cost, 0.0001),
		description: pick(r, w.role.tasks),
		project:     pick(r, w.department.projects),
	}
}

// busy is how much of a usual day's work there is on a day.
func (d *department) busy(on date) float64 {
	weekday := on.start().Weekday()
	if d.weekends || weekday != time.Saturday && weekday != time.Sunday {
		return 1
	}
	return 0.1
}

// hours weighs the hours of a day, in UTC: a morning, a lunch, an afternoon, and
// a little at night.
var hours = []int{1, 1, 1, 1, 1, 2, 4, 8, 14, 18, 18, 14, 8, 12, 17, 18, 15, 10, 6, 4, 3, 2, 2, 1}

func hour(r *rand.Rand) int {
	sum := 0
	for _, weight := range hours {
		sum += weight
	}
	at := r.IntN(sum)
	for h, weight := range hours {
		if at -= weight; at < 0 {
			return h
		}
	}
	return 0
}

// shape is how well an agent works on a day.
type shape struct {
	quality float64 // points
	success float64 // of 0 to 1
	cost    float64 // times the usual
}

// rampDays is how long agents improve or decline before the history ends.
const rampDays = 35

func (o *Organization) shape(w *worker, d date) shape {
	ramp := min(max(o.opts.Days, 1), rampDays)
	done := min(max(1-float64(o.began-d)/float64(ramp), 0), 1)
	switch w.trend {
	case improving:
		return shape{w.quality - 1.5 + 3*done, 0.60 + 0.36*done, 1.35 - 0.6*done}
	case declining:
		return shape{w.quality + 1 - 3*done, 0.97 - 0.36*done, 0.8 + 0.6*done}
	}
	return shape{w.quality, 0.94, 1}
}

// failing says which of n tasks fail. Their number follows the golden ratio from
// day to day instead of chance, so that a few tasks a day are enough to see
// where an agent is heading.
func (o *Organization) failing(w *worker, d date, n int, r *rand.Rand) []bool {
	_, part := math.Modf(float64(d)*math.Phi + float64(w.number)*math.Sqrt2)
	count := min(int(float64(n)*(1-o.shape(w, d).success)+part), n)
	failing := make([]bool, n)
	for _, i := range r.Perm(n)[:count] {
		failing[i] = true
	}
	return failing
}
