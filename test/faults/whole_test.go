package faults

import (
	"context"
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// unrepaired looks into a shared database and returns what does not fit together.
// Every change is one transaction, so there is nothing to wait for.
func unrepaired(ctx context.Context, db *mongo.Database) (problems []string, err error) {
	misfit := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	session, err := db.Client().StartSession(options.Session().SetSnapshot(true))
	if err != nil {
		return nil, err
	}
	defer session.EndSession(ctx)
	ctx = mongo.NewSessionContext(ctx, session)
	read := func(coll string, filter bson.D, into any) {
		if err != nil {
			return
		}
		var cursor *mongo.Cursor
		if cursor, err = db.Collection(coll).Find(ctx, filter); err == nil {
			err = cursor.All(ctx, into)
		}
	}
	var agents, former []struct {
		ID         string `bson:"_id"`
		Department string `bson:"department"` // its key
		Version    int64  `bson:"version"`
	}
	var departments []struct {
		Key string `bson:"_id"`
	}
	var headcounts []struct {
		ID    string `bson:"_id"`
		Total int64  `bson:"total"`
	}
	var versions []struct {
		ID string `bson:"_id"`
	}
	read("agents", bson.D{}, &agents)
	read("deleted_agents", bson.D{}, &former)
	read("departments", bson.D{}, &departments)
	read("headcounts", bson.D{}, &headcounts)
	read("versions", bson.D{}, &versions)
	if err != nil {
		return nil, err
	}
	parts, people, numbers := map[string]int{}, map[string]int64{}, map[string]int64{}
	for _, h := range headcounts {
		key, _, _ := strings.Cut(h.ID, "\n")
		parts[key]++
		people[key] += h.Total
	}
	for _, d := range departments {
		if parts[d.Key] != 16 {
			misfit("department %q has %d parts of its headcount, want 16", d.Key, parts[d.Key])
		}
		delete(parts, d.Key)
	}
	if len(parts) > 0 {
		misfit("there are headcounts of departments that are not there: %v", parts)
	}
	for _, v := range versions {
		id, _, _ := strings.Cut(v.ID, "/")
		numbers[id]++
	}
	for _, a := range agents {
		people[a.Department]--
		if numbers[a.ID] != a.Version {
			misfit("agent %s has version %d and %d versions", a.ID, a.Version, numbers[a.ID])
		}
		delete(numbers, a.ID)
	}
	for _, a := range former {
		delete(numbers, a.ID)
	}
	if len(numbers) > 0 {
		misfit("there are versions of nobody: %v", numbers)
	}
	for key, n := range people {
		if n != 0 {
			misfit("department %q counts %d agents too many", key, n)
		}
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
