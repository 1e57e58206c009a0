package mongostore

import (
	"context"
	"maps"
	"slices"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/agent"
	"orgd/domain/performance"
)

// Measures reads daily figures.
type Measures struct{ db *DB }

// AgentDays implements [ports.Measures].
func (s *Measures) AgentDays(ctx context.Context, id agent.ID, first performance.Date) (days []performance.Day, completed int64, err error) {
	err = s.db.view(ctx, func(r reader) error {
		parts, err := all[rollupDoc](r, rollupsColl, bson.D{startsWith("_id", totalID(ownerOfAgent(id)))})
		if err != nil {
			return err
		}
		completed = 0
		for _, p := range parts {
			completed += p.Figures.Completed
		}
		days, err = readDays(r, ownerOfAgent(id), first)
		return err
	})
	return days, completed, err
}

// DepartmentDays implements [ports.Measures].
func (s *Measures) DepartmentDays(ctx context.Context, id string, first performance.Date) (days []performance.Day, err error) {
	err = s.db.view(ctx, func(r reader) error {
		days, err = readDays(r, ownerOfDepartment(id), first)
		return err
	})
	return days, err
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
