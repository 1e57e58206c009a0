package engine

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"orgd/adapters/sqlitestore/internal/sqlite"
)

// BenchmarkPut measures durable inserts of a 400 byte row with two index
// entries beside its primary key.
func BenchmarkPut(b *testing.B) {
	doc := strings.Repeat("x", 400)
	for _, writers := range []int{1, 16, 64} {
		b.Run(fmt.Sprintf("writers=%d", writers), func(b *testing.B) {
			db := openTest(b, b.TempDir())
			var next atomic.Int64
			var wg sync.WaitGroup
			b.ResetTimer()
			for range writers {
				wg.Go(func() {
					for i := next.Add(1); i <= int64(b.N); i = next.Add(1) {
						if err := db.Write(context.Background(), func(tx *Tx) error {
							_, err := tx.Exec("INSERT INTO item (name, kind, doc) VALUES (?, ?, ?)", fmt.Sprintf("name-%09d", i*7919%1000003*1000+i%1000), i%50, doc)
							return err
						}); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wg.Wait()
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "puts/s")
		})
	}
}

// BenchmarkRead measures one row found by its name.
func BenchmarkRead(b *testing.B) {
	db := openTest(b, b.TempDir())
	if err := db.Write(context.Background(), func(tx *Tx) error {
		for i := range 5000 {
			if _, err := tx.Exec("INSERT INTO item (name, kind, doc) VALUES (?, ?, ?)", fmt.Sprintf("name-%d", i), i%50, strings.Repeat("x", 1500)); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		b.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	b.Run("row", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var doc string
			if err := db.Read(ctx, func(v *sqlite.View) error {
				return v.Row("SELECT doc FROM item WHERE name = ?", "name-2345").Scan(&doc)
			}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("page", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			n := 0
			if err := db.Read(ctx, func(v *sqlite.View) error {
				return v.Each("SELECT seq, doc FROM item WHERE kind = ? AND seq > ? ORDER BY seq LIMIT 50", []any{7, 1000}, func(r sqlite.Row) error {
					n++
					var seq int64
					var doc string
					return r.Scan(&seq, &doc)
				})
			}); err != nil || n != 50 {
				b.Fatal(n, err)
			}
		}
	})
}
