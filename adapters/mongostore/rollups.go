package mongostore

import (
	"fmt"

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
}

func ownerOfAgent(id agent.ID) string    { return "agent\n" + string(id) }
func ownerOfDepartment(id string) string { return "department\n" + id }

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
	for k, d := range s.days {
		t.addFigures(dayID(k.owner, k.date), is("date", k.date), figuresOf(d))
	}
	for owner, n := range s.completed {
		if n > 0 {
			t.addFigures(totalID(owner), is("date", 0), figures{Completed: n})
		}
	}
}

func (t *tx) addFigures(id string, fresh bson.E, f figures) {
	t.upsert(rollupsColl, fmt.Sprintf("%s\n%02d", id, t.shard),
		bson.D{is("$inc", f.increments()), is("$setOnInsert", bson.D{fresh})})
}
