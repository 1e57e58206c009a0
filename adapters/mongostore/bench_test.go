package mongostore

import (
	"fmt"
	"sync/atomic"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/domain/agent"
	"orgd/domain/performance"
)

// Benchmarks compare a hire and an update with one insert of the driver, each by
// 32 clients.
func Benchmark(b *testing.B) {
	o := newOffice(b)
	var ids []agent.ID
	for i := range 32 {
		o.must(o.createDepartment(b.Context(), fmt.Sprint("d", i), 1))
		ids = append(ids, o.hire(fmt.Sprint("d", i)))
	}
	plain := o.db.data.Collection("plain")
	var client atomic.Int64
	for what, do := range map[string]func(client int) error{
		"insertOne": func(int) error {
			_, err := plain.InsertOne(b.Context(), bson.D{mongodb.Is("_id", newID()), mongodb.Is("text", instructions)})
			return err
		},
		"hire":   func(c int) error { o.hire(fmt.Sprint("d", c%32)); return nil },
		"update": func(c int) error { return o.patch(b.Context(), ids[c%32], fmt.Sprintf(`{"description":%q}`, newID())) },
	} {
		b.Run(what, func(b *testing.B) {
			b.SetParallelism(16) // goroutines for each processor
			b.RunParallel(func(pb *testing.PB) {
				c := int(client.Add(1))
				for pb.Next() {
					if err := do(c); err != nil {
						b.Error(err)
					}
				}
			})
		})
	}
}

// BenchmarkDepartmentWork reads 30 of 60 days of a page of departments, each day in
// as many parts as there may be, and all days of the company.
func BenchmarkDepartmentWork(b *testing.B) {
	o := newOffice(b)
	today := performance.DateOf(now())
	ids := make([]string, 200)
	for i := range ids {
		ids[i] = newID()
		var parts []any
		for n := range 60 * shards {
			date := today - performance.Date(n/shards)
			parts = append(parts, rollupDoc{
				ID: fmt.Sprintf("%s\n%02d", dayID(ownerOfDepartment(ids[i]), date), n%shards), Date: date,
				Figures: figures{Completed: 1, Cost: sample{1, 2, 3}},
			})
		}
		_, err := o.db.coll(rollupsColl).InsertMany(b.Context(), parts)
		o.must(err)
	}
	b.Run("Departments", func(b *testing.B) {
		for b.Loop() {
			work, err := o.Measures.DepartmentWork(b.Context(), ids, today-29, today)
			if err != nil || work[ids[7]].TasksCompleted != 30*shards {
				b.Fatalf("DepartmentWork = %+v, %v", work[ids[7]], err)
			}
		}
	})
	b.Run("CompanyDays", func(b *testing.B) {
		for b.Loop() {
			work, err := o.Measures.WorkDays(b.Context(), performance.Owner{}, today-29, today)
			if err != nil || work[today].TasksCompleted != int64(len(ids))*shards {
				b.Fatalf("WorkDays = %+v, %v", work, err)
			}
		}
	})
	b.Run("FirstDays", func(b *testing.B) {
		owners := []performance.Owner{{}}
		for _, id := range ids {
			owners = append(owners, performance.Owner{Department: id})
		}
		for b.Loop() {
			first, err := o.Measures.FirstDays(b.Context(), owners)
			if err != nil || first[owners[0]] != today-59 || first[owners[200]] != today-59 {
				b.Fatalf("FirstDays = %v, %v", first, err)
			}
		}
	})
}
