package sqlitestore

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"orgd/domain/activity"
	"orgd/domain/agent"
	"orgd/ports"
)

// BenchmarkDeleteExpired removes the older half of a million events step by step, as
// the service does beside requests: half of these report one event, half read a
// page of the feed. It measures a step, which has the writer to itself, and how
// long requests take with and without.
func BenchmarkDeleteExpired(b *testing.B) {
	const events, agents, atOnce = 1_000_000, 10_000, 1000
	o := openOrg(b, b.TempDir())
	ids := make([]agent.ID, agents)
	for i := range ids {
		ids[i] = agent.ID(o.id())
	}
	log, storage := o.db.Stores().Activities, o.db.Stores().Storage
	begin := o.now()
	for i := range events / atOnce {
		batch := o.reports(atOnce, ids)
		for j := range batch {
			batch[j].Event.Type = activity.RuntimeTypes()[rand.IntN(6)]
			batch[j].Event.At = begin.Add(time.Duration(i*atOnce+j) * time.Millisecond)
		}
		_, err := log.Append(context.Background(), batch, o.sealed)
		o.check(err)
	}
	request := func(i int) error {
		if i%2 == 0 {
			_, err := log.Append(context.Background(), o.reports(1, ids), o.sealed)
			return err
		}
		_, err := log.Feed(context.Background(), activity.Query{AgentID: string(ids[rand.IntN(agents)]), Limit: 50})
		return err
	}
	one := func(i int) time.Duration {
		time.Sleep(time.Millisecond)
		t := time.Now()
		o.check(request(i))
		return time.Since(t)
	}
	var alone, beside []time.Duration
	for i := range 5000 {
		alone = append(alone, one(i))
	}
	ctx, stop := context.WithCancel(context.Background())
	upTo := ports.Expiry{Events: begin.Add(events / 2 * time.Millisecond)}
	steps := make(chan []time.Duration)
	go func() {
		var took []time.Duration
		for ctx.Err() == nil {
			t := time.Now()
			if _, err := storage.DeleteExpired(context.Background(), upTo); err != nil {
				b.Error(err)
			}
			took = append(took, time.Since(t))
			time.Sleep(50 * time.Millisecond) // as in the service
		}
		steps <- took
	}()
	for i := 0; b.Loop(); i++ {
		beside = append(beside, one(i))
	}
	stop()
	took := <-steps
	b.ReportMetric(0, "ns/op") // with pauses
	b.ReportMetric(milliseconds(alone, 0.99), "alone-99%-ms")
	b.ReportMetric(milliseconds(alone, 1), "alone-max-ms")
	b.ReportMetric(milliseconds(beside, 0.99), "beside-99%-ms")
	b.ReportMetric(milliseconds(beside, 1), "beside-max-ms")
	b.ReportMetric(milliseconds(took, 0.5), "step-median-ms")
	b.ReportMetric(milliseconds(took, 0.99), "step-99%-ms")
	b.ReportMetric(milliseconds(took, 1), "step-max-ms")
}

// milliseconds returns a quantile of times.
func milliseconds(times []time.Duration, quantile float64) float64 {
	sorted := slices.Sorted(slices.Values(times))
	return sorted[min(int(quantile*float64(len(sorted))), len(sorted)-1)].Seconds() * 1000
}
