package sqlitestore

import (
	"context"
	"database/sql"
	"maps"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/performance"
)

// AgentFigures implements [ports.Measures].
func (s *Measures) AgentFigures(ctx context.Context, ids []agent.ID, size performance.Size, today performance.Date) (_ []performance.Figures, err error) {
	defer s.db.observer.Begin(&ctx, "measures.agents").End(&err)
	found, err := s.db.Figures.Of(ctx, ids, size, today, func() (activity.Seq, map[string]performance.Figures, error) {
		return s.db.sumFigures(ctx, size, today)
	})
	return found, sqlite.Wrap(err, "read figures of agents", "")
}

// sumAgentDays adds up days of the agents that exist or may be restored, each along the
// primary key.
func sumAgentDays(table string) string {
	return `
SELECT a.id, SUM(tasks_completed), SUM(tasks_failed), SUM(quality_count), SUM(quality_units), SUM(quality_nanos), SUM(cost_units), SUM(cost_nanos)
FROM ` + table + ` AS a CROSS JOIN agent_days AS d ON d.owner = a.id AND day BETWEEN ? AND ? GROUP BY a.id`
}

// sumFigures reads the figures of all agents, of one state.
func (db *DB) sumFigures(ctx context.Context, size performance.Size, today performance.Date) (head activity.Seq, _ map[string]performance.Figures, err error) {
	now, before := map[string]performance.Figures{}, map[string]performance.Figures{}
	first := size.First(today)
	err = db.Read(ctx, func(v *sqlite.View) error {
		if head, err = engine.Head(v); err != nil {
			return err
		}
		for _, table := range []string{"agents", "former_agents"} {
			if err := v.Each(sumAgentDays(table), []any{int64(first), int64(today)}, scanFigures(now)); err != nil {
				return err
			}
			if err := v.Each(sumAgentDays(table), []any{int64(size.First(first - 1)), int64(first - 1)}, scanFigures(before)); err != nil {
				return err
			}
		}
		return nil
	})
	for id, f := range before {
		now[id] = now[id].Merge(performance.Figures{CostBefore: f.Cost})
	}
	maps.DeleteFunc(now, func(_ string, f performance.Figures) bool { return f == performance.Figures{} })
	return head, now, err
}

// scanFigures returns what reads the figures of an agent into a map.
func scanFigures(into map[string]performance.Figures) func(sqlite.Row) error {
	var id sql.RawBytes
	return func(r sqlite.Row) error {
		var f performance.Figures
		err := r.Scan(&id, &f.TasksCompleted, &f.TasksFailed, &f.Quality.Count, &f.Quality.Units, &f.Quality.Nanos, &f.Cost.Units, &f.Cost.Nanos)
		into[string(id)] = performance.Figures{}.Merge(f) // sums were added column by column
		return err
	}
}
