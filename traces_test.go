package orgd

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"go.uber.org/zap/zaptest/observer"

	"orgd/test/collector"
)

// The trace of a caller, of which everything that is done for him becomes a part.
const (
	callersTrace = "0af7651916cd43dd8448eb211c80319c"
	callersSpan  = "b7ad6b7169203331"
	traceparent  = "00-" + callersTrace + "-" + callersSpan + "-01"
)

// traced is the default configuration with a collector.
func traced(t *testing.T, c *collector.Collector) Config {
	t.Helper()
	cfg := config(t)
	cfg.Traces.Endpoint = c.URL
	return cfg
}

// send sends a request to the service, in the caller's trace.
func send(a *App, method, path, body string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+a.AdminToken())
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Traceparent", traceparent)
	a.Handler().ServeHTTP(w, r)
	return w
}

// A request is a span below the caller's, its use case one below that, and the
// operations of the storage are below the use case. The log names the trace.
func TestTraceOfARequest(t *testing.T) {
	c := collector.Start(t)
	core, logs := observer.New(zapcore.InfoLevel)
	a, stop, err := Build(t.Context(), traced(t, c), zap.New(core))
	if err != nil {
		t.Fatalf("Build = %v", err)
	}
	const canary = "canary-in-a-body"
	w := send(a, http.MethodPost, "/api/v1/departments?canary-in-a-query", `{"name":"Sales","description":"`+canary+`"}`)
	if w.Code != http.StatusCreated {
		t.Fatalf("POST /departments = %d %s, want 201", w.Code, w.Body)
	}
	if !strings.Contains(get(a, "/api/v1/capabilities", a.AdminToken()).Body.String(), `"telemetry":true`) {
		t.Error("GET /capabilities does not show telemetry")
	}
	token := a.AdminToken()
	stop() // which sends what is waiting

	server := c.Named(t, "POST /api/v1/departments", callersSpan)
	useCase := c.Named(t, "departments.create", server.ID)
	store := c.Named(t, "store departments.create", useCase.ID)
	for _, s := range c.Spans() {
		if s.Trace == callersTrace && s.Failed {
			t.Errorf("%s is marked as failed", s.Name)
		}
		for _, secret := range []string{"canary", token} {
			if strings.Contains(s.Text, secret) {
				t.Errorf("%s holds %s: %s", s.Name, secret, s.Text)
			}
		}
	}
	if server.Kind != "SPAN_KIND_SERVER" || store.Trace != callersTrace {
		t.Errorf("the request is of kind %s, the operation of the storage in trace %s", server.Kind, store.Trace)
	}
	for name, want := range map[string]string{
		"http.request.method": "POST", "http.route": "/api/v1/departments", "url.path": "/api/v1/departments", "url.scheme": "http",
		"http.response.status_code": "201", "orgd.request_id": w.Header().Get("X-Request-Id"),
	} {
		if got := server.Attributes[name]; got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if server.Resource["service.name"] != "orgd" || server.Resource["service.version"] != Version().Version || server.Resource["service.instance.id"] == "" {
		t.Errorf("the resource is %v, want which program this is", server.Resource)
	}
	lines := logs.FilterMessage("request").FilterField(zap.String("route", "POST /api/v1/departments")).All()
	if len(lines) != 1 || lines[0].ContextMap()["trace_id"] != callersTrace || lines[0].ContextMap()["span_id"] != server.ID {
		t.Errorf("the log has %v, want trace and span of the request", lines)
	}
}

// Whose trace is not kept makes no spans here either, nor do probes and what the
// service does by itself.
func TestWhatIsNotTraced(t *testing.T) {
	c := collector.Start(t)
	a, stop, err := Build(t.Context(), traced(t, c), zap.NewNop())
	if err != nil {
		t.Fatalf("Build = %v", err)
	}
	get(a, "/api/v1/readyz", "")
	r := httptest.NewRequest(http.MethodGet, "/api/v1/company", nil)
	r.Header.Set("Traceparent", strings.TrimSuffix(traceparent, "1")+"0")
	a.Handler().ServeHTTP(httptest.NewRecorder(), r)
	for _, j := range a.backgroundJobs() {
		if err := j.Run(t.Context()); err != nil {
			t.Errorf("%s = %v", j.Name, err)
		}
	}
	stop()
	if len(c.Spans()) != 0 {
		t.Errorf("there are spans:\n%s", c)
	}
}

// The endpoint of a webhook is told of the trace that the delivery is in.
func TestTraceOfADelivery(t *testing.T) {
	told := make(chan string, 10)
	endpoint := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		told <- r.Header.Get("Traceparent")
	}))
	defer endpoint.Close()
	c := collector.Start(t)
	cfg := traced(t, c)
	cfg.Webhooks.AllowHTTP, cfg.Webhooks.AllowPrivate = true, true
	a, stop, err := Build(t.Context(), cfg, zap.NewNop())
	if err != nil {
		t.Fatalf("Build = %v", err)
	}
	var header string
	ctx, end := context.WithCancel(t.Context())
	err = a.Run(ctx, func(net.Addr) {
		defer end()
		if w := send(a, http.MethodPost, "/api/v1/webhooks", `{"url":"`+endpoint.URL+`/secret-path"}`); w.Code != http.StatusCreated {
			t.Errorf("POST /webhooks = %d %s, want 201", w.Code, w.Body)
			return
		}
		if w := send(a, http.MethodPost, "/api/v1/departments", `{"name":"Sales"}`); w.Code != http.StatusCreated {
			t.Errorf("POST /departments = %d %s, want 201", w.Code, w.Body)
		}
		if w := send(a, http.MethodPost, "/api/v1/agents", `{"name":"Ada","department":"Sales","role":"engineer","level":"senior","model":{"provider":"p","model_id":"m"}}`); w.Code != http.StatusCreated {
			t.Errorf("POST /agents = %d %s, want 201", w.Code, w.Body)
			return
		}
		select {
		case header = <-told:
		case <-time.After(time.Minute):
			t.Error("nothing was delivered in a minute")
		}
	})
	stop()
	if err != nil {
		t.Fatalf("Run = %v", err)
	}
	for _, s := range c.Spans() {
		if s.Kind != "SPAN_KIND_CLIENT" || "00-"+s.Trace+"-"+s.ID+"-01" != header {
			continue
		}
		if s.Name != "POST" || s.Attributes["http.response.status_code"] != "200" || s.Attributes["server.address"] != "127.0.0.1" || strings.Contains(s.Text, "secret-path") {
			t.Errorf("the span of the delivery is %s", s.Text)
		}
		return
	}
	t.Errorf("the endpoint was told of %q, which is none of:\n%s", header, c)
}
