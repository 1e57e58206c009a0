package sqlitestore

import (
	"context"
	"slices"
	"strings"

	"orgd/adapters/sqlitestore/internal/engine"
	"orgd/adapters/sqlitestore/internal/memory"
	"orgd/adapters/sqlitestore/internal/sqlite"
	"orgd/domain/agent"
	"orgd/domain/performance"
	"orgd/ports"
)

// Measures reads the daily figures that [Activities] keeps.
type Measures struct{ db *DB }

const dayColumns = "day, tasks_completed, tasks_failed, " +
	"duration_count, duration_units, duration_nanos, " +
	"quality_count, quality_units, quality_nanos, " +
	"task_cost_count, task_cost_units, task_cost_nanos, " +
	"tokens_count, tokens_units, tokens_nanos, " +
	"collaboration_count, collaboration_units, collaboration_nanos, " +
	"cost_count, cost_units, cost_nanos, " +
	"excess_count, excess_units, excess_nanos"

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
	err = s.db.Read(ctx, func(v *sqlite.View) error {
		if err := sqlite.OrNone(v.Row(selectCompletedTotal, sqlite.PackID(id)).Scan(&completed)); err != nil {
			return err
		}
		days, err = sqlite.Rows(v, selectAgentDays, []any{sqlite.PackID(id), int64(first)}, scanDay)
		return err
	})
	return days, completed, sqlite.Wrap(err, "read figures of agent", string(id))
}

// DepartmentDays implements [ports.Measures].
func (s *Measures) DepartmentDays(ctx context.Context, id string, first performance.Date) (_ []performance.Day, err error) {
	defer s.db.observer.Begin(&ctx, "measures.department").End(&err)
	return sqlite.All(ctx, s.db, "read figures of department "+id, selectDepartmentDays, []any{id, int64(first)}, scanDay)
}

// DepartmentWork implements [ports.Measures].
func (s *Measures) DepartmentWork(ctx context.Context, ids []string, first, last performance.Date) (_ map[string]performance.Work, err error) {
	defer s.db.observer.Begin(&ctx, "measures.departments").End(&err)
	found, err := sqlite.Ask(ctx, s.db, func(v *sqlite.View) (map[string]performance.Work, error) {
		return sqlite.MapOf(v, selectDepartmentWork, ids, []any{int64(first), int64(last)}, scanWork[string])
	})
	return found, sqlite.Wrap(err, "read figures of departments", "")
}

// scanWork reads sums of work, and what they are of.
func scanWork[K any](r sqlite.Row) (of K, w performance.Work, err error) {
	var cost performance.Sample
	err = r.Scan(&of, &w.TasksCompleted, &w.TasksFailed, &cost.Units, &cost.Nanos)
	w.Cost = performance.Sample{}.Merge(cost).Total()
	return of, w, err
}

func scanDay(r sqlite.Row) (performance.Day, error) {
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
	return []*performance.Sample{&d.Duration, &d.Quality, &d.TaskCost, &d.Tokens, &d.Collaboration, &d.Cost, &d.Excess}
}

// Figures sums up what a batch of reports adds, so that each figure is written
// once.
type figures struct {
	tx          *engine.Tx
	agents      map[memory.OwnDay]performance.Day
	departments map[memory.OwnDay]performance.Day
	before      map[memory.OwnDay]performance.Day // what is stored, of days of agents that costs are added to
	costs       bool                              // whether any cost is among them
}

func newFigures(tx *engine.Tx) *figures {
	return &figures{
		tx:          tx,
		agents:      map[memory.OwnDay]performance.Day{},
		departments: map[memory.OwnDay]performance.Day{},
		before:      map[memory.OwnDay]performance.Day{},
	}
}

func (f *figures) add(r ports.Report) error {
	one := performance.Day{}.Add(r.Measures)
	if one.IsEmpty() {
		return nil
	}
	date := performance.DateOf(r.Event.At)
	of, in := memory.OwnDay{Owner: r.Event.AgentID, Date: date}, memory.OwnDay{Owner: r.DepartmentID, Date: date}
	if one.SaysCost() {
		before, err := f.stored(of)
		if err != nil {
			return err
		}
		one, f.costs = one.Counted(before.Merge(f.agents[of])), true
	}
	f.agents[of] = f.agents[of].Merge(one)
	f.departments[in] = f.departments[in].Merge(one)
	return nil
}

// disagree are the days whose costs disagree.
func (f *figures) disagree() (days []ports.AgentDay) {
	for of, before := range f.before {
		if before.Merge(f.agents[of]).Disagrees() {
			days = append(days, ports.AgentDay{Agent: agent.ID(of.Owner), Date: of.Date})
		}
	}
	slices.SortFunc(days, ports.AgentDay.Compare)
	return days
}

const selectAgentDay = "SELECT " + dayColumns + " FROM agent_days WHERE owner = ? AND day = ?"

// Stored is what is stored of a day of an agent.
func (f *figures) stored(of memory.OwnDay) (performance.Day, error) {
	if d, known := f.before[of]; known {
		return d, nil
	}
	days, err := sqlite.Rows(&f.tx.View, selectAgentDay, []any{sqlite.PackID(of.Owner), int64(of.Date)}, scanDay)
	if err != nil {
		return performance.Day{}, sqlite.Wrap(err, "read figures of agent", of.Owner)
	}
	f.before[of] = performance.Day{}
	for _, d := range days { // one at most
		f.before[of] = d
	}
	return f.before[of], nil
}

var (
	addAgentDay      = addTo("agent_days")
	addDepartmentDay = addTo("department_days")
)

// addTo returns the statement that adds to the figures of an owner and a day.
func addTo(table string) string {
	_, figures, _ := strings.Cut(dayColumns, ", ") // behind the day
	var sums []string
	for column := range strings.SplitSeq(figures, ", ") {
		sums = append(sums, column+" = "+column+" + excluded."+column)
	}
	return "INSERT INTO " + table + " (owner, " + dayColumns + ") VALUES (?, ?" + strings.Repeat(", ?", len(sums)) +
		") ON CONFLICT (owner, day) DO UPDATE SET " + strings.Join(sums, ", ")
}

const addCompleted = `
INSERT INTO agent_totals (agent_id, tasks_completed) VALUES (?, ?)
ON CONFLICT (agent_id) DO UPDATE SET tasks_completed = tasks_completed + excluded.tasks_completed`

// recordCosts remembers that there are amounts in the company's currency.
const recordCosts = "UPDATE company SET costs_recorded = 1 WHERE id = 1 AND costs_recorded = 0"

// Put adds the figures to those that are stored.
func (f *figures) put(tx *engine.Tx) error {
	for k, d := range f.agents {
		if err := addDay(tx, addAgentDay, sqlite.PackID(k.Owner), k.Date, d); err != nil {
			return err
		}
		if d.TasksCompleted == 0 {
			continue
		}
		if _, err := tx.Exec(addCompleted, sqlite.PackID(k.Owner), d.TasksCompleted); err != nil {
			return sqlite.Wrap(err, "write figures of agent", k.Owner)
		}
	}
	for k, d := range f.departments {
		if err := addDay(tx, addDepartmentDay, k.Owner, k.Date, d); err != nil {
			return err
		}
	}
	if !f.costs {
		return nil
	}
	_, err := tx.Exec(recordCosts)
	return sqlite.Wrap(err, "write company", "")
}

func addDay(tx *engine.Tx, statement string, owner any, date performance.Date, d performance.Day) error {
	_, err := tx.Exec(statement, dayArgs(owner, date, d)...)
	return sqlite.Wrap(err, "write figures of", date.String())
}

func dayArgs(owner any, date performance.Date, d performance.Day) []any {
	args := []any{owner, int64(date), d.TasksCompleted, d.TasksFailed}
	for _, s := range samples(&d) {
		args = append(args, s.Count, s.Units, s.Nanos)
	}
	return args
}
