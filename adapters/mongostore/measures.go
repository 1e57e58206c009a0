package mongostore

import (
	"context"
	"maps"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"

	"orgd/domain/agent"
	"orgd/domain/performance"
)

// Measures reads daily figures.
type Measures struct{ db *DB }

// AgentDays implements [ports.Measures].
func (s *Measures) AgentDays(ctx context.Context, id agent.ID, first performance.Date) (_ []performance.Day, completed int64, err error) {
	defer s.db.observer.Begin(&ctx, "measures.agent").End(&err)
	days, err := view(ctx, s.db, func(r reader) ([]performance.Day, error) {
		parts, err := all[rollupDoc](r, rollupsColl, bson.D{startsWith("_id", totalID(ownerOfAgent(id)))})
		if err != nil {
			return nil, err
		}
		for _, p := range parts {
			completed += p.Figures.Completed
		}
		return readDays(r, ownerOfAgent(id), first)
	})
	return days, completed, err
}

// DepartmentDays implements [ports.Measures].
func (s *Measures) DepartmentDays(ctx context.Context, id string, first performance.Date) (_ []performance.Day, err error) {
	defer s.db.observer.Begin(&ctx, "measures.department").End(&err)
	return view(ctx, s.db, func(r reader) ([]performance.Day, error) { return readDays(r, ownerOfDepartment(id), first) })
}

// DepartmentWork implements [ports.Measures]. The server adds up the parts, of
// which there may be hundreds for each department.
func (s *Measures) DepartmentWork(ctx context.Context, ids []string, first, last performance.Date) (_ map[string]performance.Work, err error) {
	defer s.db.observer.Begin(&ctx, "measures.departments").End(&err)
	found := make(map[string]performance.Work, len(ids))
	if len(ids) == 0 {
		return found, nil // an "$or" of nothing is an error
	}
	days := make(bson.A, len(ids))
	for i, id := range ids {
		days[i] = daysOf(ownerOfDepartment(id), first, last)
	}
	sum := func(field string) bson.D { return bson.D{is("$sum", "$figures."+field)} }
	pipeline := bson.A{bson.D{is("$match", bson.D{is("$or", days)})}, bson.D{is("$group", bson.D{
		ownerIn("$_id"), is("completed", sum("completed")), is("failed", sum("failed")), is("units", sum("cost.units")), is("nanos", sum("cost.nanos")),
	})}}
	return view(ctx, s.db, func(r reader) (map[string]performance.Work, error) {
		var sums []struct {
			ID                              string `bson:"_id"`
			Completed, Failed, Units, Nanos int64
		}
		err := drain(r, &sums, func(ctx context.Context) (*mongo.Cursor, error) {
			return s.db.coll(rollupsColl).Aggregate(ctx, pipeline)
		})
		for _, d := range sums {
			cost := performance.Sample{}.Merge(performance.Sample{Units: d.Units, Nanos: d.Nanos})
			found[d.ID] = performance.Work{TasksCompleted: d.Completed, TasksFailed: d.Failed, Cost: cost.Total()}
		}
		return found, err
	})
}

// readDays reads the figures of an owner and puts the parts of each day together.
func readDays(r reader, owner string, first performance.Date) ([]performance.Day, error) {
	parts, err := all[rollupDoc](r, rollupsColl,
		bson.D{is("_id", bson.D{is("$gte", dayID(owner, first)), is("$lt", after(owner+"\n"))})})
	if err != nil {
		return nil, err
	}
	days := map[performance.Date]performance.Day{}
	for _, p := range parts {
		d, ok := days[p.Date]
		if !ok {
			d.Date = p.Date
		}
		days[p.Date] = d.Merge(p.Figures.day(p.Date))
	}
	return slices.Collect(maps.Values(days)), nil
}
