package mongostore

import (
	"context"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/domain/performance"
	"orgd/ports"
)

// tally is what a batch adds to the daily figures.
type tally struct {
	Days []share `bson:"days"`
	// Costs is set if any cost is among them.
	Costs bool `bson:"costs"`
	// Events is how many events the batch has.
	Events int `bson:"events"`
	// After is when the agents that are reported of were changed, by the clock of
	// whoever changed them: the batch stands behind that in the log.
	After int64 `bson:"after,omitempty"`
}

// share is what a batch adds to one document of figures.
type share struct {
	ID      string  `bson:"id"`
	Figures figures `bson:"figures"`
}

// The owners of figures.
func agentOwner(id string) string      { return "agent:" + id }
func departmentOwner(id string) string { return "department:" + id }

func dayID(owner string, date performance.Date) string { return owner + "\n" + date.String() }

// totalID is the document with all that an agent ever did.
func totalID(agent string) string { return "total:" + agent }

func tallyOf(reports []ports.Report) tally {
	t := tally{Days: []share{}, Events: len(reports)}
	days := map[string]performance.Day{}
	for _, r := range reports {
		one := performance.Day{}.Add(r.Measures)
		if one.IsEmpty() {
			continue
		}
		date := performance.DateOf(r.Event.At)
		ids := []string{dayID(agentOwner(r.Event.AgentID), date), dayID(departmentOwner(r.DepartmentID), date)}
		if one.TasksCompleted > 0 {
			ids = append(ids, totalID(r.Event.AgentID))
		}
		for _, id := range ids {
			days[id] = days[id].Merge(one)
		}
		t.Costs = t.Costs || r.Measures.Cost != nil || r.Measures.Incurred != nil
	}
	for id, d := range days {
		t.Days = append(t.Days, share{ID: id, Figures: figuresOf(d)})
	}
	return t
}

// payTally adds a batch to the figures, remembers that there are costs, and
// shows its events, which then wait for their places in the log.
func (db *DB) payTally(ctx context.Context, d debt) error {
	if err := db.addShares(ctx, d.Op, d.Tally.Days); err != nil {
		return err
	}
	if d.Tally.Costs {
		if err := db.reach("settle.costs"); err != nil {
			return err
		}
		if err := db.recordCosts(ctx); err != nil {
			return err
		}
	}
	if err := db.reach("settle.open"); err != nil {
		return err
	}
	_, err := db.updateAll(ctx, eventsColl, bson.D{is("open", d.Op)}, bson.D{
		is("$unset", bson.D{is("open", "")}),
		is("$set", bson.D{is("line", line(max(d.At, d.Tally.After+1), d.Op)), is("of", d.Tally.Events)}),
	})
	return err
}

// announceCosts tells the company that a batch with costs is about to commit,
// unless there are costs already.
func (db *DB) announceCosts(ctx context.Context, op string) error {
	if db.costs.Load() {
		return nil
	}
	told, err := db.update(ctx, companyColl, bson.D{is("_id", companyID), is("costs", false)}, bson.D{
		is("$addToSet", bson.D{is("costing", op)}),
		is("$inc", bson.D{is("rev", 1)}),
	})
	if err == nil && !told {
		db.costs.Store(true)
	}
	return err
}

// withdrawCosts takes the announcement of a batch back that never commits.
func (db *DB) withdrawCosts(ctx context.Context, op string) error {
	if db.costs.Load() {
		return nil
	}
	_, err := db.update(ctx, companyColl, bson.D{is("_id", companyID), is("costing", op)}, bson.D{
		is("$pull", bson.D{is("costing", op)}),
		is("$inc", bson.D{is("rev", 1)}),
	})
	return err
}

// recordCosts remembers for ever that there are costs.
func (db *DB) recordCosts(ctx context.Context) error {
	if db.costs.Load() {
		return nil
	}
	_, err := db.update(ctx, companyColl, bson.D{is("_id", companyID), is("costs", false)}, bson.D{
		is("$set", bson.D{is("costs", true), is("costing", []string{})}),
		is("$inc", bson.D{is("rev", 1)}),
	})
	if err == nil {
		db.costs.Store(true)
	}
	return err
}

// resolveCosting finds out which of the announced batches is true; the rest is
// fenced and forgotten.
func (db *DB) resolveCosting(ctx context.Context, ops []string) error {
	for _, op := range ops {
		v, err := db.decide(ctx, home{batchesColl, op}, op, 0, true)
		if err != nil {
			return err
		}
		if v == fenced {
			if err := db.withdrawCosts(ctx, op); err != nil {
				return err
			}
		}
	}
	return nil
}
