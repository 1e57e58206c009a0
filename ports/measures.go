package ports

import (
	"context"

	"orgd/domain/agent"
	"orgd/domain/performance"
)

// Measures reads the daily figures that an ActivityLog keeps. Every
// implementation passes portstest.ActivityLog.
type Measures interface {
	// AgentDays returns the figures of an agent for the days from first on, in
	// any order, and the number of tasks that it ever completed.
	AgentDays(ctx context.Context, id agent.ID, first performance.Date) (days []performance.Day, completed int64, err error)

	// AgentFigures returns what each of these agents did in the window of a size that ends
	// today, and the cost of the one before, in the order of ids. What was reported before the
	// call is among it. today is the day of the clock.
	AgentFigures(ctx context.Context, ids []agent.ID, size performance.Size, today performance.Date) ([]performance.Figures, error)

	// DepartmentDays returns the figures of the department with this id for the
	// days from first on, in any order. An event counts for the department that
	// its agent was in when it was reported.
	DepartmentDays(ctx context.Context, id string, first performance.Date) ([]performance.Day, error)

	// DepartmentWork returns what each of these departments did from the first to
	// the last of these days, by its id. One that did nothing may be left out.
	DepartmentWork(ctx context.Context, ids []string, first, last performance.Date) (map[string]performance.Work, error)

	// WorkDays returns what an owner did on each of the days from first to last. Days on which
	// it did nothing may be left out. The company's are those of all departments together, also
	// of deleted ones.
	WorkDays(ctx context.Context, of performance.Owner, first, last performance.Date) (map[performance.Date]performance.Work, error)

	// FirstDays returns the first day that has figures of each of these owners. One without
	// figures is left out.
	FirstDays(ctx context.Context, of []performance.Owner) (map[performance.Owner]performance.Date, error)
}
