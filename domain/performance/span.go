package performance

import (
	"cmp"
	"slices"
	"strconv"
)

// Size is the length of a window in whole UTC days, today included.
type Size int

// The windows of the figures.
const (
	Week    Size = 7
	Month   Size = 30
	Quarter Size = 90
)

// Sizes lists the windows in ascending order.
func Sizes() []Size { return []Size{Week, Month, Quarter} }

// MaxDays is how many days back the figures look, today included: older
// rollups are needed for totals only.
const MaxDays = int(Quarter)

// String is the size as the interface names it, such as "7d".
func (s Size) String() string { return strconv.Itoa(int(s)) + "d" }

// First is the first day of the window that ends today.
func (s Size) First(today Date) Date { return today - Date(s) + 1 }

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
