package mongostore

import (
	"context"
	"slices"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/ports"
)

var _ ports.ActivityLog = (*Activities)(nil)

// Activities keeps events.
type Activities struct{ db *DB }

// NewActivities returns the events in db.
func NewActivities(db *DB) *Activities { return &Activities{db} }

// Append implements [ports.ActivityLog].
func (s *Activities) Append(ctx context.Context, reports []ports.Report, seal func(ports.Counted) ports.Note) (ports.Counted, error) {
	if err := s.settleReported(ctx, reports); err != nil {
		return ports.Counted{}, err
	}
	var counted ports.Counted
	err := retry(ctx, func() (done bool, err error) {
		b := s.db.batch(reports, seal)
		done, err = b.try(ctx)
		counted = b.counted()
		return done, err
	})
	if err != nil {
		return ports.Counted{}, err
	}
	return counted, nil
}

// settleReported settles the agents that are reported of, so that what happened
// to one before its report stands before it in the log.
func (s *Activities) settleReported(ctx context.Context, reports []ports.Report) error {
	ids := make([]string, len(reports))
	for i, r := range reports {
		ids[i] = r.Event.AgentID
	}
	slices.Sort(ids)
	return s.db.settleSome(ctx, agentsColl, append(owes(), in("_id", slices.Compact(ids))), 0)
}

// Feed implements [ports.ActivityLog].
func (s *Activities) Feed(ctx context.Context, q activity.Query) ([]activity.Shown, error) {
	agents := func() error { return s.db.awaitAgents(ctx) }
	if q.AgentID != "" {
		agents = func() error { return s.db.settleHome(ctx, home{agentsColl, q.AgentID}) }
	}
	if err := together(agents, func() error { return s.db.awaitBatches(ctx) }); err != nil {
		return nil, err
	}
	opts := options.Find().SetSort(bson.D{is("at", -1), is("_id", -1)}).SetLimit(int64(q.Limit))
	events, err := s.read(ctx, eventsFilter(q), opts)
	if err != nil {
		return nil, err
	}
	page := make([]activity.Shown, len(events))
	for i, e := range events {
		page[i] = e.Shown()
	}
	return page, nil
}

// Find implements [ports.ActivityLog].
func (s *Activities) Find(ctx context.Context, ids []activity.ID) (map[activity.ID]activity.Event, error) {
	found := make(map[activity.ID]activity.Event, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	events, err := s.read(ctx, bson.D{in("_id", ids), settled()}, options.Find())
	for _, e := range events {
		found[e.ID] = e
	}
	return found, err
}

// Career implements [ports.ActivityLog].
func (s *Activities) Career(ctx context.Context, id agent.ID) ([]activity.Event, error) {
	if err := s.db.settleHome(ctx, home{agentsColl, string(id)}); err != nil {
		return nil, err
	}
	filter := bson.D{is("agent", string(id)), in("type", lifecycle())}
	return s.read(ctx, filter, options.Find().SetSort(bson.D{is("at", 1), is("_id", 1)}))
}

func (s *Activities) read(ctx context.Context, filter bson.D, opts *options.FindOptionsBuilder) ([]activity.Event, error) {
	var docs []eventDoc
	if err := s.db.all(ctx, s.db.coll(eventsColl), filter, &docs, opts); err != nil {
		return nil, err
	}
	events := make([]activity.Event, len(docs))
	for i, d := range docs {
		events[i] = d.event()
	}
	return events, nil
}

// LastActive implements [ports.ActivityLog].
func (s *Activities) LastActive(ctx context.Context, id agent.ID) (time.Time, bool, error) {
	if err := s.db.settleHome(ctx, home{agentsColl, string(id)}); err != nil {
		return time.Time{}, false, err
	}
	var newest []eventDoc
	opts := options.Find().SetSort(bson.D{is("at", -1), is("_id", -1)}).SetLimit(1).SetProjection(fields("at"))
	err := s.db.all(ctx, s.db.coll(eventsColl), bson.D{settled(), is("agent", string(id))}, &newest, opts)
	if err != nil || len(newest) == 0 {
		return time.Time{}, false, err
	}
	return fromMillis(newest[0].At), true, nil
}
