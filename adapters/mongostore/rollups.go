package mongostore

import (
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/agent"
	"orgd/domain/performance"
	"orgd/ports"
)

// rollups sums up what a batch of reports adds, so that each figure is written
// once.
type rollups struct {
	days      map[ownDay]performance.Day
	completed map[string]int64 // tasks, by owner
	costs     bool             // whether any cost is among them
}

// ownDay is a day of an agent or a department.
type ownDay struct {
	owner string
	date  performance.Date
}

// rollupDoc is a part of the figures of a day, or of the total of an agent: a
// transaction adds to the part of its own shard.
type rollupDoc struct {
	ID      string           `bson:"_id"`
	Date    performance.Date `bson:"date"`
	Figures figures          `bson:"figures"`
	// Late is when a late report was added last, of an agent.
	Late bson.Timestamp `bson:"late,omitempty"`
}

func ownerOfAgent(id agent.ID) string    { return "agent\n" + string(id) }
func ownerOfDepartment(id string) string { return "department\n" + id }

// ownerIn makes the id of the agent or department the _id of what is added up. of is the id
// of a part.
func ownerIn(of string) bson.E {
	return is("_id", bson.D{is("$arrayElemAt", bson.A{bson.D{is("$split", bson.A{of, "\n"})}, 1})})
}

// dayID names the parts of a day: the days of an owner are a range of ids.
func dayID(owner string, date performance.Date) string { return fmt.Sprintf("%s\n%s", owner, date) }

// totalID names the parts of an owner's total, which stand apart from its days.
func totalID(owner string) string { return "total\n" + owner + "\n" }

func newRollups() *rollups {
	return &rollups{days: map[ownDay]performance.Day{}, completed: map[string]int64{}}
}

func (s *rollups) add(r ports.Report) {
	one := performance.Day{}.Add(r.Measures)
	if one.IsEmpty() {
		return
	}
	date, of := performance.DateOf(r.Event.At), ownerOfAgent(agent.ID(r.Event.AgentID))
	for _, owner := range []string{of, ownerOfDepartment(r.DepartmentID)} {
		s.days[ownDay{owner, date}] = s.days[ownDay{owner, date}].Merge(one)
	}
	s.completed[of] += one.TasksCompleted
	s.costs = s.costs || r.Measures.Cost != nil || r.Measures.Incurred != nil
}

func (s *rollups) write(t *tx) {
	open := performance.DateOf(t.db.clock.Now().Add(clockSkew)) - openDays + 1
	for k, d := range s.days {
		var late []bson.E
		if k.date < open && strings.HasPrefix(k.owner, ownerOfAgent("")) {
			late = append(late, is("$currentDate", bson.D{is("late", bson.D{is("$type", "timestamp")})}))
		}
		t.addFigures(dayID(k.owner, k.date), k.date, d, late...)
	}
	for owner, n := range s.completed {
		if n > 0 {
			t.addFigures(totalID(owner), 0, performance.Day{TasksCompleted: n})
		}
	}
}

// addFigures adds the figures of a day, or of a total, to those of an id.
func (t *tx) addFigures(id string, date any, d performance.Day, more ...bson.E) {
	change := bson.D{is("$inc", increments(d)), is("$setOnInsert", bson.D{is("date", date)})}
	t.upsert(rollupsColl, fmt.Sprintf("%s\n%02d", id, t.shard), append(change, more...))
}

// figures is the stored form of what was done on a day. Its numbers are added
// up one by one, so nanos may exceed a unit.
type figures struct {
	Completed     int64  `bson:"completed"`
	Failed        int64  `bson:"failed"`
	Duration      sample `bson:"duration"`
	Quality       sample `bson:"quality"`
	TaskCost      sample `bson:"task_cost"`
	Tokens        sample `bson:"tokens"`
	Collaboration sample `bson:"collaboration"`
	Cost          sample `bson:"cost"`
}

type sample struct {
	Count int64 `bson:"count"`
	Units int64 `bson:"units"`
	Nanos int64 `bson:"nanos"`
}

// day returns the figures in normal form.
func (f figures) day(date performance.Date) performance.Day {
	return performance.Day{Date: date}.Merge(performance.Day{
		TasksCompleted: f.Completed, TasksFailed: f.Failed,
		Duration: performance.Sample(f.Duration), Quality: performance.Sample(f.Quality),
		TaskCost: performance.Sample(f.TaskCost), Tokens: performance.Sample(f.Tokens),
		Collaboration: performance.Sample(f.Collaboration), Cost: performance.Sample(f.Cost),
	})
}

// increments are the fields that add the figures of a day: what is 0 is left out.
func increments(d performance.Day) (fields bson.D) {
	add := func(field string, n int64) {
		if n != 0 {
			fields = append(fields, is("figures."+field, n))
		}
	}
	add("completed", d.TasksCompleted)
	add("failed", d.TasksFailed)
	for _, s := range []struct {
		field string
		performance.Sample
	}{
		{"duration", d.Duration}, {"quality", d.Quality}, {"task_cost", d.TaskCost},
		{"tokens", d.Tokens}, {"collaboration", d.Collaboration}, {"cost", d.Cost},
	} {
		add(s.field+".count", s.Count)
		add(s.field+".units", s.Units)
		add(s.field+".nanos", s.Nanos)
	}
	return fields
}
