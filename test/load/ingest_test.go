package load

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"
)

// eachRequest is how many events are reported at once.
const eachRequest = 500

// BenchmarkIngest measures how many events a second are taken in for good. Each
// client reports on agents of its own, or all of them on everybody; what they
// did in the last second, or at any time of the last minute.
func BenchmarkIngest(b *testing.B) {
	const agents = 10_000
	s := open(b)
	ids := s.staff(agents)
	for _, clients := range []int{1, 4, 8} {
		for _, each := range []int{20, agents} {
			for _, over := range []time.Duration{time.Second, time.Minute} {
				b.Run(fmt.Sprintf("clients=%d/agents=%d/over=%v", clients, each, over), func(b *testing.B) {
					s.ingest(b, clients, ids, each, over)
				})
			}
		}
	}
}

// seeds makes every client another one.
var seeds atomic.Uint64

// ingest reports events from several clients, each on some of the agents.
func (s *service) ingest(b *testing.B, clients int, ids []string, each int, over time.Duration) {
	free := make(chan *reporter, clients)
	for i := range clients {
		from := i * each % len(ids)
		r := newReporter(ids[from:from+each], seeds.Add(1))
		r.over = over
		free <- r
	}
	used := cpu(b)
	b.ResetTimer()
	s.parallel(clients, b.N, func(int) error {
		r := <-free
		defer func() { free <- r }()
		if w := s.do(http.MethodPost, "/activities", r.request(eachRequest, time.Now())); w.Code != http.StatusCreated {
			return fmt.Errorf("POST /activities = %d %s", w.Code, w.Body)
		}
		return nil
	})
	b.StopTimer()
	events := float64(b.N * eachRequest)
	b.ReportMetric(events/b.Elapsed().Seconds(), "events/s")
	b.ReportMetric(float64((cpu(b)-used).Microseconds())/events, "cpu-µs/event")
}
