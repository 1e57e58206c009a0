package performance

import (
	"cmp"
	"slices"
	"strconv"

	"orgd/domain/decimal"
)

// MinPoints is the number of data points below which a window shows no
// averages, no rates and no trend: too few to mean anything.
const MinPoints = 5

// Decimals to which figures are rounded. Those of money are the finest step
// that the service keeps.
const (
	scoreDecimals    = 4 // mean quality and mean collaboration, in points
	rateDecimals     = 6 // success rate, 0 to 1
	percentDecimals  = 4 // success rate in percent
	durationDecimals = 6 // seconds
	costDecimals     = 9 // currency units
	tokenDecimals    = 4 // tokens
)

// Window are the figures of one window. The counts are always there; a figure
// is nil below [MinPoints] points and when no event says its measure.
type Window struct {
	Size Size
	// DataPoints counts finished tasks: those completed and those failed.
	DataPoints     int64
	TasksCompleted int64
	TasksFailed    int64
	// AvgQuality is the mean score of finished tasks, 0 to 10; 4 decimals.
	AvgQuality *decimal.Decimal
	// AvgCostPerTask is the mean cost of finished tasks in currency units;
	// 9 decimals.
	AvgCostPerTask *decimal.Decimal
	// AvgCompletionSeconds is the mean duration of finished tasks; 6 decimals.
	AvgCompletionSeconds *decimal.Decimal
	// AvgTokensPerTask is the mean number of tokens of finished tasks;
	// 4 decimals.
	AvgTokensPerTask *decimal.Decimal
	// SuccessRate is completed / (completed + failed), 0 to 1; 6 decimals.
	SuccessRate *decimal.Decimal
	// Collaboration is the mean score of delegations, 0 to 10; 4 decimals. Its
	// points may also be delegation scores: an agent that hands out all its
	// work finishes no task itself.
	Collaboration *decimal.Decimal
}

// window computes the figures of one window from the sum of its days.
func window(size Size, total Day) Window {
	w := Window{
		Size:           size,
		DataPoints:     total.finished(),
		TasksCompleted: total.TasksCompleted,
		TasksFailed:    total.TasksFailed,
	}
	if w.DataPoints >= MinPoints {
		w.AvgQuality = total.Quality.mean(scoreDecimals)
		w.AvgCostPerTask = total.TaskCost.mean(costDecimals)
		w.AvgCompletionSeconds = total.Duration.mean(durationDecimals)
		w.AvgTokensPerTask = total.Tokens.mean(tokenDecimals)
		w.SuccessRate = ratio(total.TasksCompleted, w.DataPoints, rateDecimals)
	}
	if max(w.DataPoints, total.Collaboration.Count) >= MinPoints {
		w.Collaboration = total.Collaboration.mean(scoreDecimals)
	}
	return w
}

// Size is the length of a window in whole UTC days, today included.
type Size int

// The windows of the figures. Rollups from before the last quarter are needed for totals
// only.
const (
	Week    Size = 7
	Month   Size = 30
	Quarter Size = 90
)

// Sizes lists the windows in ascending order.
func Sizes() []Size { return []Size{Week, Month, Quarter} }

// String is the size as the interface names it, such as "7d".
func (s Size) String() string { return strconv.Itoa(int(s)) + "d" }

// First is the first day of the window that ends today.
func (s Size) First(today Date) Date { return today - Date(s) + 1 }

// Days lists the days of the window that ends today, the oldest first and without gaps. work
// may have other days, too.
func (s Size) Days(work map[Date]Work, today Date) []DailyWork {
	days := make([]DailyWork, s)
	for i := range days {
		date := s.First(today) + Date(i)
		days[i] = DailyWork{date, work[date]}
	}
	return days
}

// Covered is how many days of the window that ends with last lie on or after the first day
// of which there are figures.
func (s Size) Covered(last, first Date) int { return int(max(0, min(Date(s), last-first+1))) }

// of returns the days that lie in the window that ends today. days are in
// ascending order.
func (s Size) of(days []Day, today Date) []Day {
	from, _ := slices.BinarySearchFunc(days, s.First(today), compareDate)
	to, _ := slices.BinarySearchFunc(days, today+1, compareDate)
	return days[from:to]
}

func compareDate(d Day, date Date) int { return cmp.Compare(d.Date, date) }

// ordered returns the days in ascending order, those of one date merged.
func ordered(days []Day) []Day {
	sorted := slices.SortedStableFunc(slices.Values(days), func(a, b Day) int { return cmp.Compare(a.Date, b.Date) })
	merged := sorted[:0]
	for _, d := range sorted {
		if last := len(merged) - 1; last >= 0 && merged[last].Date == d.Date {
			merged[last] = merged[last].Merge(d)
			continue
		}
		merged = append(merged, d)
	}
	return merged
}

// sum merges days into one.
func sum(days []Day) Day {
	var total Day
	for _, d := range days {
		total = total.Merge(d)
	}
	return total
}
