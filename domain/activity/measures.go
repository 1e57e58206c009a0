package activity

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"orgd/domain/decimal"
	"orgd/domain/jsondoc"
	"orgd/domain/money"
)

// Score is a grade of 0 to 10 points in steps of 10⁻⁹.
type Score int64

// Point is one point.
const Point Score = 1_000_000_000

// Bounds of what can be measured.
const (
	// MaxScore is ten points.
	MaxScore = 10 * Point
	// MaxDuration is the longest time that a task can be said to have taken,
	// about 31 years.
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

// readMeasures reads the known keys of an entry's data, which differ by type.
func readMeasures(t Type, r *jsondoc.Reader) Measures {
	switch t {
	case TaskStarted:
		readText(r, "task_id")
	case TaskCompleted:
		return readTask(r)
	case CostIncurred:
		return readCost(r)
	case ToolUsed:
		readText(r, "tool")
		readFlag(r, "success")
	case DelegationSent, DelegationReceived:
		readText(r, "task_id")
		readOptionalText(r, "counterpart")
		return Measures{Collaboration: readScore(r, "score")}
	}
	return Measures{}
}

func readTask(r *jsondoc.Reader) Measures {
	readText(r, "task_id")
	return Measures{
		Finished: true,
		Success:  readFlag(r, "success"),
		Duration: readDuration(r, "duration_seconds"),
		Quality:  readScore(r, "quality_score"),
		Cost:     readAmount(r, "cost"),
		Tokens:   readCount(r, "tokens"),
	}
}

func readCost(r *jsondoc.Reader) Measures {
	r.Require("amount")
	readOptionalText(r, "model")
	readCount(r, "input_tokens")
	readCount(r, "output_tokens")
	return Measures{Incurred: readAmount(r, "amount")}
}

// readText checks a required text; measures do not need its value.
func readText(r *jsondoc.Reader, name string) {
	r.Require(name)
	readOptionalText(r, name)
}

func readOptionalText(r *jsondoc.Reader, name string) {
	var text string
	r.Text(name, &text, 1, MaxText)
}

func readFlag(r *jsondoc.Reader, name string) bool {
	var flag bool
	r.Require(name)
	r.Bool(name, &flag)
	return flag
}

// optional returns what read reads, or nil if the member is absent or null.
func optional[T any](r *jsondoc.Reader, name string, read func(*T)) *T {
	if !r.Given(name) {
		return nil
	}
	v := new(T)
	read(v)
	return v
}

// readCount reads an optional number of tokens.
func readCount(r *jsondoc.Reader, name string) *int64 {
	return optional(r, name, func(n *int64) { r.Int(name, n, 0, MaxTokens) })
}

func readAmount(r *jsondoc.Reader, name string) *money.Amount {
	return optional(r, name, func(a *money.Amount) { money.ReadAmount(r, name, a) })
}

func readScore(r *jsondoc.Reader, name string) *Score {
	return optional(r, name, func(s *Score) { *s = Score(readNanos(r, name, int64(MaxScore))) })
}

func readDuration(r *jsondoc.Reader, name string) *time.Duration {
	return optional(r, name, func(d *time.Duration) { *d = time.Duration(readNanos(r, name, int64(MaxDuration))) })
}

// readNanos reads a number of 0 to max × 10⁻⁹ and returns it × 10⁹, rounded to
// the nearest whole number if it has more than nine decimals. Clients take
// durations and scores from floating point, so a long fraction is normal and
// its tail is noise.
func readNanos(r *jsondoc.Reader, name string, max int64) int64 {
	var d decimal.Decimal
	r.Decimal(name, &d, "0", decimal.FromFixed(max, 9))
	if n, ok := d.Fixed(9); ok {
		return n
	}
	return int64(math.Round(d.Float() * 1e9))
}

// optionalMembers are the members of data that have a meaning and may be absent.
var optionalMembers = map[Type][]string{
	TaskCompleted:      {"duration_seconds", "quality_score", "cost", "tokens"},
	CostIncurred:       {"model", "input_tokens", "output_tokens"},
	DelegationSent:     {"counterpart", "score"},
	DelegationReceived: {"counterpart", "score"},
}

// maxLooked bounds the members of data whose names are looked at, and maxName these.
const (
	maxLooked = 32
	maxName   = 64
)

// unused names the members of data that have no meaning and look like one that has and is
// absent: who reports a "duration" will miss it in the figures. Data with many members is
// not looked at.
func unused(t Type, data jsondoc.Value) (sentences []string) {
	if data.Len() > maxLooked {
		return nil
	}
	for _, m := range data.Members() {
		if len(m.Name) > maxName || slices.Contains(optionalMembers[t], m.Name) {
			continue
		}
		for _, known := range optionalMembers[t] {
			if _, given := data.Get(known); !given && isLike(m.Name, known) {
				sentences = append(sentences, fmt.Sprintf("data.%s: is not counted, did you mean %q?", m.Name, known))
				break
			}
		}
	}
	return sentences
}

// isLike reports whether a name is another spelling of a known one, or one of them
// continues the other one.
func isLike(given, known string) bool {
	given, known = plainName(given), plainName(known)
	return len(given) >= 4 && (strings.HasPrefix(known, given) || strings.HasPrefix(given, known) || strings.HasSuffix(given, known))
}

func plainName(s string) string {
	return strings.TrimSuffix(separators.Replace(strings.ToLower(s)), "s")
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "", ".", "")
