// Package performance turns what agents report into figures.
//
// Events are added to daily rollups ([Day]) when they arrive; every figure is
// computed from rollups, never from events. Reading therefore costs the same
// after ten events and after ten million.
//
// Figures are decimals. Each is computed exactly and rounded once, half up; its
// field says to how many decimals. Only the slopes of trends go through floating
// point, from exact daily sums, so they too do not depend on the order in which
// events arrived.
package performance

import (
	"slices"
	"time"

	"orgd/domain/activity"
	"orgd/domain/money"
)

// Day is what one agent, or one department, did on one UTC day.
type Day struct {
	Date Date
	// TasksCompleted counts finished tasks that succeeded, TasksFailed the rest.
	TasksCompleted int64
	TasksFailed    int64
	// Duration, Quality, TaskCost and Tokens are those of finished tasks that
	// say them, successful or not: seconds, points, currency units, tokens.
	Duration Sample
	Quality  Sample
	TaskCost Sample
	Tokens   Sample
	// Collaboration are the scores of delegations, in points.
	Collaboration Sample
	// Cost is what was spent, in currency units, see [Day.Counted]. Of a single event it is
	// the amount that it says was incurred.
	Cost Sample
	// Excess is the part of Cost that no event has incurred: what finished tasks say more. Its
	// count is 0.
	Excess Sample
}

// Add returns the day with the measures of one more event of that day.
func (d Day) Add(m activity.Measures) Day {
	switch {
	case m.Finished && m.Success:
		d.TasksCompleted++
	case m.Finished:
		d.TasksFailed++
	}
	if m.Duration != nil {
		d.Duration = d.Duration.Add(int64(*m.Duration))
	}
	if m.Quality != nil {
		d.Quality = d.Quality.Add(int64(*m.Quality))
	}
	if m.Cost != nil {
		d.TaskCost = d.TaskCost.Add(int64(*m.Cost))
	}
	if m.Tokens != nil {
		d.Tokens = d.Tokens.Merge(Sample{Count: 1, Units: *m.Tokens})
	}
	if m.Collaboration != nil {
		d.Collaboration = d.Collaboration.Add(int64(*m.Collaboration))
	}
	if m.Incurred != nil {
		d.Cost = d.Cost.Add(int64(*m.Incurred))
	}
	return d
}

// Counted returns d, the measures of one more event of an agent's day, with the cost by which
// it makes that of the day grow, which was before. The cost of an agent's day is the larger of
// what was incurred and of what finished tasks say, so that it counts whichever way it is
// reported, and never twice. It never falls.
func (d Day) Counted(before Day) Day {
	had := before.Cost.Total()
	incurred := had.Minus(before.Excess.Total()).Plus(d.Cost.Total())
	tasks := before.TaskCost.Total().Plus(d.TaskCost.Total())
	growth := slices.MaxFunc([]money.Total{had, incurred, tasks}, money.Total.Compare).Minus(had)
	excess := growth.Minus(d.Cost.Total())
	d.Cost.Units, d.Cost.Nanos = growth.Units, growth.Nanos
	d.Excess = Sample{Units: excess.Units, Nanos: excess.Nanos}
	return d
}

// SaysCost reports whether d has anything that [Day.Counted] asks for.
func (d Day) SaysCost() bool { return d.TaskCost != Sample{} || d.Cost != Sample{} }

// Disagrees reports whether the cost of an agent's day was reported in both ways, and the sums differ by more
// than a tenth of the larger: who reports both for the same work means them to be one.
func (d Day) Disagrees() bool {
	incurred, tasks := d.Cost.Total().Minus(d.Excess.Total()), d.TaskCost.Total()
	less, more := incurred, tasks
	if incurred.Compare(tasks) > 0 {
		less, more = tasks, incurred
	}
	difference := more.Minus(less)
	tenfold := money.Total{}.Plus(money.Total{Units: 10 * difference.Units, Nanos: 10 * difference.Nanos})
	return less.Compare(money.Total{}) > 0 && tenfold.Compare(more) > 0
}

// Merge returns d with everything of e in it. The date stays d's.
func (d Day) Merge(e Day) Day {
	d.TasksCompleted += e.TasksCompleted
	d.TasksFailed += e.TasksFailed
	d.Duration = d.Duration.Merge(e.Duration)
	d.Quality = d.Quality.Merge(e.Quality)
	d.TaskCost = d.TaskCost.Merge(e.TaskCost)
	d.Tokens = d.Tokens.Merge(e.Tokens)
	d.Collaboration = d.Collaboration.Merge(e.Collaboration)
	d.Cost = d.Cost.Merge(e.Cost)
	d.Excess = d.Excess.Merge(e.Excess)
	return d
}

// IsEmpty reports whether nothing that a rollup counts happened on the day.
// Events that measure nothing need no rollup.
func (d Day) IsEmpty() bool {
	d.Date = 0
	return d == Day{}
}

// finished is the number of data points of the day: tasks that came to an end.
func (d Day) finished() int64 { return d.TasksCompleted + d.TasksFailed }

// Owner is whose figures are asked for: those of an agent, of a department, or, if it is
// zero, of the company. It has the id of the one or of the other.
type Owner struct{ Agent, Department string }

// Date is a UTC day, counted from 1970-01-01, which is 0. Days that follow each
// other differ by 1.
type Date int64

const secondsPerDay = 24 * 60 * 60

// DateOf returns the UTC day in which t lies.
func DateOf(t time.Time) Date {
	seconds := t.Unix()
	day := seconds / secondsPerDay
	if seconds%secondsPerDay < 0 {
		day-- // before 1970 division rounds the wrong way
	}
	return Date(day)
}

// Start is the first moment of the day, in UTC.
func (d Date) Start() time.Time { return time.Unix(int64(d)*secondsPerDay, 0).UTC() }

// String is the day as YYYY-MM-DD.
func (d Date) String() string { return d.Start().Format(time.DateOnly) }
