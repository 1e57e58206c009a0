package telemetry

import (
	"context"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/domain/limit"
	"orgd/ports"
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

// TestMetricsAreText asks for other forms, and for some metrics only.
func TestMetricsAreText(t *testing.T) {
	m := told()
	whole := strings.Count(scrape(t, m), "\n# TYPE ")
	r := httptest.NewRequest("GET", "/metrics?name[]=nothing", nil)
	r.Header.Set("Accept", "application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited")
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, r)
	if kind := w.Header().Get("Content-Type"); w.Code != 200 || !strings.HasPrefix(kind, "text/plain") {
		t.Errorf("GET /metrics = %d %s, want 200 text/plain", w.Code, kind)
	}
	if n := strings.Count(w.Body.String(), "\n# TYPE "); n < whole {
		t.Errorf("GET /metrics shows %d of %d metrics", n, whole)
	}
}

// told returns metrics that have been told something of everything.
func told() *Metrics {
	m := NewMetrics("1.2.3", "abc")
	m.Request("/agents/:agent", "GET", 200, 3*time.Millisecond)
	m.Request("/agents/:agent", "GET", 200, 3*time.Millisecond)
	m.Request("/agents", "MADE-UP-7", 405, time.Second)
	m.InFlight(1)
	m.InFlight(1)
	m.InFlight(-1)
	m.LimiterDecision("agents.create", "denied")
	m.LimitsShared(false)
	m.StreamSubscribers(1)
	m.StreamEnded("drain")
	m.StoreOperation("agents.create", 2*time.Millisecond, false)
	m.StoreOperation("agents.create", 2*time.Millisecond, true)
	m.StoreFiles(Files{Database: 4096, Log: 512, DiskFree: 1 << 20, DiskSize: 1 << 30})
	m.Reported(ports.Counted{Accepted: 5, Duplicates: 2})
	m.TaskFailing("retention", true)
	m.Spans("exported", 512)
	m.Ready(true)
	m.Dependency("storage", true)
	m.CertificateExpires(time.Unix(1_800_000_000, 0))
	m.WebhookAttempt("delivered", 20*time.Millisecond)
	m.WebhookBacklog(7, 90*time.Second)
	m.AuditMissed(3)
	return m
}

func TestMetrics(t *testing.T) {
	m := told()
	got := scrape(t, m)
	for _, want := range []string{
		`orgd_webhook_attempt_duration_seconds_bucket{outcome="delivered",le="0.025"} 1`,
		`orgd_webhook_pending_deliveries 7`,
		`orgd_webhook_lateness_seconds 90`,
		`orgd_audit_log_missed_total 3`,
		`http_server_request_duration_seconds_count{code="200",method="GET",route="/agents/:agent"} 2`,
		`http_server_request_duration_seconds_bucket{code="200",method="GET",route="/agents/:agent",le="0.005"} 2`,
		`http_server_request_duration_seconds_count{code="405",method="OTHER",route="/agents"} 1`,
		`http_server_in_flight_requests 1`,
		`orgd_limiter_decisions_total{decision="denied",limit="agents.create"} 1`,
		`orgd_store_operation_duration_seconds_count{operation="agents.create",outcome="ok"} 1`,
		`orgd_store_operation_duration_seconds_count{operation="agents.create",outcome="error"} 1`,
		`orgd_limiter_shared 0`,
		`orgd_dependency_up{dependency="redis"} 0`,
		`orgd_dependency_up{dependency="storage"} 1`,
		`orgd_ready 1`,
		`orgd_tls_certificate_expiry_timestamp_seconds 1.8e+09`,
		`orgd_trace_spans_total{outcome="exported"} 512`,
		`orgd_task_failing{task="retention"} 1`,
		`orgd_store_database_bytes 4096`,
		`orgd_store_log_bytes 512`,
		`orgd_store_disk_free_bytes 1.048576e+06`,
		`orgd_store_disk_size_bytes 1.073741824e+09`,
		`orgd_reported_events_total{outcome="accepted"} 5`,
		`orgd_reported_events_total{outcome="duplicate"} 2`,
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

// What is said only of some set-ups has no value in others.
func TestMetricsWithoutValue(t *testing.T) {
	got := scrape(t, NewMetrics("1", "a"))
	for _, name := range []string{"orgd_limiter_shared", "orgd_dependency_up", "orgd_tls_certificate", "orgd_store_database", "orgd_store_disk"} {
		if strings.Contains(got, name) {
			t.Errorf("%s is shown though nobody told of it", name)
		}
	}
}

// The limiter that stands in is counted and otherwise as it was.
func TestFallback(t *testing.T) {
	m := NewMetrics("1", "a")
	l := m.Fallback(denying{})
	for range 3 {
		if g, err := l.Admit(t.Context(), limit.Ask{Address: "a"}); err != nil || g.Denied == nil || g.Denied.Name != "a" {
			t.Errorf("Admit = %+v, %v, want what the limiter itself answers", g, err)
		}
	}
	if got, want := scrape(t, m), "orgd_limiter_fallbacks_total 3\n"; !strings.Contains(got, want) {
		t.Errorf("GET /metrics lacks %s", want)
	}
}

// denying denies every ask, in the name of its address.
type denying struct{}

func (denying) Admit(_ context.Context, ask limit.Ask) (limit.Grant, error) {
	return limit.Grant{Denied: &limit.Denial{Name: ask.Address}, Release: func() {}}, nil
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
