package mongostore

import (
	"fmt"
	"strings"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/name"
)

// headcountDoc is a part of a department's headcount, which may be negative.
//
// A department has all its parts from the beginning, and a deletion removes them
// all. So a hire into a department that is being deleted conflicts with the deletion
// in the part that it adds to: one of them does not commit. For that reason nothing
// makes a part that is missing.
type headcountDoc struct {
	ID     string `bson:"_id"`
	Total  int64  `bson:"total"`
	Active int64  `bson:"active"`
}

func headcountID(department name.Key, shard int) string {
	return fmt.Sprintf("%s\n%02d", department, shard)
}

func (t *tx) insertHeadcounts(department name.Key) {
	for i := range shards {
		t.insert(headcountsColl, headcountDoc{ID: headcountID(department, i)}, nil)
	}
}

func (t *tx) removeHeadcounts(department name.Key) {
	for i := range shards {
		t.remove(headcountsColl, headcountID(department, i))
	}
}

// headcounts counts the agents of departments; unknown ones have none.
func headcounts(r reader, departments []name.Key) (map[name.Key]agent.Counts, error) {
	ids := make([]string, 0, len(departments)*shards)
	for _, d := range departments {
		for i := range shards {
			ids = append(ids, headcountID(d, i))
		}
	}
	counts := make(map[name.Key]agent.Counts, len(departments))
	parts, err := all[headcountDoc](r, headcountsColl, bson.D{mongodb.In("_id", ids)})
	for _, p := range parts {
		d, _, _ := strings.Cut(p.ID, "\n")
		n := counts[name.Key(d)]
		counts[name.Key(d)] = agent.Counts{Total: n.Total + p.Total, Active: n.Active + p.Active}
	}
	return counts, err
}

// recount counts the change of an agent from one identity to another; nil means that
// there is none.
func (t *tx) recount(from, to *identity.Content) {
	switch {
	case from == nil:
		t.count(to, 1)
	case to == nil:
		t.count(from, -1)
	case from.Department.Key != to.Department.Key || active(from) != active(to):
		t.count(from, -1)
		t.count(to, 1)
	}
}

func active(c *identity.Content) int64 {
	if c.Status == identity.Active {
		return 1
	}
	return 0
}

func (t *tx) count(c *identity.Content, n int64) {
	t.update(headcountsColl, headcountID(c.Department.Key, t.shard), mongodb.Increment(mongodb.Is("total", n), mongodb.Is("active", n*active(c))), nil)
}
