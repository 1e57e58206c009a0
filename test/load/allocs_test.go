package load

import (
	"fmt"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"
)

// sink is a connection whose client reads no answers.
type sink struct {
	header http.Header
	status int
}

func (s *sink) Header() http.Header              { return s.header }
func (s *sink) Write(text []byte) (int, error)   { return len(text), nil }
func (s *sink) WriteHeader(status int)           { s.status = status }
func (s *sink) SetReadDeadline(time.Time) error  { return nil }
func (s *sink) SetWriteDeadline(time.Time) error { return nil }

// serve has the handler answer and discards what it says.
func (s *service) serve(r *http.Request, want int) {
	w := sink{header: make(http.Header, 16)}
	if s.handler.ServeHTTP(&w, r); w.status != want {
		s.Fatalf("%s %s = %d, want %d", r.Method, r.URL, w.status, want)
	}
}

// allocs returns how often an operation allocates memory, and how much.
func allocs(runs int, do func()) (times, bytes float64) {
	do() // what is made once
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	times = testing.AllocsPerRun(runs, do)
	runtime.ReadMemStats(&after)
	return times, float64(after.TotalAlloc-before.TotalAlloc) / float64(runs+1)
}

// What a request may allocate: a third more than it does today, since that
// differs a little from one run to the next. Times differ by much more, so this
// is what tells of an answer that became dearer.
func TestAllocations(t *testing.T) {
	s := open(t)
	id := s.staff(100)[0]
	for i := range 50 {
		s.must("PUT", fmt.Sprintf("/agents/agent-%05d/labels/production", i), []byte(`{"version":1}`))
	}
	n := 0
	for _, c := range []struct {
		what, method, path string
		body               func() []byte
		status             int
		most               float64
	}{
		{"agent", "GET", "/agents/" + id, nil, 200, 58},
		{"agent by name", "GET", "/agents/agent-00001", nil, 200, 56},
		{"page of 50 agents", "GET", "/agents?limit=50", nil, 200, 348},
		{"label", "GET", "/agents/" + id + "/labels/production", nil, 200, 68},
		{"page of 50 agents with a label", "GET", "/labels/production/agents?limit=50", nil, 200, 404},
		{"page of 50 names", "GET", "/agents?limit=50&q=agent", nil, 200, 2000},
		{"new agent", "POST", "/agents", func() []byte {
			n++
			return newAgent(fmt.Sprint("new ", n), 0)
		}, 201, 294},
		{"change", "PATCH", "/agents/" + id, func() []byte {
			n++
			return fmt.Appendf(nil, `{"description":"change %d"}`, n)
		}, 200, 249},
		{"change of level and role", "PATCH", "/agents/" + id, func() []byte {
			n++
			return fmt.Appendf(nil, `{"level":%q,"role":"Role %d"}`, []string{"senior", "mid"}[n%2], n)
		}, 200, 318},
		{"change of a text", "PATCH", "/agents/" + id, func() []byte {
			n++
			return fmt.Appendf(nil, `{"instructions":"Version %d: %s"}`, n, strings.Repeat("Look closely. ", 150))
		}, 200, 265},
		{"change of nothing", "PATCH", "/agents/" + id, func() []byte { return []byte(`{}`) }, 200, 102},
	} {
		times, bytes := allocs(100, func() {
			var send []byte
			if c.body != nil {
				send = c.body()
			}
			s.serve(s.request(c.method, c.path, send), c.status)
		})
		t.Logf("%s: %.0f allocations of %.0f bytes", c.what, times, bytes)
		if times > c.most {
			t.Errorf("%s: %.0f allocations, want at most %.0f", c.what, times, c.most)
		}
	}
}

// No read allocates more because the organization is larger.
func TestReadsAllocateForThePageOnly(t *testing.T) {
	if testing.Short() {
		t.Skip("3000 agents and 20 000 events; and the race detector throws buffers away at random")
	}
	small, large := open(t), open(t)
	few, many := small.staff(60), large.staff(3000)
	now := time.Now()
	for s, ids := range map[*service][]string{small: few, large: many} {
		// The first agent has the same past in both.
		r := newReporter(ids[:1], 1)
		s.must(http.MethodPost, "/activities", r.request(60, now))
	}
	large.report(newReporter(many[1:], 2), now.Add(-time.Hour), 20_000, 24*time.Hour)
	for _, path := range []string{
		"/agents/{id}", "/agents/{id}/versions", "/agents/{id}/versions/1", "/agents/{id}/activity", "/agents/{id}/history",
		"/agents/{id}/performance", "/agents/{id}/health",
		"/agents?limit=50", "/agents?limit=50&q=agent", "/agents?limit=50&department=Research", "/agents?limit=50&status=active",
		"/agents?limit=50&view=summary",
		"/activities?limit=50&agent_id={id}", "/activities?limit=50&last_n_hours=24",
		"/departments", "/departments/Research", "/departments/Research/health", "/company", "/audit?limit=50", "/projects",
	} {
		cost := func(s *service, id string) (times, bytes float64) {
			r := s.request(http.MethodGet, strings.ReplaceAll(path, "{id}", id), nil)
			return allocs(50, func() { s.serve(r.Clone(r.Context()), http.StatusOK) })
		}
		times, bytes := cost(small, few[0])
		moreTimes, moreBytes := cost(large, many[0])
		t.Logf("GET %s: %.0f and %.0f allocations of %.0f and %.0f bytes", path, times, moreTimes, bytes, moreBytes)
		if moreTimes > times*1.2+30 || moreBytes > bytes*1.25+8192 {
			t.Errorf("GET %s: %.0f allocations of %.0f bytes among 3000 agents, %.0f of %.0f among 60",
				path, moreTimes, moreBytes, times, bytes)
		}
	}
}
