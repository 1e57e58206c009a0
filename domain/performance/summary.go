package performance

import "orgd/domain/decimal"

// Summary is the performance of one agent. Figures are nil when there are fewer
// than [MinPoints] data points in the last 30 days, or no event says them.
type Summary struct {
	// TasksCompletedTotal counts successes of all time, the other two those of
	// the last 7 and 30 days.
	TasksCompletedTotal int64
	TasksCompleted7d    int64
	TasksCompleted30d   int64
	// AvgCompletionSeconds, CostPerTask, Quality and Collaboration are those of
	// the 30-day [Window].
	AvgCompletionSeconds *decimal.Decimal
	CostPerTask          *decimal.Decimal
	Quality              *decimal.Decimal
	Collaboration        *decimal.Decimal
	// SuccessRatePercent is 100 × completed / (completed + failed) over 30
	// days; 4 decimals.
	SuccessRatePercent *decimal.Decimal
	// Direction is the trend of the success rate over 30 days or, while that
	// has too little data, of the quality.
	Direction Direction
	// Windows are the figures of 7, 30 and 90 days.
	Windows []Window
	// Trends are those of every metric over every window: the windows of the
	// first metric, then those of the next.
	Trends []Trend

	hasData bool // in the last 30 days
}

// Summarize computes a summary. days are the agent's rollups of at least the
// last [MaxDays] days in any order; days outside of the windows, tomorrow's
// too, do no harm. completed is the number of successes of all time. Windows
// are whole UTC days that end with today.
func Summarize(days []Day, completed int64, today Date) Summary {
	days = ordered(days)
	s := headline(days, today)
	s.TasksCompletedTotal = completed
	for _, size := range Sizes() {
		s.Windows = append(s.Windows, window(size, sum(size.of(days, today))))
	}
	for _, metric := range Metrics() {
		for _, size := range Sizes() {
			s.Trends = append(s.Trends, trend(metric, size, size.of(days, today)))
		}
	}
	return s
}

// headline computes what is shown on top, from 30 days.
func headline(days []Day, today Date) Summary {
	month := Month.of(days, today)
	total := sum(month)
	w := window(Month, total)
	s := Summary{
		TasksCompleted7d:     sum(Week.of(days, today)).TasksCompleted,
		TasksCompleted30d:    w.TasksCompleted,
		AvgCompletionSeconds: w.AvgCompletionSeconds,
		CostPerTask:          w.AvgCostPerTask,
		Quality:              w.AvgQuality,
		Collaboration:        w.Collaboration,
		Direction:            trend(SuccessRate, Month, month).Direction,
		hasData:              w.DataPoints > 0 || total.Collaboration.Count > 0,
	}
	if w.SuccessRate != nil {
		s.SuccessRatePercent = ratio(100*w.TasksCompleted, w.DataPoints, percentDecimals)
	}
	if s.Direction == InsufficientData {
		s.Direction = trend(Quality, Month, month).Direction
	}
	return s
}

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
	return &Health{Quality: s.Quality, Collaboration: s.Collaboration, Trend: s.Direction}
}
