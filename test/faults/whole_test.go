package faults

import (
	"context"
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

// wantWhole looks into the shared database and wants what is in it to fit
// together. Every change is one transaction, so that is true at any time.
func (c *cluster) wantWhole() {
	c.t.Helper()
	stored, err := readStored(c.t.Context(), c.db)
	if err != nil {
		c.t.Fatal(err)
	}
	for _, problem := range append(stored.countMisfits(), stored.versionMisfits()...) {
		c.t.Errorf("the database: %s", problem)
	}
}

// stored is a part of a shared database, all of it from one moment.
type stored struct {
	agents, deleted []storedAgent
	departments     []struct {
		Key string `bson:"_id"`
	}
	headcounts []struct {
		ID    string `bson:"_id"` // the key of the department, and a number
		Total int64  `bson:"total"`
	}
	versions []struct {
		ID string `bson:"_id"` // that of the agent, and the number
	}
}

type storedAgent struct {
	ID         string `bson:"_id"`
	Department string `bson:"department"` // its key
	Version    int64  `bson:"version"`
}

func readStored(ctx context.Context, db *mongo.Database) (*stored, error) {
	session, err := db.Client().StartSession(options.Session().SetSnapshot(true))
	if err != nil {
		return nil, err
	}
	defer session.EndSession(ctx)
	ctx = mongo.NewSessionContext(ctx, session)
	s := &stored{}
	for coll, into := range map[string]any{
		"agents": &s.agents, "deleted_agents": &s.deleted, "departments": &s.departments, "headcounts": &s.headcounts, "versions": &s.versions,
	} {
		cursor, err := db.Collection(coll).Find(ctx, bson.D{})
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", coll, err)
		}
		if err := cursor.All(ctx, into); err != nil {
			return nil, fmt.Errorf("read %s: %w", coll, err)
		}
	}
	return s, nil
}

// countMisfits compares the headcounts of departments with their agents. All
// departments have as many parts of a headcount.
func (s *stored) countMisfits() (problems []string) {
	parts, surplus := map[string]int{}, map[string]int64{}
	for _, h := range s.headcounts {
		key, _, _ := strings.Cut(h.ID, "\n")
		parts[key]++
		surplus[key] += h.Total
	}
	for _, d := range s.departments {
		if n := parts[d.Key]; n == 0 || n*len(s.departments) != len(s.headcounts) {
			problems = append(problems, fmt.Sprintf("department %q has %d parts of its headcount, all %d have %d", d.Key, n, len(s.departments), len(s.headcounts)))
		}
	}
	for _, a := range s.agents {
		surplus[a.Department]--
	}
	for key, n := range surplus {
		if n != 0 || parts[key] == 0 {
			problems = append(problems, fmt.Sprintf("department %q counts %d agents too many, in %d parts", key, n, parts[key]))
		}
	}
	return problems
}

// versionMisfits compares the versions with those whom they are of. Deleted agents
// keep theirs.
func (s *stored) versionMisfits() (problems []string) {
	numbers := map[string]int64{}
	for _, v := range s.versions {
		id, _, _ := strings.Cut(v.ID, "/")
		numbers[id]++
	}
	for _, a := range s.agents {
		if numbers[a.ID] != a.Version {
			problems = append(problems, fmt.Sprintf("agent %s has version %d and %d versions", a.ID, a.Version, numbers[a.ID]))
		}
		delete(numbers, a.ID)
	}
	for _, a := range s.deleted {
		delete(numbers, a.ID)
	}
	if len(numbers) > 0 {
		problems = append(problems, fmt.Sprintf("there are versions of nobody: %v", numbers))
	}
	return problems
}
