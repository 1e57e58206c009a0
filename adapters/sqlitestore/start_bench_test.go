package sqlitestore

import (
	"context"
	"fmt"
	"os"
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd/domain/agent"
)

// BenchmarkStart opens a directory, and measures how long it takes until an agent is found by its
// name and until there is a list, and what the agents take in memory.
func BenchmarkStart(b *testing.B) {
	sizes := []int{10_000, 100_000}
	if os.Getenv("ORGD_LONG") == "1" {
		sizes = append(sizes, 1_000_000)
	}
	for _, n := range sizes {
		dir := b.TempDir()
		made, closeMade, err := Open(context.Background(), Config{Dir: dir, Readers: 1}, zap.NewNop())
		if err != nil {
			b.Fatal(err)
		}
		o := &org{TB: b, db: made, agents: &Agents{made}, departments: &Departments{made}}
		o.createDepartment("Sales")
		o.hire("Ann", "Sales", 2000)
		o.multiply(n - 1)
		closeMade()
		b.Run(fmt.Sprintf("agents=%d", n), func(b *testing.B) {
			var found, listed time.Duration
			var memory int64
			for b.Loop() {
				before, start := heapInUse(), time.Now()
				db, closeDB, err := Open(context.Background(), Config{Dir: dir, Readers: 8}, zap.NewNop())
				if err != nil {
					b.Fatal(err)
				}
				agents := &Agents{db}
				if _, err := agents.Record(context.Background(), byName(b, fmt.Sprintf("agent-%d", n/2))); err != nil {
					b.Fatal(err)
				}
				found += time.Since(start)
				if page, err := agents.Records(context.Background(), agent.Query{Limit: 50}); err != nil || len(page) != 50 {
					b.Fatal(len(page), err)
				}
				listed += time.Since(start)
				memory += heapInUse() - before
				closeDB()
			}
			each := float64(b.N)
			b.ReportMetric(float64(found.Milliseconds())/each, "ms/first")
			b.ReportMetric(float64(listed.Milliseconds())/each, "ms/list")
			b.ReportMetric(float64(memory)/each/float64(n), "B/agent")
			b.ReportMetric(0, "ns/op")
		})
	}
}
