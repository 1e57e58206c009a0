package performance

import (
	"orgd/domain/decimal"
	"orgd/domain/money"
)

// Department are the figures of a department. An event counts for the
// department in which its agent was when the event was taken in, so these
// figures do not change when an agent moves.
type Department struct {
	// AvgPerformance is the mean quality score and Collaboration the mean
	// delegation score of all events of the last 30 days, 0 to 10; 4 decimals.
	// Each is nil without a score. The least number of points that an agent's
	// windows ask for does not apply to them.
	AvgPerformance *decimal.Decimal
	Collaboration  *decimal.Decimal
	// Cost7d is the exact sum of the costs of the last 7 days.
	Cost7d money.Total
	// CostTrend are the costs of each of these days, the oldest first.
	CostTrend []DailyCost
	// UtilizationPercent is 100 × active / total agents, 2 decimals; 0 without
	// agents.
	UtilizationPercent decimal.Decimal
}

// Work is what an agent, a department or the company did on some days.
type Work struct {
	TasksCompleted int64
	TasksFailed    int64
	Cost           money.Total // exact
}

// DailyWork is what an owner did on one UTC day.
type DailyWork struct {
	Date Date
	Work
}

// SuccessRate is completed / (completed + failed), 0 to 1; 4 decimals. It is nil
// below [MinPoints] finished tasks.
func (w Work) SuccessRate() *decimal.Decimal {
	finished := w.TasksCompleted + w.TasksFailed
	if finished < MinPoints {
		return nil
	}
	return ratio(w.TasksCompleted, finished, shareDecimals)
}

// DailyCost is the cost of one UTC day.
type DailyCost struct {
	Date Date
	Cost money.Total
}

const (
	utilizationDecimals = 2 // percent
	shareDecimals       = 4 // success rate of a department, 0 to 1
)

// SummarizeDepartment computes the figures of a department. days are its
// rollups of at least the last 30 days in any order; others do no harm. active
// and total count its agents.
func SummarizeDepartment(days []Day, active, total int64, today Date) Department {
	days = ordered(days)
	month := sum(Month.of(days, today))
	week := Week.of(days, today)
	return Department{
		AvgPerformance:     month.Quality.mean(scoreDecimals),
		Collaboration:      month.Collaboration.mean(scoreDecimals),
		Cost7d:             sum(week).Cost.Total(),
		CostTrend:          dailyCosts(week, today),
		UtilizationPercent: utilization(active, total),
	}
}

// dailyCosts fills the days without costs with zeros.
func dailyCosts(week []Day, today Date) []DailyCost {
	first := Week.First(today)
	costs := make([]DailyCost, Week)
	for i := range costs {
		costs[i].Date = first + Date(i)
	}
	for _, d := range week {
		costs[d.Date-first].Cost = d.Cost.Total()
	}
	return costs
}

func utilization(active, total int64) decimal.Decimal {
	if percent := ratio(100*active, total, utilizationDecimals); percent != nil {
		return *percent
	}
	return decimal.FromFixed(0, utilizationDecimals)
}
