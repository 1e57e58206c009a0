package activity

import (
	"math"
	"time"

	"orgd/domain/decimal"
	"orgd/domain/money"
)

// Score is a grade of 0 to 10 points in steps of 10⁻⁹.
type Score int64

// Points are the scale of Score: this many steps are one point.
const Points = 1_000_000_000

// Bounds of what can be measured.
const (
	// MaxScore is ten points.
	MaxScore Score = 10 * Points
	// MaxDuration is the longest time that a task can be said to have taken.
	MaxDuration = 1_000_000_000 * time.Second
	// MaxTokens is the greatest number of tokens in one event.
	MaxTokens = 1_000_000_000_000
)

// Measures are the figures that an event adds to the performance of its agent.
// What an event does not say is nil. The zero value adds nothing.
type Measures struct {
	// Finished is set by task_completed; Success says how the task went.
	Finished, Success bool
	// Duration, Quality, Cost and Tokens belong to a finished task.
	Duration *time.Duration
	Quality  *Score
	Cost     *money.Amount
	Tokens   *int64
	// Collaboration is the score of a delegation, sent or received.
	Collaboration *Score
	// Incurred is the amount of a cost_incurred event.
	Incurred *money.Amount
}

// measure reads the known keys of an entry's data, which differ by type, and
// returns what they measure.
func measure(t Type, k known) Measures {
	switch t {
	case TaskStarted:
		k.text("task_id", required)
	case TaskCompleted:
		return measureTask(k)
	case CostIncurred:
		k.text("model", optional)
		k.count("input_tokens")
		k.count("output_tokens")
		return Measures{Incurred: k.amount("amount", required)}
	case ToolUsed:
		k.text("tool", required)
		k.flag("success")
	case DelegationSent, DelegationReceived:
		k.text("task_id", required)
		k.text("counterpart", optional)
		return Measures{Collaboration: k.score("score")}
	}
	return Measures{}
}

func measureTask(k known) Measures {
	k.text("task_id", required)
	return Measures{
		Finished: true,
		Success:  k.flag("success"),
		Duration: k.duration("duration_seconds"),
		Quality:  k.score("quality_score"),
		Cost:     k.amount("cost", optional),
		Tokens:   k.count("tokens"),
	}
}

// nanos is d × 10⁹, rounded to the nearest whole number when d has more than
// nine decimals. Clients take durations and scores from floating point, so a
// long fraction is normal and its tail is noise. ok is false if d lies outside
// 0 to max/10⁹.
func nanos(d decimal.Decimal, max int64) (v int64, ok bool) {
	if d.Sign() < 0 || decimal.Cmp(d, decimal.FromFixed(max, 9)) > 0 {
		return 0, false
	}
	if v, ok := d.Fixed(9); ok {
		return v, true
	}
	return min(int64(math.Round(d.Float()*1e9)), max), true
}
