package sqlitestore

import (
	"context"
	"database/sql"

	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/performance"
)

const workColumns = "tasks_completed, tasks_failed, cost_units, cost_nanos"

const (
	selectAgentWork         = "SELECT day, " + workColumns + " FROM agent_days WHERE owner = ? AND day BETWEEN ? AND ?"
	selectOneDepartmentWork = "SELECT day, " + workColumns + " FROM department_days WHERE owner = ? AND day BETWEEN ? AND ?"
	selectCompanyWork       = eachDepartment + `
SELECT day, SUM(tasks_completed), SUM(tasks_failed), SUM(cost_units), SUM(cost_nanos)
FROM each CROSS JOIN department_days ON owner = id AND day BETWEEN ? AND ? GROUP BY day`

	selectFirstAgentDay      = "SELECT min(day) FROM agent_days WHERE owner = ?"
	selectFirstDepartmentDay = "SELECT min(day) FROM department_days WHERE owner = ?"
	selectFirstCompanyDay    = eachDepartment + `
SELECT min((SELECT min(day) FROM department_days WHERE owner = id)) FROM each`

	// eachDepartment lists all departments that have figures, also those that are gone, along
	// the primary key.
	eachDepartment = `
WITH RECURSIVE each(id) AS (
	SELECT min(owner) FROM department_days
	UNION ALL SELECT (SELECT min(owner) FROM department_days WHERE owner > id) FROM each WHERE id IS NOT NULL)`
)

// WorkDays implements [ports.Measures].
func (s *Measures) WorkDays(ctx context.Context, of performance.Owner, first, last performance.Date) (_ map[performance.Date]performance.Work, err error) {
	defer s.db.observer.Begin(&ctx, "measures.days").End(&err)
	query, args := whose(of, selectAgentWork, selectOneDepartmentWork, selectCompanyWork)
	found := map[performance.Date]performance.Work{}
	err = s.db.Read(ctx, func(v *sqlite.View) error {
		return v.Each(query, append(args, int64(first), int64(last)), func(r sqlite.Row) error {
			day, work, err := scanWork[performance.Date](r)
			found[day] = work
			return err
		})
	})
	return found, sqlite.Wrap(err, "read figures of", of.Agent+of.Department)
}

// FirstDays implements [ports.Measures].
func (s *Measures) FirstDays(ctx context.Context, of []performance.Owner) (_ map[performance.Owner]performance.Date, err error) {
	defer s.db.observer.Begin(&ctx, "measures.first").End(&err)
	found := make(map[performance.Owner]performance.Date, len(of))
	err = s.db.Read(ctx, func(v *sqlite.View) error {
		for _, o := range of {
			var day sql.NullInt64
			query, args := whose(o, selectFirstAgentDay, selectFirstDepartmentDay, selectFirstCompanyDay)
			if err := v.Row(query, args...).Scan(&day); err != nil {
				return err
			}
			if day.Valid {
				found[o] = performance.Date(day.Int64)
			}
		}
		return nil
	})
	return found, sqlite.Wrap(err, "read first days", "")
}

// whose returns the one of three queries that is for an owner, and its arguments.
func whose(of performance.Owner, agents, departments, company string) (query string, args []any) {
	switch {
	case of.Agent != "":
		return agents, []any{sqlite.PackID(agent.ID(of.Agent))}
	case of.Department != "":
		return departments, []any{of.Department}
	}
	return company, nil
}
