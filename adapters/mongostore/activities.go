package mongostore

import (
	"context"
	"errors"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/ports"
)

// Activities keeps events.
type Activities struct{ db *DB }

// Append implements [ports.ActivityLog].
func (s *Activities) Append(ctx context.Context, reports []ports.Report, seal func(ports.Counted) ports.Trail) (_ ports.Counted, err error) {
	defer s.db.observer.Begin(&ctx, "activities.append").End(&err)
	var n ports.Counted
	costs := false
	err = s.db.write(ctx, func(t *tx) error {
		fresh, err := unknown(t, reports)
		if err != nil {
			return err
		}
		n = ports.Counted{Accepted: len(fresh), Duplicates: len(reports) - len(fresh)}
		t.addTrail(seal(n), n.Accepted > 0)
		if n.Accepted == 0 {
			return nil
		}
		sums := newRollups()
		for _, r := range fresh {
			t.insert(eventsColl, eventOf(r.Event, r.Department), nil)
			sums.add(r)
		}
		sums.write(t)
		if costs = sums.costs; costs {
			return t.recordCosts()
		}
		return nil
	})
	if err != nil {
		return ports.Counted{}, err
	}
	if costs {
		s.db.costs.Store(true)
	}
	s.db.observer.Reported(n)
	return n, nil
}

// unknown returns the reports whose events are not stored, each id once.
func unknown(r reader, reports []ports.Report) ([]ports.Report, error) {
	ids := make([]string, len(reports))
	for i, r := range reports {
		ids[i] = string(r.Event.ID)
	}
	stored, err := all[idDoc](r, eventsColl, bson.D{in("_id", ids)}, options.Find().SetProjection(by("_id")))
	if err != nil {
		return nil, err
	}
	known := make(map[activity.ID]bool, len(reports))
	for _, d := range stored {
		known[activity.ID(d.ID)] = true
	}
	var fresh []ports.Report
	for _, r := range reports {
		if !known[r.Event.ID] {
			known[r.Event.ID] = true
			fresh = append(fresh, r)
		}
	}
	return fresh, nil
}

// recordCosts stores that there are amounts in the company's currency: a change of
// the currency and the first cost conflict in the company.
func (t *tx) recordCosts() error {
	if t.db.costs.Load() {
		return nil
	}
	d, err := one[companyDoc](t, metaColl, byID(companyID), options.FindOne().SetProjection(by("costs")))
	if err != nil {
		return notMigrated(err)
	}
	if !d.Costs {
		t.update(metaColl, companyID, set(is("costs", true)), nil)
	}
	return nil
}

// Feed implements [ports.ActivityLog].
func (s *Activities) Feed(ctx context.Context, q activity.Query) (_ []activity.Encoded, err error) {
	defer s.db.observer.Begin(&ctx, "activities.list").End(&err)
	return list(s.db.ask(ctx), eventsColl, eventsFilter(q),
		options.Find().SetSort(by("-at", "-_id")).SetLimit(int64(q.Limit)), eventDoc.encoded)
}

// Find implements [ports.ActivityLog].
func (s *Activities) Find(ctx context.Context, ids []activity.ID) (_ map[activity.ID]activity.Event, err error) {
	defer s.db.observer.Begin(&ctx, "activities.find").End(&err)
	found := make(map[activity.ID]activity.Event, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	docs, err := all[eventDoc](s.db.ask(ctx), eventsColl, bson.D{in("_id", ids)})
	events, err := every(docs, err, eventDoc.event)
	for _, e := range events {
		found[e.ID] = e
	}
	return found, err
}

// Career implements [ports.ActivityLog].
func (s *Activities) Career(ctx context.Context, id agent.ID) (_ []activity.Event, err error) {
	defer s.db.observer.Begin(&ctx, "activities.career").End(&err)
	docs, err := all[eventDoc](s.db.ask(ctx), eventsColl, bson.D{is("agent", string(id)), in("type", lifecycle())},
		options.Find().SetSort(by("at", "_id")))
	return every(docs, err, eventDoc.event)
}

// LastActive implements [ports.ActivityLog].
func (s *Activities) LastActive(ctx context.Context, id agent.ID) (_ time.Time, _ bool, err error) {
	defer s.db.observer.Begin(&ctx, "activities.last").End(&err)
	newest, err := one[eventDoc](s.db.ask(ctx), eventsColl, eventsFilter(activity.Query{AgentID: string(id)}),
		options.FindOne().SetSort(by("-at", "-_id")).SetProjection(by("at")))
	if errors.Is(err, mongo.ErrNoDocuments) {
		return time.Time{}, false, nil
	}
	return fromMillis(newest.At), err == nil, err
}
