package sqlitestore

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/domain/audit"
	"orgd/domain/jsondoc"
	"orgd/domain/performance"
	"orgd/ports"
)

// reports makes a batch of finished tasks of random agents.
func (o *org) reports(n int, of []agent.ID) []ports.Report {
	took, data := 90*time.Second, jsondoc.Object(`{"cost":0.25,"duration_seconds":90,"success":true,"task_id":"t-1"}`)
	batch := make([]ports.Report, n)
	for i := range batch {
		batch[i] = ports.Report{
			Event: activity.Event{
				ID: activity.ID(o.id()), Type: activity.TaskCompleted, At: o.now(),
				AgentID: string(of[rand.IntN(len(of))]), AgentName: "Ann", Description: "wrote the report", Data: &data,
			},
			Department: "sales", DepartmentID: "0190a5c4-0000-7000-8000-5a1e00000000",
			Measures: activity.Measures{Finished: true, Success: true, Duration: &took},
		}
	}
	return batch
}

// sealed returns the trail of a batch.
func (o *org) sealed(ports.Counted) ports.Trail {
	return ports.Trail{Audit: audit.Entry{ID: o.id(), At: o.now(), Actor: "ann", Resource: audit.Activities}}
}

func BenchmarkActivities(b *testing.B) {
	o := openOrg(b, b.TempDir())
	o.createDepartment("Sales")
	ids := o.hireMany(0, 1000, "Sales", 200)
	log := o.db.Stores().Activities
	ctx := context.Background()
	b.Run("Append100", func(b *testing.B) {
		parallel(b, 8, func(int) error {
			_, err := log.Append(ctx, o.reports(100, ids), o.sealed)
			return err
		})
	})
	b.Run("Append1", func(b *testing.B) {
		parallel(b, 64, func(int) error {
			_, err := log.Append(ctx, o.reports(1, ids), o.sealed)
			return err
		})
	})
	for what, q := range map[string]activity.Query{
		"Feed50": {}, "FeedOfType50": {Type: activity.Hired}, "FeedOfAgent50": {AgentID: string(ids[7])},
	} {
		q.Limit = 50
		b.Run(what, func(b *testing.B) {
			parallel(b, 8, func(int) error {
				_, err := log.Feed(ctx, q)
				return err
			})
		})
	}
}

// BenchmarkDepartmentWork reads 30 of 60 days of a page of departments, each of
// which did something every day, and all days of the company.
func BenchmarkDepartmentWork(b *testing.B) {
	o := openOrg(b, b.TempDir())
	log, today := o.db.Stores().Activities, performance.DateOf(o.now())
	var ids []string
	for range 200 {
		ids = append(ids, o.id())
	}
	for day := range 60 {
		batch := o.reports(len(ids), []agent.ID{agent.ID(o.id())})
		for i := range batch {
			batch[i].DepartmentID, batch[i].Event.At = ids[i], batch[i].Event.At.AddDate(0, 0, -day)
		}
		if _, err := log.Append(context.Background(), batch, o.sealed); err != nil {
			b.Fatal(err)
		}
	}
	measures := o.db.Stores().Measures
	b.Run("Departments", func(b *testing.B) {
		parallel(b, 1, func(int) error {
			_, err := measures.DepartmentWork(context.Background(), ids, today-29, today)
			return err
		})
	})
	b.Run("CompanyDays", func(b *testing.B) {
		parallel(b, 1, func(int) error {
			_, err := measures.WorkDays(context.Background(), performance.Owner{}, today-59, today)
			return err
		})
	})
	b.Run("CompanyFirst", func(b *testing.B) {
		parallel(b, 1, func(int) error {
			_, err := measures.FirstDays(context.Background(), []performance.Owner{{}})
			return err
		})
	})
}
