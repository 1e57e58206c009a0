package httpapi

import (
	"context"
	"errors"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/gin-gonic/gin"
	"go.uber.org/zap"

	"orgd/adapters/httpapi/internal/request"
	"orgd/adapters/telemetry"
	"orgd/ports"
	"orgd/test/collector"
)

// traces sends spans to a collector; the function that it returns waits for them.
func traces(t *testing.T, c *collector.Collector) (*telemetry.Traces, func()) {
	t.Helper()
	cfg := telemetry.DefaultTraces()
	cfg.Endpoint = c.URL
	all, stop, err := telemetry.OpenTraces(cfg, "v1", telemetry.NewMetrics("v1", "c1"), zap.NewNop())
	if err != nil {
		t.Fatalf("OpenTraces = %v", err)
	}
	return all, stop
}

// A failure of the service marks the spans of the request. A mistake of the client
// does not.
func TestSpansOfFailures(t *testing.T) {
	down := ports.ErrUnavailable.Because(errors.New("canary"))
	for name, tt := range map[string]struct {
		path   string
		err    error
		route  string
		status string
		failed bool
	}{
		"answered":    {"/api/v1/company", nil, "GET /api/v1/company", "200", false},
		"unavailable": {"/api/v1/company", down, "GET /api/v1/company", "503", true},
		"refused":     {"/api/v1/agents/a%00b", nil, "GET /api/v1/agents/{agent_name}", "400", false},
		"unmatched":   {"/api/v1/nothing", nil, "GET", "404", false},
	} {
		t.Run(name, func(t *testing.T) {
			c := collector.Start(t)
			all, stop := traces(t, c)
			f := newFake(t, func(context.Context) error { return tt.err }, func(_ *Config, p *Parts) { p.Traces = all })
			w := f.send(newRequest(t, "GET", tt.path, ""))
			stop()
			s := c.Named(t, tt.route, "")
			if s.Failed != tt.failed || s.Attributes["http.response.status_code"] != tt.status {
				t.Errorf("the span is %s, want status %s and failed: %t", s.Text, tt.status, tt.failed)
			}
			if got := s.Attributes["error.type"]; tt.failed && got != tt.status || !tt.failed && got != "" {
				t.Errorf("error.type = %q", got)
			}
			if !tt.failed {
				return
			}
			if u := c.Named(t, "company.get", s.ID); !u.Failed || u.Attributes["orgd.error_code"] != "8001" {
				t.Errorf("the span of the use case is %s, want it failed", u.Text)
			}
			lines := f.logs.FilterMessage("request failed").All()
			if len(lines) != 1 || lines[0].ContextMap()["trace_id"] != s.Trace || lines[0].ContextMap()["instance"] != w.Header().Get("X-Request-Id") {
				t.Errorf("the log has %v, want one line with the trace", lines)
			}
		})
	}
}

// Without traces nothing stands between the router and the handlers, and a use
// case costs no allocation more.
func TestNoTracesCostNothing(t *testing.T) {
	f := newFake(t, ok)
	serve := func(*gin.Context) {}
	if got := f.traced(&request.Route{}, serve); reflect.ValueOf(got).Pointer() != reflect.ValueOf(serve).Pointer() {
		t.Error("traced without traces wraps the handler")
	}
	r := &request.Request{
		HTTP: httptest.NewRequestWithContext(t.Context(), "GET", "/", nil), Client: t.Context(),
		Route: &request.Route{Op: "company.get", Handle: func(*request.Request) error { return nil }},
	}
	n := testing.AllocsPerRun(100, func() {
		r.Trace = f.parts.Traces.Fields(r.Client)
		if err := f.handle(r); err != nil {
			t.Errorf("handle = %v", err)
		}
	})
	if n > 0 {
		t.Errorf("handle makes %v allocations, want 0", n)
	}
}
