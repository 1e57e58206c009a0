package performance

import (
	"orgd/domain/decimal"
	"orgd/domain/money"
)

// Figures are what one of many agents did in a window, and what it had cost in the
// window of the same size before.
type Figures struct {
	TasksCompleted int64
	TasksFailed    int64
	Quality        Sample      // of finished tasks
	Cost           money.Total // what was spent
	CostBefore     money.Total
}

// Add returns f with what the agent did on one more day. The windows are those of a size
// and end today; a day in neither of them changes nothing.
func (f Figures) Add(d Day, size Size, today Date) Figures {
	switch first := size.First(today); {
	case d.Date > today || d.Date < size.First(first-1):
		return f
	case d.Date < first:
		return f.Merge(Figures{CostBefore: d.Cost.Total()})
	}
	return f.Merge(Figures{TasksCompleted: d.TasksCompleted, TasksFailed: d.TasksFailed, Quality: d.Quality, Cost: d.Cost.Total()})
}

// Merge returns the figures of both together. Like [Sample.Merge], it brings sums into
// normal form.
func (f Figures) Merge(g Figures) Figures {
	return Figures{
		TasksCompleted: f.TasksCompleted + g.TasksCompleted, TasksFailed: f.TasksFailed + g.TasksFailed,
		Quality: f.Quality.Merge(g.Quality), Cost: f.Cost.Plus(g.Cost), CostBefore: f.CostBefore.Plus(g.CostBefore),
	}
}

// SuccessRate is that of a [Window].
func (f Figures) SuccessRate() *decimal.Decimal { return f.window().SuccessRate }

// AvgQuality is that of a [Window].
func (f Figures) AvgQuality() *decimal.Decimal { return f.window().AvgQuality }

func (f Figures) window() Window {
	return window(0, Day{TasksCompleted: f.TasksCompleted, TasksFailed: f.TasksFailed, Quality: f.Quality})
}
