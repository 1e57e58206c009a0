package mongostore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"

	"orgd/domain/agent"
	"orgd/domain/performance"
	"orgd/ports"
)

var _ ports.Measures = (*Measures)(nil)

// Measures reads daily figures.
type Measures struct{ db *DB }

// NewMeasures returns the daily figures in db.
func NewMeasures(db *DB) *Measures { return &Measures{db} }

// AgentDays implements [ports.Measures].
func (s *Measures) AgentDays(ctx context.Context, id agent.ID, first performance.Date) ([]performance.Day, int64, error) {
	days, err := s.days(ctx, agentOwner(string(id)), first)
	if err != nil {
		return nil, 0, err
	}
	var total dayDoc
	err = s.db.find(ctx, s.db.coll(daysColl), byKey(totalID(string(id))), fields("figures.completed"), &total)
	if err != nil && !errors.Is(err, mongo.ErrNoDocuments) {
		return nil, 0, err
	}
	return days, total.Figures.Completed, nil
}

// DepartmentDays implements [ports.Measures].
func (s *Measures) DepartmentDays(ctx context.Context, id string, first performance.Date) ([]performance.Day, error) {
	return s.days(ctx, departmentOwner(id), first)
}

// days reads the figures of one owner. The _id of a document is its owner and
// its date, so it is all the index they need.
func (s *Measures) days(ctx context.Context, owner string, first performance.Date) ([]performance.Day, error) {
	if err := s.db.awaitBatches(ctx); err != nil {
		return nil, err
	}
	var docs []dayDoc
	filter := bson.D{is("_id", bson.D{is("$gte", dayID(owner, first)), is("$lt", after(owner+"\n"))})}
	opts := options.Find().SetProjection(fields("figures"))
	if err := s.db.all(ctx, s.db.coll(daysColl), filter, &docs, opts); err != nil {
		return nil, err
	}
	var days []performance.Day
	for _, d := range docs {
		date, err := dateOf(d.ID)
		if err != nil {
			return nil, err
		}
		if day := d.Figures.day(date); !day.IsEmpty() { // empty: about to be written for the first time
			days = append(days, day)
		}
	}
	return days, nil
}

func dateOf(id string) (performance.Date, error) {
	text := id[strings.LastIndexByte(id, '\n')+1:]
	t, err := time.Parse(time.DateOnly, text)
	if err != nil {
		return 0, ports.ErrStorage.Because(fmt.Errorf("mongostore: read figures %q: %w", id, err))
	}
	return performance.DateOf(t), nil
}
