package sqlitestore

import (
	"context"

	"orgd/domain/agent"
	"orgd/domain/performance"
	"orgd/ports"
)

var _ ports.Measures = (*Measures)(nil)

// Measures reads the daily figures that [Activities] keeps.
type Measures struct{ db *DB }

const dayColumns = "day, tasks_completed, tasks_failed, " +
	"duration_count, duration_units, duration_nanos, " +
	"quality_count, quality_units, quality_nanos, " +
	"task_cost_count, task_cost_units, task_cost_nanos, " +
	"tokens_count, tokens_units, tokens_nanos, " +
	"collaboration_count, collaboration_units, collaboration_nanos, " +
	"cost_count, cost_units, cost_nanos"

const (
	selectAgentDays      = "SELECT " + dayColumns + " FROM agent_days WHERE owner = ? AND day >= ?"
	selectDepartmentDays = "SELECT " + dayColumns + " FROM department_days WHERE owner = ? AND day >= ?"
	selectDepartmentWork = `
SELECT owner, SUM(tasks_completed), SUM(tasks_failed), SUM(cost_units), SUM(cost_nanos)
FROM department_days WHERE owner IN (SELECT value FROM json_each(?)) AND day BETWEEN ? AND ? GROUP BY owner`
	selectCompletedTotal = "SELECT tasks_completed FROM agent_totals WHERE agent_id = ?"
)

// AgentDays implements [ports.Measures].
func (s *Measures) AgentDays(ctx context.Context, id agent.ID, first performance.Date) (days []performance.Day, completed int64, err error) {
	defer s.db.observer.Begin(&ctx, "measures.agent").End(&err)
	err = s.db.Read(ctx, func(v *View) error {
		if err := orNone(v.Row(selectCompletedTotal, packID(id)).Scan(&completed)); err != nil {
			return err
		}
		days, err = rows(v, selectAgentDays, []any{packID(id), int64(first)}, scanDay)
		return err
	})
	return days, completed, wrap(err, "read figures of agent", string(id))
}

// DepartmentDays implements [ports.Measures].
func (s *Measures) DepartmentDays(ctx context.Context, id string, first performance.Date) (_ []performance.Day, err error) {
	defer s.db.observer.Begin(&ctx, "measures.department").End(&err)
	return all(ctx, s.db, "read figures of department "+id, selectDepartmentDays, []any{id, int64(first)}, scanDay)
}

// DepartmentWork implements [ports.Measures].
func (s *Measures) DepartmentWork(ctx context.Context, ids []string, first, last performance.Date) (_ map[string]performance.Work, err error) {
	defer s.db.observer.Begin(&ctx, "measures.departments").End(&err)
	found := make(map[string]performance.Work, len(ids))
	err = s.db.Ask(ctx, func(v *View) error {
		return eachOf(v, selectDepartmentWork, ids, []any{int64(first), int64(last)}, func(r Row) error {
			var id string
			var w performance.Work
			var cost performance.Sample
			err := r.Scan(&id, &w.TasksCompleted, &w.TasksFailed, &cost.Units, &cost.Nanos)
			w.Cost = performance.Sample{}.Merge(cost).Total()
			found[id] = w
			return err
		})
	})
	if err != nil {
		return nil, wrap(err, "read figures of departments", "")
	}
	return found, nil
}

func scanDay(r Row) (performance.Day, error) {
	var d performance.Day
	to := []any{&d.Date, &d.TasksCompleted, &d.TasksFailed}
	for _, s := range samples(&d) {
		to = append(to, &s.Count, &s.Units, &s.Nanos)
	}
	if err := r.Scan(to...); err != nil {
		return performance.Day{}, err
	}
	for _, s := range samples(&d) {
		*s = performance.Sample{}.Merge(*s) // sums were added column by column
	}
	return d, nil
}

// samples lists the samples of a day in the order of their columns.
func samples(d *performance.Day) []*performance.Sample {
	return []*performance.Sample{&d.Duration, &d.Quality, &d.TaskCost, &d.Tokens, &d.Collaboration, &d.Cost}
}
