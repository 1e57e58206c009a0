package mongostore

import (
	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/performance"
)

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

func figuresOf(d performance.Day) figures {
	return figures{
		Completed: d.TasksCompleted, Failed: d.TasksFailed,
		Duration: sample(d.Duration), Quality: sample(d.Quality), TaskCost: sample(d.TaskCost),
		Tokens: sample(d.Tokens), Collaboration: sample(d.Collaboration), Cost: sample(d.Cost),
	}
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

// increments is the update that adds f: what is 0 is left out.
func (f figures) increments() bson.D {
	var d bson.D
	add := func(field string, n int64) {
		if n != 0 {
			d = append(d, is("figures."+field, n))
		}
	}
	add("completed", f.Completed)
	add("failed", f.Failed)
	for _, s := range []struct {
		field string
		sample
	}{
		{"duration", f.Duration}, {"quality", f.Quality}, {"task_cost", f.TaskCost},
		{"tokens", f.Tokens}, {"collaboration", f.Collaboration}, {"cost", f.Cost},
	} {
		add(s.field+".count", s.Count)
		add(s.field+".units", s.Units)
		add(s.field+".nanos", s.Nanos)
	}
	return d
}
