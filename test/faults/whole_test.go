package faults

import (
	"context"
	"fmt"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
)

// leftovers are what a change that was cut short leaves in a shared database, by
// collection. Of a database that has been repaired they find nothing.
var leftovers = []struct {
	what, coll string
	filter     bson.D
}{
	{"debts of agents", "agents", bson.D{{Key: "pending.0", Value: present}}},
	{"debts of the company", "company", bson.D{{Key: "pending.0", Value: present}}},
	{"debts of projects", "projects", bson.D{{Key: "pending.0", Value: present}}},
	{"debts of sessions", "sessions", bson.D{{Key: "pending.0", Value: present}}},
	{"batches", "batches", bson.D{{Key: "void", Value: absent}}},
	{"intents", "intents", bson.D{}},
	{"reserved keys", "receipts", bson.D{{Key: "done", Value: false}, {Key: "home.coll", Value: bson.D{{Key: "$ne", Value: ""}}}}},
	{"invisible events", "events", bson.D{{Key: "open", Value: present}}},
	{"events without a place in the log", "events", bson.D{{Key: "line", Value: present}}},
	{"departments half deleted", "company", bson.D{{Key: "seats.closing", Value: present}}},
	{"announced costs", "company", bson.D{{Key: "costing.0", Value: present}}},
}

var (
	present = bson.D{{Key: "$exists", Value: true}}
	absent  = bson.D{{Key: "$exists", Value: false}}
)

// unrepaired looks into a shared database and returns what is left over, or does
// not fit together.
func unrepaired(ctx context.Context, db *mongo.Database) ([]string, error) {
	var problems []string
	for _, l := range leftovers {
		n, err := db.Collection(l.coll).CountDocuments(ctx, l.filter)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", l.what, err)
		}
		if n > 0 {
			problems = append(problems, fmt.Sprintf("the database has %d %s, want none", n, l.what))
		}
	}
	for _, look := range []func(context.Context, *mongo.Database) ([]string, error){misfits, logMisfits} {
		found, err := look(ctx, db)
		if err != nil {
			return nil, err
		}
		problems = append(problems, found...)
	}
	return problems, nil
}

// logMisfits compares the events with the log, which has each of them once.
func logMisfits(ctx context.Context, db *mongo.Database) ([]string, error) {
	events, err := db.Collection("events").CountDocuments(ctx, bson.D{})
	if err != nil {
		return nil, fmt.Errorf("events: %w", err)
	}
	cursor, err := db.Collection("log").Find(ctx, bson.D{})
	if err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	var pages []struct {
		Events []string `bson:"events"`
	}
	if err := cursor.All(ctx, &pages); err != nil {
		return nil, fmt.Errorf("log: %w", err)
	}
	logged := map[string]bool{}
	n := 0
	for _, p := range pages {
		for _, id := range p.Events {
			logged[id] = true
			n++
		}
	}
	if n != len(logged) || int64(n) != events {
		return []string{fmt.Sprintf("the log has %d places for %d of %d events, want one for each", n, len(logged), events)}, nil
	}
	return nil, nil
}

// misfits compares names, agents, seats and departments with each other.
func misfits(ctx context.Context, db *mongo.Database) ([]string, error) {
	var (
		names []struct {
			Key   string `bson:"_id"`
			Agent string `bson:"agent"`
		}
		agents []struct {
			ID         string `bson:"_id"`
			Key        string `bson:"key"`
			Department string `bson:"department"` // its key
		}
		departments []struct {
			Key string `bson:"_id"`
			ID  string `bson:"id"`
		}
		companies []struct {
			Seats []struct {
				Key string `bson:"key"`
				ID  string `bson:"id"`
			} `bson:"seats"`
		}
	)
	for _, read := range []struct {
		coll   string
		filter bson.D
		into   any
	}{
		{"names", bson.D{}, &names},
		{"agents", bson.D{{Key: "key", Value: present}}, &agents},
		{"departments", bson.D{}, &departments},
		{"company", bson.D{}, &companies},
	} {
		cursor, err := db.Collection(read.coll).Find(ctx, read.filter)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", read.coll, err)
		}
		if err := cursor.All(ctx, read.into); err != nil {
			return nil, fmt.Errorf("%s: %w", read.coll, err)
		}
	}
	if len(companies) != 1 {
		return []string{fmt.Sprintf("there are %d companies, want 1", len(companies))}, nil
	}
	var problems []string
	misfit := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	holders, seats := map[string]string{}, map[string]string{}
	for _, n := range names {
		holders[n.Key] = n.Agent
	}
	for _, s := range companies[0].Seats {
		seats[s.Key] = s.ID
	}
	for _, a := range agents {
		if holders[a.Key] != a.ID {
			misfit("agent %s has the name %q, which is held for %q", a.ID, a.Key, holders[a.Key])
		}
		if _, ok := seats[a.Department]; !ok {
			misfit("agent %s is in the department %q, which has no seat", a.ID, a.Department)
		}
	}
	for _, d := range departments {
		if seats[d.Key] != d.ID {
			misfit("department %q is %s, its seat is for %q", d.Key, d.ID, seats[d.Key])
		}
	}
	if len(names) != len(agents) {
		misfit("there are %d names of %d agents", len(names), len(agents))
	}
	if len(seats) != len(departments) {
		misfit("there are %d seats of %d departments", len(seats), len(departments))
	}
	return problems, nil
}

const (
	// repairTime is how long after a crash its traces may be found: an attempt
	// may be under way for three seconds and is looked after one later by who
	// comes by each second, on a machine that has other things to do.
	repairTime = 10 * time.Second
	repairPoll = 100 * time.Millisecond
)

// wantRepaired waits until nothing is left of what was cut short at a time, and
// returns how long that took.
func (c *cluster) wantRepaired(since time.Time) time.Duration {
	c.t.Helper()
	for {
		problems, err := unrepaired(c.t.Context(), c.db)
		took := time.Since(since)
		switch {
		case err != nil:
			c.t.Fatal(err)
		case len(problems) == 0:
			if took > repairTime {
				c.late(took, "repaired after %s, want at most %s", took, repairTime)
			}
			return took
		case took > repairTime+patience:
			c.t.Fatalf("after %s:\n%s", took.Round(time.Millisecond), problems)
		}
		time.Sleep(repairPoll)
	}
}
