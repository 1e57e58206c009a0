package sqlitestore

import (
	"strings"

	"orgd/domain/performance"
	"orgd/ports"
)

// figures sums up what a batch of reports adds, so that each figure is written
// once.
type figures struct {
	agents      map[ownDay]performance.Day
	departments map[ownDay]performance.Day
	costs       bool // whether any cost is among them
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
	f.costs = f.costs || m.Cost != nil || m.Incurred != nil
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

// put adds the figures to those that are stored.
func (f *figures) put(tx *Tx) error {
	for k, d := range f.agents {
		if err := addDay(tx, addAgentDay, packID(k.owner), k.date, d); err != nil {
			return err
		}
		if d.TasksCompleted == 0 {
			continue
		}
		if _, err := tx.Exec(addCompleted, packID(k.owner), d.TasksCompleted); err != nil {
			return wrap(err, "write figures of agent", k.owner)
		}
	}
	for k, d := range f.departments {
		if err := addDay(tx, addDepartmentDay, k.owner, k.date, d); err != nil {
			return err
		}
	}
	if !f.costs {
		return nil
	}
	_, err := tx.Exec(recordCosts)
	return wrap(err, "write company", "")
}

func addDay(tx *Tx, statement string, owner any, date performance.Date, d performance.Day) error {
	args := []any{owner, int64(date), d.TasksCompleted, d.TasksFailed}
	for _, s := range samples(&d) {
		args = append(args, s.Count, s.Units, s.Nanos)
	}
	if _, err := tx.Exec(statement, args...); err != nil {
		return wrap(err, "write figures of", date.String())
	}
	return nil
}
