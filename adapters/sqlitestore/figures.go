package sqlitestore

import (
	"fmt"

	"orgd/domain/performance"
	"orgd/ports"
)

// figures sums up what a batch of reports adds, so that each figure is written
// once.
type figures struct {
	agents      map[ownDay]performance.Day
	departments map[ownDay]performance.Day
	completed   map[string]int64 // tasks, by agent
	costs       bool             // whether any cost is among them
}

// ownDay is a day of an agent or a department.
type ownDay struct {
	owner string // its id
	date  performance.Date
}

func newFigures() *figures {
	return &figures{
		agents:      map[ownDay]performance.Day{},
		departments: map[ownDay]performance.Day{},
		completed:   map[string]int64{},
	}
}

func (f *figures) add(r ports.Report) {
	m := r.Measures
	one := performance.Day{}.Add(m)
	if one.IsEmpty() {
		return
	}
	date := performance.DateOf(r.Event.At)
	f.agents[ownDay{r.Event.AgentID, date}] = f.agents[ownDay{r.Event.AgentID, date}].Merge(one)
	f.departments[ownDay{r.DepartmentID, date}] = f.departments[ownDay{r.DepartmentID, date}].Merge(one)
	f.completed[r.Event.AgentID] += one.TasksCompleted
	f.costs = f.costs || m.Cost != nil || m.Incurred != nil
}

const (
	addAgentDay      = "INSERT INTO agent_days (owner, " + dayColumns + ")" + orAddDay
	addDepartmentDay = "INSERT INTO department_days (owner, " + dayColumns + ")" + orAddDay
)

const orAddDay = `
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (owner, day) DO UPDATE SET
	tasks_completed     = tasks_completed     + excluded.tasks_completed,
	tasks_failed        = tasks_failed        + excluded.tasks_failed,
	duration_count      = duration_count      + excluded.duration_count,
	duration_units      = duration_units      + excluded.duration_units,
	duration_nanos      = duration_nanos      + excluded.duration_nanos,
	quality_count       = quality_count       + excluded.quality_count,
	quality_units       = quality_units       + excluded.quality_units,
	quality_nanos       = quality_nanos       + excluded.quality_nanos,
	task_cost_count     = task_cost_count     + excluded.task_cost_count,
	task_cost_units     = task_cost_units     + excluded.task_cost_units,
	task_cost_nanos     = task_cost_nanos     + excluded.task_cost_nanos,
	tokens_count        = tokens_count        + excluded.tokens_count,
	tokens_units        = tokens_units        + excluded.tokens_units,
	tokens_nanos        = tokens_nanos        + excluded.tokens_nanos,
	collaboration_count = collaboration_count + excluded.collaboration_count,
	collaboration_units = collaboration_units + excluded.collaboration_units,
	collaboration_nanos = collaboration_nanos + excluded.collaboration_nanos,
	cost_count          = cost_count          + excluded.cost_count,
	cost_units          = cost_units          + excluded.cost_units,
	cost_nanos          = cost_nanos          + excluded.cost_nanos`

// put adds the figures to those that are stored.
func (f *figures) put(tx *Tx) error {
	for k, d := range f.agents {
		if err := addDay(tx, addAgentDay, packID(k.owner), k.date, d); err != nil {
			return err
		}
	}
	for k, d := range f.departments {
		if err := addDay(tx, addDepartmentDay, k.owner, k.date, d); err != nil {
			return err
		}
	}
	if err := f.putCompleted(tx); err != nil {
		return err
	}
	return f.putCosts(tx)
}

func addDay(tx *Tx, statement string, owner any, date performance.Date, d performance.Day) error {
	args := []any{owner, int64(date), d.TasksCompleted, d.TasksFailed}
	for _, s := range samples(&d) {
		args = append(args, s.Count, s.Units, s.Nanos)
	}
	if _, err := tx.Exec(statement, args...); err != nil {
		return fmt.Errorf("sqlitestore: write figures of %s: %w", date, err)
	}
	return nil
}

const addCompleted = `
INSERT INTO agent_totals (agent_id, tasks_completed) VALUES (?, ?)
ON CONFLICT (agent_id) DO UPDATE SET tasks_completed = tasks_completed + excluded.tasks_completed`

func (f *figures) putCompleted(tx *Tx) error {
	for id, n := range f.completed {
		if n == 0 {
			continue
		}
		if _, err := tx.Exec(addCompleted, packID(id), n); err != nil {
			return fmt.Errorf("sqlitestore: write figures of agent %s: %w", id, err)
		}
	}
	return nil
}

const recordCosts = "UPDATE company SET costs_recorded = 1 WHERE id = 1 AND costs_recorded = 0"

// putCosts remembers that there are amounts in the company's currency.
func (f *figures) putCosts(tx *Tx) error {
	if !f.costs {
		return nil
	}
	if _, err := tx.Exec(recordCosts); err != nil {
		return fmt.Errorf("sqlitestore: write company: %w", err)
	}
	return nil
}
