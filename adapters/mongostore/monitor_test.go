package mongostore

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.uber.org/zap"

	"orgd/adapters/mongostore/internal/mongodb"
	"orgd/adapters/system"
	"orgd/adapters/telemetry"
	"orgd/test/collector"
)

// The commands of a request are spans of its trace, without the values that are
// asked for. Other commands are none.
func TestSpansOfCommands(t *testing.T) {
	cfg := testConfig(t)
	c := collector.Start(t)
	traced := telemetry.DefaultTraces()
	traced.Endpoint = c.URL
	traces, stop, err := telemetry.OpenTraces(traced, "v1", telemetry.NewMetrics("v1", "c1"), zap.NewNop())
	if err != nil {
		t.Fatalf("OpenTraces = %v", err)
	}
	cfg.Observer.Traces = traces
	db, closeDB, err := Open(cfg, system.Clock{})
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	defer closeDB()
	db.timeout = unhurried
	r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
	request := traces.Serve(r, "/")
	find := func(ctx context.Context) {
		if _, err := all[bson.Raw](db.ask(ctx), agentsColl, bson.D{mongodb.Is("name", "canary")}); err != nil {
			t.Errorf("find = %v", err)
		}
	}
	find(request.In(t.Context()))
	find(t.Context())
	if err := db.data.RunCommand(request.In(t.Context()), bson.D{mongodb.Is("noSuchCommand", 1)}).Err(); err == nil {
		t.Error("a command that does not exist has no error")
	}
	request.Answered(200, "x")
	stop()
	of := c.Named(t, "GET /", "")
	if got := c.Named(t, "find "+agentsColl, of.ID); got.Kind != "SPAN_KIND_CLIENT" || got.Failed || strings.Contains(got.Text, "canary") {
		t.Errorf("the span of the command is %s", got.Text)
	}
	if got := c.Named(t, "noSuchCommand", of.ID); !got.Failed {
		t.Errorf("the span of a command that failed is %s", got.Text)
	}
	if n := len(c.Spans()); n != 3 {
		t.Errorf("there are %d spans, want three:\n%s", n, c)
	}
}
