package redislimit

import (
	"net/http/httptest"
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd/adapters/telemetry"
	"orgd/test/collector"
	"orgd/test/redisserver"
)

// What a request waits for Redis is a span of its trace, whether it is admitted or
// not.
func TestSpansOfDecisions(t *testing.T) {
	shared := openShared(t, config(redisserver.Shared(t)), patientTiming())
	c := collector.Start(t)
	traced := telemetry.DefaultTraces()
	traced.Endpoint = c.URL
	traces, stop, err := telemetry.OpenTraces(traced, "v1", telemetry.NewMetrics("v1", "c1"), zap.NewNop())
	if err != nil {
		t.Fatalf("OpenTraces = %v", err)
	}
	l := traces.Limiter(shared.Limiter)
	for _, denied := range []string{"false", "true"} {
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
		request := traces.Serve(r, "/"+denied)
		grant, err := l.Admit(request.In(t.Context()), bySubject("traced", 1, time.Minute))
		if err != nil {
			t.Fatalf("Admit = %v", err)
		}
		grant.Release()
		request.Answered(200, "x")
	}
	stop()
	for _, denied := range []string{"false", "true"} {
		of := c.Named(t, "GET /"+denied, "")
		if got := c.Named(t, "redis limits.admit", of.ID); got.Attributes["orgd.limits.denied"] != denied || got.Failed {
			t.Errorf("the span of the decision is %s, want denied: %s", got.Text, denied)
		}
	}
}
