package mongostore

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/performance"
	"orgd/ports"
)

const (
	// fewAgents is of how many agents the figures are read without anything remembered.
	fewAgents = 200
	// manyLate is after late reports of how many agents a window is read anew.
	manyLate = 1000
	// openDays are the last days of a window, which are read each time: most reports are
	// of these. A report of a day before them is late.
	openDays = 2
	// daysAtOnce is how many days of all agents one query adds up, and longOperation how many
	// operations' time it may take.
	daysAtOnce, longOperation = 10, 5
	// clockSkew is how far the clock of a replica may be behind that of another one.
	clockSkew = time.Hour
)

// rollups sums up what a batch of reports adds, so that each figure is written
// once.
type rollups struct {
	days      map[ownDay]performance.Day
	completed map[string]int64 // tasks, by owner
	// before has what is stored of the costs of the days of agents that costs are added to.
	before map[ownDay]performance.Day
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
	return mongodb.Is("_id", bson.D{mongodb.Is("$arrayElemAt", bson.A{bson.D{mongodb.Is("$split", bson.A{of, "\n"})}, 1})})
}

// dayID names the parts of a day: the days of an owner are a range of ids.
func dayID(owner string, date performance.Date) string { return fmt.Sprintf("%s\n%s", owner, date) }

// totalID names the parts of an owner's total, which stand apart from its days.
func totalID(owner string) string { return "total\n" + owner + "\n" }

// newRollups sums up reports. It looks up what their costs are added to.
func (t *tx) newRollups(reports []ports.Report) (*rollups, error) {
	s := &rollups{days: map[ownDay]performance.Day{}, completed: map[string]int64{}, before: map[ownDay]performance.Day{}}
	for _, r := range reports {
		day := dayOf(r)
		if _, known := s.before[day]; known || !saysCost(r) {
			continue
		}
		var d rollupDoc
		if raw := t.lookedUp(rollupsColl, costsID(day)); raw != nil {
			if err := bson.Unmarshal(raw, &d); err != nil {
				return nil, err
			}
		}
		s.before[day] = d.Figures.day(d.Date)
	}
	for _, r := range reports {
		s.add(r)
	}
	return s, nil
}

// saysCost reports whether what a report counts depends on what the costs of its day are.
func saysCost(r ports.Report) bool { return performance.Day{}.Add(r.Measures).SaysCost() }

// dayOf is the day of an agent that a report counts for.
func dayOf(r ports.Report) ownDay {
	return ownDay{ownerOfAgent(agent.ID(r.Event.AgentID)), performance.DateOf(r.Event.At)}
}

func (s *rollups) add(r ports.Report) {
	one := performance.Day{}.Add(r.Measures)
	if one.IsEmpty() {
		return
	}
	of, in := dayOf(r), ownDay{ownerOfDepartment(r.DepartmentID), performance.DateOf(r.Event.At)}
	if one.SaysCost() {
		one = one.Counted(s.before[of].Merge(s.days[of]))
	}
	s.days[of], s.days[in] = s.days[of].Merge(one), s.days[in].Merge(one)
	s.completed[of.owner] += one.TasksCompleted
}

// disagree are the days whose costs disagree.
func (s *rollups) disagree() (days []ports.AgentDay) {
	for of, before := range s.before {
		if before.Merge(s.days[of]).Disagrees() {
			days = append(days, ports.AgentDay{Agent: agent.ID(strings.TrimPrefix(of.owner, ownerOfAgent(""))), Date: of.date})
		}
	}
	slices.SortFunc(days, ports.AgentDay.Compare)
	return days
}

func (s *rollups) write(t *tx, now time.Time) {
	open := performance.DateOf(now.Add(clockSkew)) - openDays + 1
	for k, d := range s.days {
		var late []bson.E
		if k.date < open && strings.HasPrefix(k.owner, ownerOfAgent("")) {
			late = append(late, mongodb.Is("$currentDate", bson.D{mongodb.Is("late", bson.D{mongodb.Is("$type", "timestamp")})}))
		}
		if _, costs := s.before[k]; costs {
			t.addPart(costsID(k), k.date, costsOf(d), late...)
			d = withoutCosts(d)
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
	t.addPart(fmt.Sprintf("%s\n%02d", id, t.shard), date, d, more...)
}

// addPart adds figures to a part, if there are any.
func (t *tx) addPart(id string, date any, d performance.Day, more ...bson.E) {
	if fields := increments(d); len(fields) > 0 {
		t.upsert(rollupsColl, id, append(bson.D{mongodb.Is("$inc", fields), mongodb.Is("$setOnInsert", bson.D{mongodb.Is("date", date)})}, more...))
	}
}

// costsID names the part with the costs of a day of an agent. All transactions add to this one:
// what a cost adds depends on those before, so two of them conflict.
func costsID(of ownDay) string { return dayID(of.owner, of.date) + "\ncosts" }

// costsOf are the figures that stand in that part.
func costsOf(d performance.Day) performance.Day {
	return performance.Day{TaskCost: d.TaskCost, Cost: d.Cost, Excess: d.Excess}
}

// withoutCosts are the others.
func withoutCosts(d performance.Day) performance.Day {
	d.TaskCost, d.Cost, d.Excess = performance.Sample{}, performance.Sample{}, performance.Sample{}
	return d
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
	Excess        sample `bson:"excess,omitempty"`
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
		Collaboration: performance.Sample(f.Collaboration), Cost: performance.Sample(f.Cost), Excess: performance.Sample(f.Excess),
	})
}

// increments are the fields that add the figures of a day: what is 0 is left out.
func increments(d performance.Day) (fields bson.D) {
	add := func(field string, n int64) {
		if n != 0 {
			fields = append(fields, mongodb.Is("figures."+field, n))
		}
	}
	add("completed", d.TasksCompleted)
	add("failed", d.TasksFailed)
	for _, s := range []struct {
		field string
		performance.Sample
	}{
		{"duration", d.Duration}, {"quality", d.Quality}, {"task_cost", d.TaskCost},
		{"tokens", d.Tokens}, {"collaboration", d.Collaboration}, {"cost", d.Cost}, {"excess", d.Excess},
	} {
		add(s.field+".count", s.Count)
		add(s.field+".units", s.Units)
		add(s.field+".nanos", s.Nanos)
	}
	return fields
}

// daysOf are the parts of some days of an owner.
func daysOf(owner string, first, last performance.Date) bson.D {
	return bson.D{mongodb.Is("_id", bson.D{mongodb.Is("$gte", dayID(owner, first)), mongodb.Is("$lt", dayID(owner, last+1))})}
}

// daysOfAgents are those of all agents.
func daysOfAgents(first, last performance.Date) bson.D {
	return daysOfAll(ownerOfAgent(""), first, last)
}

// daysOfAll are the parts of some days of all owners of a kind.
func daysOfAll(kind string, first, last performance.Date) bson.D {
	return bson.D{mongodb.Is("date", bson.D{mongodb.Is("$gte", first), mongodb.Is("$lte", last)}), mongodb.StartsWith("_id", kind)}
}
