package performance

import (
	"cmp"
	"slices"
	"strings"

	"orgd/domain/fault"
	"orgd/domain/money"
	"orgd/domain/name"
)

var (
	// ErrSort is a text that names no order of figures.
	ErrSort = fault.New(fault.RequestValidation, "unknown order")
	// ErrSize is a text that names no window.
	ErrSize = fault.New(fault.RequestValidation, "unknown window")
)

// Sort is what a list of figures is ordered by.
type Sort string

// The orders of figures. Agents without the figure come last, and those that have the same
// in the order of their names.
const (
	ByName    Sort = "name"
	BySuccess Sort = "success" // the worst success rate first
	ByQuality Sort = "quality" // the worst quality first
	ByCost    Sort = "cost"    // the highest cost first
	ByTasks   Sort = "tasks"   // the most completed tasks first
)

var sorts = []Sort{BySuccess, ByCost, ByTasks, ByQuality, ByName}

// ParseSort returns the order that s names, or [ErrSort].
func ParseSort(s string) (Sort, error) {
	if slices.Contains(sorts, Sort(s)) {
		return Sort(s), nil
	}
	return "", ErrSort.With("sort: must be one of %s", fault.List(sorts))
}

// ParseSize returns the window that s names, or [ErrSize].
func ParseSize(s string) (Size, error) {
	var names []string
	for _, size := range Sizes() {
		if size.String() == s {
			return size, nil
		}
		names = append(names, size.String())
	}
	return 0, ErrSize.With("window: must be one of %s", strings.Join(names, ", "))
}

// Ranked is where an agent stands in a list of figures.
type Ranked struct {
	Value *money.Total // what the list is ordered by, the smallest first; nil without data
	Name  name.Name    // by whose key those with one value are ordered
	At    int          // the index of the agent in what was ranked
}

// Compare orders agents of one list.
func (a Ranked) Compare(b Ranked) int {
	return cmp.Or(compareValues(a.Value, b.Value), strings.Compare(string(a.Name.Key), string(b.Name.Key)))
}

func compareValues(a, b *money.Total) int {
	switch {
	case a == nil && b == nil:
		return 0
	case a == nil:
		return 1
	case b == nil:
		return -1
	}
	return a.Compare(*b)
}

// Value is what the list is ordered by for an agent with these figures.
func (s Sort) Value(f Figures) *money.Total {
	switch s {
	case BySuccess:
		if rate := f.SuccessRate(); rate != nil {
			units, _ := rate.Fixed(rateDecimals)
			return &money.Total{Units: units}
		}
	case ByQuality:
		if quality := f.AvgQuality(); quality != nil {
			units, _ := quality.Fixed(scoreDecimals)
			return &money.Total{Units: units}
		}
	case ByCost:
		if f.Cost != (money.Total{}) {
			return &money.Total{Units: -f.Cost.Units, Nanos: -f.Cost.Nanos}
		}
	case ByTasks:
		if f.TasksCompleted > 0 || f.TasksFailed > 0 {
			return &money.Total{Units: -f.TasksCompleted}
		}
	}
	return nil
}
