package telemetry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/goleak"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"orgd/domain/limit"
	"orgd/test/collector"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestTraceConfig(t *testing.T) {
	good := DefaultTraces()
	for endpoint, want := range map[string]string{
		"http://127.0.0.1:4318":            "http://127.0.0.1:4318/v1/traces",
		"https://collector.example/":       "https://collector.example/v1/traces",
		"https://c.example/otlp":           "https://c.example/otlp/v1/traces",
		"https://c.example/otlp/v1/traces": "https://c.example/otlp/v1/traces",
	} {
		good.Endpoint = endpoint
		if got, err := good.url(); err != nil || got != want || good.Validate() != nil {
			t.Errorf("%s: traces go to %s, %v, want %s", endpoint, got, err, want)
		}
	}
	for what, tt := range map[string]struct {
		cfg  TraceConfig
		want string
	}{
		"no scheme":        {TraceConfig{Endpoint: "secret:4318"}, "--traces-endpoint"},
		"another protocol": {TraceConfig{Endpoint: "grpc://secret:4317"}, "--traces-endpoint"},
		"a user":           {TraceConfig{Endpoint: "https://me:secret@c.example"}, "--traces-endpoint"},
		"a query":          {TraceConfig{Endpoint: "https://c.example?key=secret"}, "--traces-endpoint"},
		"too much":         {TraceConfig{Ratio: 1.1}, "--traces-ratio"},
		"too little":       {TraceConfig{Ratio: -0.1}, "--traces-ratio"},
		"no name":          {TraceConfig{Headers: map[string]string{"a b": "secret"}}, "--traces-headers"},
		"no value":         {TraceConfig{Headers: map[string]string{"a": "secret\n"}}, "--traces-headers"},
	} {
		if err := tt.cfg.Validate(); err == nil || !strings.Contains(err.Error(), tt.want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: Validate = %v, want %s and no secret", what, err, tt.want)
		}
	}
}

func TestTracesAreOff(t *testing.T) {
	off, stop, err := OpenTraces(DefaultTraces(), "v", NewMetrics("v", "c"), zap.NewNop())
	if off != nil || err != nil {
		t.Fatalf("OpenTraces without an endpoint = %v, %v, want nil", off, err)
	}
	stop()
	if off.Working() || off.Transport(http.DefaultTransport) != http.DefaultTransport || off.Limiter(denying{}) != (denying{}) {
		t.Error("traces that are off wrap something")
	}
	ctx, o := t.Context(), Observer{NewMetrics("v", "c"), off}
	if n := testing.AllocsPerRun(100, func() { measured(ctx, o, nil) }); n > 0 {
		t.Errorf("an operation of the storage makes %v allocations, want 0", n)
	}
}

// exporter takes spans as take says.
type exporter struct {
	mu    sync.Mutex
	spans int
	take  func(context.Context) error
}

func (e *exporter) ExportSpans(ctx context.Context, spans []sdktrace.ReadOnlySpan) error {
	err := e.take(ctx)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil {
		e.spans += len(spans)
	}
	return err
}

func (e *exporter) Shutdown(context.Context) error { return nil }

// ended is a span that has ended and is kept.
var ended = tracetest.SpanStub{SpanContext: trace.NewSpanContext(trace.SpanContextConfig{TraceFlags: trace.FlagsSampled})}.Snapshot()

func TestQueue(t *testing.T) {
	hangs := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
	for name, tt := range map[string]struct {
		take     func(context.Context) error
		exported int
		failed   int
		dropped  int
		lines    int
		stop     time.Duration // what Shutdown takes
	}{
		"takes":   {func(context.Context) error { return nil }, 5000, 0, 0, 0, 0},
		"refuses": {func(context.Context) error { return errors.New("no") }, 0, 5000, 0, 1, 0},
		// The first batch hangs for ten seconds, then those that had room, then
		// there is no more time.
		"hangs": {hangs, 0, maxWaiting + batchSpans, 5000 - maxWaiting - batchSpans, 1, flushTimeout},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				core, logs := observer.New(zapcore.InfoLevel)
				m := NewMetrics("v", "c")
				q := newQueue(&exporter{take: tt.take}, m, zap.New(core))
				for n := range 5000 {
					q.OnEnd(ended)
					if n == 600 {
						synctest.Wait() // the first batch is under way
					}
					if tt.dropped == 0 {
						synctest.Wait()
					}
				}
				ctx, cancel := context.WithTimeout(t.Context(), flushTimeout)
				defer cancel()
				begun := time.Now()
				_ = q.Shutdown(ctx)
				if took := time.Since(begun); took != tt.stop {
					t.Errorf("Shutdown takes %v, want %v", took, tt.stop)
				}
				got := scrape(t, m)
				for outcome, n := range map[string]int{"exported": tt.exported, "failed": tt.failed, "dropped": tt.dropped} {
					line := fmt.Sprintf("orgd_trace_spans_total{outcome=%q} %d\n", outcome, n)
					if n > 0 && !strings.Contains(got, line) || n == 0 && strings.Contains(got, fmt.Sprintf("spans_total{outcome=%q}", outcome)) {
						t.Errorf("the metrics lack %s", line)
					}
				}
				if logs.Len() != tt.lines {
					t.Errorf("the log has %d lines, want %d", logs.Len(), tt.lines)
				}
			})
		})
	}
}

// What goes wrong for long is told once a minute, and what is not kept is not
// sent.
func TestQueueComplainsOnceAMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core, logs := observer.New(zapcore.InfoLevel)
		q := newQueue(&exporter{take: func(context.Context) error { return errors.New("no") }}, NewMetrics("v", "c"), zap.New(core))
		defer q.Shutdown(t.Context())
		q.OnEnd(tracetest.SpanStub{}.Snapshot())
		time.Sleep(time.Minute)
		if logs.Len() != 0 || q.failing.Load() {
			t.Errorf("the log has %v, want nothing of spans that are not kept", logs.All())
		}
		for range 150 { // seconds
			q.OnEnd(ended)
			time.Sleep(time.Second)
		}
		if logs.Len() != 3 {
			t.Errorf("the log has %d lines, want one for each minute", logs.Len())
		}
	})
}

// answers answers requests one after the other, without a network.
type answers struct {
	left []func(*http.Request) (*http.Response, error)
	at   []time.Duration // when requests came
	from time.Time
}

func (a *answers) RoundTrip(r *http.Request) (*http.Response, error) {
	a.at = append(a.at, time.Since(a.from))
	next := a.left[0]
	if len(a.left) > 1 {
		a.left = a.left[1:]
	}
	return next(r)
}

func status(code int, header ...string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		h := http.Header{}
		if len(header) == 2 {
			h.Set(header[0], header[1])
		}
		return &http.Response{StatusCode: code, Header: h, Body: io.NopCloser(strings.NewReader(""))}, nil
	}
}

func refuses(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }

func hangs(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestUpload(t *testing.T) {
	type way = func(*http.Request) (*http.Response, error)
	for name, tt := range map[string]struct {
		answers []way
		good    bool
		tries   int           // at most; 0: as many as there is time for
		second  time.Duration // the earliest time of the second try
	}{
		"taken":               {[]way{status(200)}, true, 1, 0},
		"later":               {[]way{status(503), status(429), status(502), status(200)}, true, 4, firstWait / 2},
		"not before":          {[]way{status(503, "Retry-After", "3"), status(200)}, true, 2, 3 * time.Second},
		"too late":            {[]way{status(503, "Retry-After", "60"), status(200)}, false, 1, 0},
		"not understood":      {[]way{status(400)}, false, 1, 0},
		"moved":               {[]way{status(307)}, false, 1, 0},
		"restarted":           {[]way{refuses, refuses, status(200)}, true, 3, firstWait / 2},
		"gone":                {[]way{refuses}, false, 0, 0},
		"hanging":             {[]way{hangs}, false, 2, uploadTimeout},
		"hanging, then not":   {[]way{hangs, status(200)}, true, 2, uploadTimeout},
		"nonsense for a time": {[]way{status(503, "Retry-After", "soon"), status(200)}, true, 2, firstWait / 2},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				u := newUploader("http://c.example/v1/traces", map[string]string{"Authorization": "Bearer x"})
				a := &answers{left: tt.answers, from: time.Now()}
				u.client.Transport = a
				ctx, cancel := context.WithTimeout(t.Context(), exportTimeout)
				defer cancel()
				err := u.UploadTraces(ctx, nil)
				if (err == nil) != tt.good || tt.tries > 0 && len(a.at) != tt.tries || time.Since(a.from) > exportTimeout {
					t.Errorf("UploadTraces = %v after %v, with tries at %v, want good: %t with %d", err, time.Since(a.from), a.at, tt.good, tt.tries)
				}
				if tt.second > 0 && a.at[1] < tt.second {
					t.Errorf("the second try is at %v, want it not before %v", a.at[1], tt.second)
				}
				if err != nil && strings.Contains(err.Error(), "Bearer") {
					t.Errorf("UploadTraces = %v holds a header", err)
				}
			})
		})
	}
}

// A real collector gets the spans and the headers, also the last ones.
func TestSpansArrive(t *testing.T) {
	t.Setenv("OTEL_SERVICE_NAME", "orgd-test")
	t.Setenv("OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=test")
	c := collector.Start(t)
	m := NewMetrics("v", "c")
	traces, stop, err := OpenTraces(TraceConfig{Endpoint: c.URL, Ratio: 1, Headers: map[string]string{"Authorization": "Bearer x"}}, "v9", m, zap.NewNop())
	if err != nil {
		t.Fatalf("OpenTraces = %v", err)
	}
	r := httptest.NewRequestWithContext(t.Context(), "MADE-UP", "/agents/x?secret", nil)
	request := traces.Serve(r, "/agents/{agent}")
	ctx := request.In(r.Context())
	if _, err := traces.Limiter(denying{}).Admit(ctx, limit.Ask{}); err != nil {
		t.Errorf("Admit = %v", err)
	}
	traces.Command(ctx, "find", "agents", "orgd").End(nil)
	traces.Command(ctx, "ping", "", "admin").Failed("command failed")
	traces.Begin(ctx, "store ", "left").End(context.Canceled)
	traces.Begin(t.Context(), "store ", "nobody asked").End(nil)
	client := &http.Client{Transport: traces.Transport(&answers{left: []func(*http.Request) (*http.Response, error){status(200), status(404), refuses}})}
	for range 3 {
		out, err := http.NewRequestWithContext(ctx, "POST", "https://hook.example/secret", nil)
		if err != nil {
			t.Fatal(err)
		}
		if answer, err := client.Do(out); err == nil {
			answer.Body.Close()
		}
	}
	request.Answered(500, "id-1")
	if !traces.Working() {
		t.Error("Working = false before anything was sent")
	}
	stop()

	s := c.Named(t, "HTTP /agents/{agent}", "")
	if s.Parent != "" || !s.Failed || s.Attributes["http.request.method"] != "_OTHER" || s.Resource["service.name"] != "orgd-test" ||
		s.Resource["service.version"] != "v9" || s.Resource["deployment.environment.name"] != "test" || s.Resource["telemetry.sdk.language"] != "go" {
		t.Errorf("the span of the request is %s of %v", s.Text, s.Resource)
	}
	if got := c.Named(t, "redis limits.admit", s.ID); got.Attributes["orgd.limits.denied"] != "true" || got.Attributes["db.system.name"] != "redis" {
		t.Errorf("the span of the limiter is %s", got.Text)
	}
	if got := c.Named(t, "find agents", s.ID); got.Attributes["db.system.name"] != "mongodb" || got.Attributes["db.collection.name"] != "agents" || got.Attributes["db.namespace"] != "orgd" || got.Failed {
		t.Errorf("the span of a command is %s", got.Text)
	}
	if got := c.Named(t, "ping", s.ID); !got.Failed {
		t.Errorf("the span of a command that failed is %s", got.Text)
	}
	if got := c.Named(t, "store left", s.ID); got.Failed || len(got.Attributes) > 0 {
		t.Errorf("the span of what a client has left is %s", got.Text)
	}
	var outcomes []string
	for _, got := range c.Spans() {
		if got.Name == "POST" {
			outcomes = append(outcomes, got.Attributes["http.response.status_code"]+got.Attributes["error.type"])
		}
		if strings.Contains(got.Text, "secret") || strings.Contains(got.Name, "nobody") || strings.Contains(got.Text, "MADE-UP") {
			t.Errorf("there is a span %s", got.Text)
		}
	}
	if strings.Join(outcomes, " ") != "200 404404 no answer" {
		t.Errorf("requests to others ended %q", outcomes)
	}
	for _, r := range c.Requests() {
		if r.Header.Get("Authorization") != "Bearer x" {
			t.Errorf("the collector was sent the headers %v", r.Header)
		}
	}
	if want := "orgd_trace_spans_total{outcome=\"exported\"} 8\n"; !strings.Contains(scrape(t, m), want) {
		t.Errorf("GET /metrics lacks %s", want)
	}
}

// A collector that cannot be used is waited for by nobody but who stops, and by him
// for some seconds.
func TestCollectorIsLost(t *testing.T) {
	c := collector.Start(t)
	hanging := make(chan struct{})
	for name, how := range map[string]http.HandlerFunc{
		"refuses": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"hangs":   func(_ http.ResponseWriter, r *http.Request) { <-hanging },
	} {
		t.Run(name, func(t *testing.T) {
			c.Answer(how)
			m := NewMetrics("v", "c")
			traces, stop, err := OpenTraces(TraceConfig{Endpoint: c.URL, Ratio: 1}, "v", m, zap.NewNop())
			if err != nil {
				t.Fatalf("OpenTraces = %v", err)
			}
			begun := time.Now()
			for range 100 {
				r := httptest.NewRequestWithContext(t.Context(), "GET", "/", nil)
				traces.Serve(r, "/").Answered(200, "x")
			}
			if took := time.Since(begun); took > 2*uploadTimeout {
				t.Errorf("a hundred requests took %v", took)
			}
			begun = time.Now()
			stop()
			if took := time.Since(begun); took > flushTimeout+10*time.Second {
				t.Errorf("stop took %v, want at most about %v", took, flushTimeout)
			}
			if want := "orgd_trace_spans_total{outcome=\"failed\"} 100\n"; !strings.Contains(scrape(t, m), want) || traces.Working() {
				t.Errorf("GET /metrics lacks %s, or the traces are said to work", want)
			}
		})
	}
	close(hanging)
}
