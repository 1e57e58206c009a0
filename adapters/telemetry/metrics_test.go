package telemetry

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// scrape returns the text that Prometheus would read.
func scrape(t *testing.T, m *Metrics) string {
	t.Helper()
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest("GET", "/metrics", nil))
	if w.Code != 200 || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/plain") {
		t.Fatalf("GET /metrics = %d %s, want 200 text/plain", w.Code, w.Header().Get("Content-Type"))
	}
	return w.Body.String()
}

func TestMetrics(t *testing.T) {
	m := NewMetrics("1.2.3", "abc")
	m.Request("/agents/:agent", "GET", 200, 3*time.Millisecond)
	m.Request("/agents/:agent", "GET", 200, 3*time.Millisecond)
	m.Request("/agents", "MADE-UP-7", 405, time.Second)
	m.InFlight(1)
	m.InFlight(1)
	m.InFlight(-1)
	m.LimiterDecision("agents.create", "denied")
	m.StoreOperation("agents.create", 2*time.Millisecond, false)
	m.StoreOperation("agents.create", 2*time.Millisecond, true)
	got := scrape(t, m)
	for _, want := range []string{
		`http_server_request_duration_seconds_count{code="200",method="GET",route="/agents/:agent"} 2`,
		`http_server_request_duration_seconds_bucket{code="200",method="GET",route="/agents/:agent",le="0.005"} 2`,
		`http_server_request_duration_seconds_count{code="405",method="OTHER",route="/agents"} 1`,
		`http_server_in_flight_requests 1`,
		`orgd_limiter_decisions_total{decision="denied",limit="agents.create"} 1`,
		`orgd_store_operation_duration_seconds_count{operation="agents.create",outcome="ok"} 1`,
		`orgd_store_operation_duration_seconds_count{operation="agents.create",outcome="error"} 1`,
		`orgd_build_info{commit="abc",go_version="go`,
		`version="1.2.3"} 1`,
		`go_goroutines `,
		`process_open_fds `,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("GET /metrics lacks %s in:\n%s", want, got)
		}
	}
}

func TestMetricsAreIndependent(t *testing.T) {
	NewMetrics("1", "a").InFlight(1)
	if got := scrape(t, NewMetrics("1", "a")); !strings.Contains(got, "http_server_in_flight_requests 0") {
		t.Errorf("a second set of metrics does not begin at 0:\n%s", got)
	}
}

func TestRequestParallel(t *testing.T) {
	m := NewMetrics("1", "a")
	var running sync.WaitGroup
	for range 8 {
		running.Go(func() {
			for code := range 100 {
				m.Request("/r", "GET", 200+code%3, time.Millisecond)
			}
		})
	}
	running.Wait()
	if got, want := scrape(t, m), `http_server_request_duration_seconds_count{code="200",method="GET",route="/r"} 272`; !strings.Contains(got, want) {
		t.Errorf("GET /metrics lacks %s in:\n%s", want, got)
	}
}

func TestRequestAllocatesNothing(t *testing.T) {
	m := NewMetrics("1", "a")
	if n := testing.AllocsPerRun(100, func() { m.Request("/r", "GET", 200, time.Millisecond) }); n > 0 {
		t.Errorf("Request makes %v allocations, want 0", n)
	}
}

func BenchmarkMetrics(b *testing.B) {
	m := NewMetrics("1", "a")
	for name, f := range map[string]func(){
		"Request":         func() { m.Request("/agents/:agent", "GET", 200, time.Millisecond) },
		"LimiterDecision": func() { m.LimiterDecision("agents.create", "admitted") },
		"StoreOperation":  func() { m.StoreOperation("agents.create", time.Millisecond, false) },
	} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					f()
				}
			})
		})
	}
}
