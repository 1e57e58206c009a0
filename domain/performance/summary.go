package performance

import (
	"slices"

	"orgd/domain/decimal"
)

// Summary is the performance of one agent. Figures are nil when there are fewer
// than [MinPoints] data points in the last 30 days, or no event says them.
type Summary struct {
	TasksCompletedTotal int64 // successes of all time
	// SuccessRatePercent is 100 × completed / (completed + failed) over 30
	// days; 4 decimals.
	SuccessRatePercent *decimal.Decimal
	// Direction is the trend of the success rate over 30 days or, while that
	// has too little data, of the quality.
	Direction Direction
	// Windows are the figures of 7, 30 and 90 days, see [Sizes].
	Windows []Window
	// Trends are those of every metric over every window: the windows of the
	// first metric, then those of the next.
	Trends []Trend

	hasData bool // in the last 30 days
}

// Summarize computes a summary. days are the agent's rollups of at least the
// last 90 days in any order; days outside of the windows, tomorrow's
// too, do no harm. completed is the number of successes of all time. Windows
// are whole UTC days that end with today.
func Summarize(days []Day, completed int64, today Date) Summary {
	days = ordered(days)
	s := Summary{TasksCompletedTotal: completed}
	for _, size := range Sizes() {
		s.Windows = append(s.Windows, window(size, sum(size.of(days, today))))
	}
	for _, metric := range Metrics() {
		for _, size := range Sizes() {
			s.Trends = append(s.Trends, trend(metric, size, size.of(days, today)))
		}
	}
	month := Month.of(days, today)
	w := s.Window(Month)
	s.hasData = w.DataPoints > 0 || sum(month).Collaboration.Count > 0
	if w.SuccessRate != nil {
		s.SuccessRatePercent = ratio(100*w.TasksCompleted, w.DataPoints, percentDecimals)
	}
	if s.Direction = trend(SuccessRate, Month, month).Direction; s.Direction == InsufficientData {
		s.Direction = trend(Quality, Month, month).Direction
	}
	return s
}

// Window returns the figures of the window of a size, which is one of [Sizes]. s is what
// [Summarize] has returned.
func (s Summary) Window(size Size) Window { return s.Windows[slices.Index(Sizes(), size)] }

// Health is the part of an agent's health that comes from its performance.
type Health struct {
	Quality       *decimal.Decimal // 0 to 10
	Collaboration *decimal.Decimal // 0 to 10
	Trend         Direction
}

// Health returns the headline of the summary, or nil for an agent that neither
// finished a task nor had a delegation scored in the last 30 days.
func (s Summary) Health() *Health {
	if !s.hasData {
		return nil
	}
	month := s.Window(Month)
	return &Health{Quality: month.AvgQuality, Collaboration: month.Collaboration, Trend: s.Direction}
}
