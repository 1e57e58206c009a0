package load

import (
	"net/http"
	"slices"
	"testing"
	"time"
)

// BenchmarkLabels compares reads by a label with those of the agents themselves. Each pair
// is read in turn, and a figure is the median of the quotients.
func BenchmarkLabels(b *testing.B) {
	s := open(b)
	ids := s.staff(50)
	for _, id := range ids {
		s.must(http.MethodPut, "/agents/"+id+"/labels/production", []byte(`{"version":1}`))
	}
	agent, label := "/agents/"+ids[0], "/agents/"+ids[0]+"/labels/production"
	for _, c := range []struct {
		name, path, of string
		fresh          bool // the client has the answer of path already
	}{
		{"resolve", label, agent, false},
		{"not-modified", label, agent, true},
		{"agents", "/labels/production/agents?limit=50", "/agents?limit=50", false},
	} {
		b.Run(c.name, func(b *testing.B) {
			mine, other, status := s.request(http.MethodGet, c.path, nil), s.request(http.MethodGet, c.of, nil), http.StatusOK
			if c.fresh {
				mine.Header.Set("If-None-Match", s.do(http.MethodGet, c.path, nil).Header().Get("ETag"))
				status = http.StatusNotModified
			}
			var quotient float64
			for b.Loop() {
				quotient = s.quotient(mine, status, other)
			}
			b.ReportMetric(quotient, "of-the-read")
		})
	}
}

// quotient returns how long a request takes, in units of what another one takes.
func (s *service) quotient(r *http.Request, status int, of *http.Request) float64 {
	const rounds, times = 60, 50
	took := func(r *http.Request, want int) time.Duration {
		begin := time.Now()
		for range times {
			s.serve(r.Clone(r.Context()), want)
		}
		return time.Since(begin)
	}
	var all []float64
	for range rounds {
		all = append(all, float64(took(r, status))/float64(took(of, http.StatusOK)))
	}
	slices.Sort(all)
	return all[len(all)/2]
}
