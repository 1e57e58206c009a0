package mongostore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/ports"
)

// Activities keeps events.
type Activities struct{ db *DB }

// Append implements [ports.ActivityLog].
func (s *Activities) Append(ctx context.Context, reports []ports.Report, seal func(ports.Counted) ports.Trail) (_ ports.Counted, err error) {
	defer s.db.observer.Begin(&ctx, "activities.append").End(&err)
	costs := false
	n, err := write(ctx, s.db.engine, func(t *tx) (n ports.Counted, err error) {
		fresh, err := t.unknown(reports)
		if err != nil {
			return n, err
		}
		sums, err := t.newRollups(fresh)
		if err != nil {
			return n, err
		}
		n = ports.Counted{Accepted: len(fresh), Duplicates: len(reports) - len(fresh), Disagree: sums.disagree()}
		t.addTrail(seal(n), n.Accepted > 0)
		if n.Accepted == 0 {
			return n, nil
		}
		for _, r := range fresh {
			t.insert(eventsColl, eventOf(r.Event, r.Department), nil)
		}
		sums.write(t, s.db.clock.Now())
		if costs = len(sums.before) > 0; costs {
			err = s.db.recordCosts(t)
		}
		return n, err
	}, needsOf(reports)...)
	if err != nil {
		return ports.Counted{}, err
	}
	if costs {
		s.db.costs.Store(true)
	}
	s.db.observer.Reported(n)
	return n, nil
}

// unknown returns the reports whose events are not stored, each id once. It refuses those of an agent that was
// purged.
func (t *tx) unknown(reports []ports.Report) (fresh []ports.Report, _ error) {
	known := make(map[activity.ID]bool, len(reports))
	for _, r := range reports {
		if t.lookedUp(purgedAgentsColl, r.Event.AgentID) != nil {
			return nil, agent.ErrNotFound.With("there is no agent %q", r.Event.AgentID)
		}
		id := r.Event.ID
		if !known[id] && t.lookedUp(eventsColl, string(id)) == nil {
			fresh = append(fresh, r)
		}
		known[id] = true
	}
	return fresh, nil
}

// needsOf are what storing reports reads.
func needsOf(reports []ports.Report) []need {
	needs := make([]need, 0, 2*len(reports))
	for _, r := range reports {
		needs = append(needs, needByID(eventsColl, string(r.Event.ID)), needByID(purgedAgentsColl, r.Event.AgentID))
		if saysCost(r) {
			needs = append(needs, needByID(rollupsColl, costsID(dayOf(r))))
		}
	}
	slices.SortFunc(needs, func(a, b need) int { return cmp.Or(strings.Compare(a.coll, b.coll), strings.Compare(a.value, b.value)) })
	return slices.Compact(needs)
}

// recordCosts stores that there are amounts in the company's currency: a change of
// the currency and the first cost conflict in the company.
func (db *DB) recordCosts(t *tx) error {
	if db.costs.Load() {
		return nil
	}
	d, err := singleton[companyDoc](t, companyID, options.FindOne().SetProjection(mongodb.By("costs")))
	if err == nil && !d.Costs {
		t.update(metaColl, companyID, mongodb.Set(mongodb.Is("costs", true)), nil)
	}
	return err
}

// Feed implements [ports.ActivityLog].
func (s *Activities) Feed(ctx context.Context, q activity.Query) (_ []activity.Encoded, err error) {
	defer s.db.observer.Begin(&ctx, "activities.list").End(&err)
	return list(s.db.ask(ctx), eventsColl, eventsFilter(q), eventDoc.encoded, first(q.Limit, "-at", "-_id"))
}

// Find implements [ports.ActivityLog].
func (s *Activities) Find(ctx context.Context, ids []activity.ID) (_ map[activity.ID]activity.Event, err error) {
	defer s.db.observer.Begin(&ctx, "activities.find").End(&err)
	found := make(map[activity.ID]activity.Event, len(ids))
	if len(ids) == 0 {
		return found, nil
	}
	events, err := every(s.db.ask(ctx), eventsColl, bson.D{mongodb.In("_id", ids)}, eventDoc.event)
	for _, e := range events {
		found[e.ID] = e
	}
	return found, err
}

// Career implements [ports.ActivityLog].
func (s *Activities) Career(ctx context.Context, id agent.ID) (_ []activity.Event, err error) {
	defer s.db.observer.Begin(&ctx, "activities.career").End(&err)
	types := slices.DeleteFunc(activity.Types(), func(t activity.Type) bool { return !t.Lifecycle() })
	return every(s.db.ask(ctx), eventsColl, bson.D{mongodb.Is("agent", string(id)), mongodb.In("type", types)},
		eventDoc.event, options.Find().SetSort(mongodb.By("at", "_id")))
}

// LastActive implements [ports.ActivityLog]. One query has the server look up the newest
// event of each agent. It begins with a document that is always there.
func (s *Activities) LastActive(ctx context.Context, ids []agent.ID) (found map[agent.ID]time.Time, err error) {
	defer s.db.observer.Begin(&ctx, "activities.last").End(&err)
	newest := bson.A{
		bson.D{mongodb.Is("$match", bson.D{mongodb.In("type", activity.Types())})},
		bson.D{mongodb.Is("$sort", mongodb.By("-at"))}, bson.D{mongodb.Is("$limit", 1)}, bson.D{mongodb.Is("$project", bson.D{mongodb.Is("_id", 0), mongodb.Is("at", 1)})},
	}
	pipeline := bson.A{
		bson.D{mongodb.Is("$match", mongodb.ByID(schemaID))},
		bson.D{mongodb.Is("$project", bson.D{mongodb.Is("_id", 0), mongodb.Is("agent", bson.D{mongodb.Is("$literal", ids)})})},
		bson.D{mongodb.Is("$unwind", "$agent")},
		bson.D{mongodb.Is("$lookup", bson.D{
			mongodb.Is("from", eventsColl), mongodb.Is("localField", "agent"), mongodb.Is("foreignField", "agent"), mongodb.Is("pipeline", newest), mongodb.Is("as", "newest"),
		})},
		bson.D{mongodb.Is("$unwind", "$newest")},
	}
	var docs []struct {
		Agent  agent.ID
		Newest struct{ At int64 }
	}
	err = drain(s.db.ask(ctx), &docs, func(ctx context.Context) (*mongo.Cursor, error) {
		return s.db.coll(metaColl).Aggregate(ctx, pipeline)
	})
	found = make(map[agent.ID]time.Time, len(docs))
	for _, d := range docs {
		found[d.Agent] = mongodb.FromMillis(d.Newest.At)
	}
	return found, err
}

// eventDoc is an event.
type eventDoc struct {
	ID          string  `bson:"_id"`
	Type        string  `bson:"type"`
	At          int64   `bson:"at"`
	Agent       string  `bson:"agent"`
	AgentName   string  `bson:"agent_name"`
	Description string  `bson:"description"`
	Related     string  `bson:"related"`
	Data        *string `bson:"data,omitempty"`
	By          string  `bson:"by"`
	Metadata    string  `bson:"metadata"`
	// Department is that of the agent then.
	Department string `bson:"department"`
	// Entered is when the event was inserted. The server replaces zero by its own
	// time, which is different for each document.
	Entered bson.Timestamp `bson:"entered"`
}

func eventOf(e activity.Event, department name.Key) eventDoc {
	return eventDoc{
		ID: string(e.ID), Type: string(e.Type), At: mongodb.Millis(e.At), Agent: e.AgentID, AgentName: e.AgentName,
		Description: e.Description, Related: e.Related.String(), Data: (*string)(e.Data), By: e.By,
		Metadata: e.Metadata.String(), Department: string(department),
	}
}

func (d eventDoc) event() (activity.Event, error) {
	return activity.Event{
		ID: activity.ID(d.ID), Type: activity.Type(d.Type), At: mongodb.FromMillis(d.At), AgentID: d.Agent,
		AgentName: d.AgentName, Description: d.Description, Related: jsondoc.Object(d.Related),
		Data: (*jsondoc.Object)(d.Data), By: d.By, Metadata: jsondoc.Object(d.Metadata),
	}, nil
}

func (d eventDoc) logged(seq activity.Seq) activity.Logged {
	e, _ := d.event()
	return activity.Logged{Event: e, Seq: seq, Department: name.Key(d.Department)}
}

func (d eventDoc) encoded() (activity.Encoded, error) {
	e, err := d.event()
	return e.Encoded(), err
}

// eventsFilter is for indexes that keep the types apart: a feed of all types is
// the merge of the feeds of each.
func eventsFilter(q activity.Query) bson.D {
	filter := mongodb.Given(mongodb.Is("type", string(q.Type)), mongodb.Is("agent", q.AgentID))
	if q.Type == "" {
		filter = append(filter, mongodb.In("type", activity.Types()))
	}
	at := bson.D{}
	if !q.Since.IsZero() {
		at = append(at, mongodb.Is("$gte", mongodb.Millis(q.Since)))
	}
	if q.After != nil {
		at = append(at, mongodb.Is("$lte", mongodb.Millis(q.After.At)))
		filter = append(filter, mongodb.Behind("$lt", "at", mongodb.Millis(q.After.At), "$lt", "_id", string(q.After.ID)))
	}
	if len(at) > 0 {
		filter = append(filter, mongodb.Is("at", at))
	}
	return filter
}
