// Package collector stands in for a collector of traces: it takes spans as
// OpenTelemetry's protocol says, over HTTP as binary protobuf, and shows what it
// got.
package collector

import (
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"

	commonpb "go.opentelemetry.io/proto/otlp/common/v1"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"
)

// Span is a span as it arrived.
type Span struct {
	Name, Kind        string
	Trace, ID, Parent string // in hexadecimal; Parent is "" at the root
	Attributes        map[string]string
	Resource          map[string]string
	Failed            bool
	// Text is everything that the span says.
	Text string
}

// Collector takes spans. It is safe for concurrent use.
type Collector struct {
	URL string

	mu       sync.Mutex
	spans    []Span
	requests []*http.Request
	answer   http.HandlerFunc // in the place of taking spans; nil: none
	problems []error
}

// Start starts a collector that ends with the test, which fails if the collector
// was sent something that it does not understand.
func Start(t testing.TB) *Collector {
	t.Helper()
	c := &Collector{}
	server := httptest.NewServer(c)
	c.URL = server.URL
	t.Cleanup(func() {
		server.Close()
		for _, err := range c.problems {
			t.Errorf("collector: %v", err)
		}
	})
	return c
}

// Answer answers requests from now on instead of taking what they bring; nil takes
// it again.
func (c *Collector) Answer(how http.HandlerFunc) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.answer = how
}

// ServeHTTP takes spans.
func (c *Collector) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	c.requests = append(c.requests, r)
	answer := c.answer
	c.mu.Unlock()
	if answer != nil {
		answer(w, r)
		return
	}
	spans, err := read(r)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		c.problems = append(c.problems, err)
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	c.spans = append(c.spans, spans...)
	w.Header().Set("Content-Type", "application/x-protobuf")
}

// Spans are all that have arrived.
func (c *Collector) Spans() []Span {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.spans)
}

// Requests are all that have arrived, without their bodies.
func (c *Collector) Requests() []*http.Request {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.requests)
}

// Named returns the one span with this name below a parent; below any if parent
// is "".
func (c *Collector) Named(t testing.TB, name, parent string) Span {
	t.Helper()
	var found []Span
	for _, s := range c.Spans() {
		if s.Name == name && (parent == "" || s.Parent == parent) {
			found = append(found, s)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%d spans %q below %q, want one, in:\n%s", len(found), name, parent, c)
	}
	return found[0]
}

// String lists the spans, a line each.
func (c *Collector) String() string {
	text := ""
	for _, s := range c.Spans() {
		text += fmt.Sprintf("%s %s<%s %s %q %v failed %t\n", s.Trace, s.ID, s.Parent, s.Kind, s.Name, s.Attributes, s.Failed)
	}
	return text
}

func read(r *http.Request) ([]Span, error) {
	if r.Method != http.MethodPost || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
		return nil, fmt.Errorf("%s %s of type %q", r.Method, r.URL, r.Header.Get("Content-Type"))
	}
	text, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	var data tracepb.TracesData
	if err := proto.Unmarshal(text, &data); err != nil {
		return nil, err
	}
	var all []Span
	for _, of := range data.ResourceSpans {
		resource := attributes(of.Resource.GetAttributes())
		for _, scope := range of.ScopeSpans {
			for _, s := range scope.Spans {
				all = append(all, spanOf(s, resource))
			}
		}
	}
	return all, nil
}

func spanOf(s *tracepb.Span, resource map[string]string) Span {
	return Span{
		Name: s.Name, Kind: s.Kind.String(),
		Trace: hex.EncodeToString(s.TraceId), ID: hex.EncodeToString(s.SpanId), Parent: hex.EncodeToString(s.ParentSpanId),
		Attributes: attributes(s.Attributes), Resource: resource,
		Failed: s.Status.GetCode() == tracepb.Status_STATUS_CODE_ERROR,
		Text:   s.String(),
	}
}

func attributes(pairs []*commonpb.KeyValue) map[string]string {
	all := map[string]string{}
	for _, p := range pairs {
		switch v := p.Value.GetValue().(type) {
		case *commonpb.AnyValue_StringValue:
			all[p.Key] = v.StringValue
		case *commonpb.AnyValue_IntValue:
			all[p.Key] = fmt.Sprint(v.IntValue)
		case *commonpb.AnyValue_BoolValue:
			all[p.Key] = fmt.Sprint(v.BoolValue)
		default:
			all[p.Key] = p.Value.String()
		}
	}
	return all
}
