package mongostore

import (
	"context"
	"maps"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/performance"
)

// Measures reads daily figures.
type Measures struct{ db *DB }

// AgentDays implements [ports.Measures].
func (s *Measures) AgentDays(ctx context.Context, id agent.ID, first performance.Date) (_ []performance.Day, completed int64, err error) {
	defer s.db.observer.Begin(&ctx, "measures.agent").End(&err)
	days, err := view(ctx, s.db.engine, func(r reader) ([]performance.Day, error) {
		parts, err := all[rollupDoc](r, rollupsColl, bson.D{mongodb.StartsWith("_id", totalID(ownerOfAgent(id)))})
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
	return view(ctx, s.db.engine, func(r reader) ([]performance.Day, error) { return readDays(r, ownerOfDepartment(id), first) })
}

// readDays reads the figures of an owner and puts the parts of each day together.
func readDays(r reader, owner string, first performance.Date) ([]performance.Day, error) {
	parts, err := all[rollupDoc](r, rollupsColl,
		bson.D{mongodb.Is("_id", bson.D{mongodb.Is("$gte", dayID(owner, first)), mongodb.Is("$lt", mongodb.After(owner+"\n"))})})
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
