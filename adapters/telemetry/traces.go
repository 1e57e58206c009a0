package telemetry

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"
	"golang.org/x/net/http/httpguts"

	"orgd/adapters/settings"
)

// TraceConfig says where traces go. Start from [DefaultTraces]. The help in the tags
// describes the fields.
type TraceConfig struct {
	// Endpoint is empty if no traces are made.
	Endpoint string `name:"traces-endpoint" placeholder:"URL" help:"Send traces to this collector, OTLP over HTTP, such as http://127.0.0.1:4318."`
	// Ratio: whether other traces are kept is decided where they begin.
	Ratio   float64           `name:"traces-ratio" placeholder:"SHARE" help:"Which share of traces is kept, 0 to 1, of those that begin here."`
	Headers map[string]string `name:"traces-headers" secret:"true" placeholder:"NAME=VALUE" help:"Headers for the collector, such as Authorization. Prefer $ORGD_TRACES_HEADERS_FILE."`
}

// DefaultTraces returns a configuration that lacks nothing but an endpoint.
func DefaultTraces() TraceConfig { return TraceConfig{Ratio: 1} }

// Validate reports every mistake, under the names of the command line. It repeats
// neither the endpoint nor a header: both may hold a secret.
func (c TraceConfig) Validate() error {
	var m settings.Mistakes
	if c.Endpoint != "" {
		_, err := c.url()
		m = append(m, err)
	}
	m.Unless(c.Ratio >= 0 && c.Ratio <= 1, "traces-ratio", "must be 0 to 1")
	for name, value := range c.Headers {
		m.Unless(httpguts.ValidHeaderFieldName(name) && httpguts.ValidHeaderFieldValue(value), "traces-headers", "must be headers of HTTP, NAME=VALUE")
	}
	return m.Err()
}

// tracesPath is where collectors take traces, below their endpoint.
const tracesPath = "/v1/traces"

// url returns where traces are sent to.
func (c TraceConfig) url() (string, error) {
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return "", settings.Mistakef("traces-endpoint", "must be http://HOST:PORT or https://HOST:PORT, without a user")
	}
	if !strings.HasSuffix(u.Path, tracesPath) {
		u = u.JoinPath(tracesPath)
	}
	return u.String(), nil
}

// Traces makes spans of what requests do and has them sent to a collector. A nil
// *Traces makes none: its methods cost next to nothing, and hand back what they
// would wrap. They are safe for concurrent use.
type Traces struct {
	tracer trace.Tracer
	format propagation.TraceContext
	queue  *queue
}

// flushTimeout is how long spans may take to be sent when the service stops.
const flushTimeout = 3 * time.Second

// OpenTraces returns traces of a program with this version, nil if cfg names no
// collector. It does not wait for the collector. The returned function sends what
// is waiting, for some seconds at most. OTEL_SERVICE_NAME and
// OTEL_RESOURCE_ATTRIBUTES say more about the process, as they do everywhere.
func OpenTraces(cfg TraceConfig, version string, m *Metrics, log *zap.Logger) (*Traces, func(), error) {
	if cfg.Endpoint == "" {
		return nil, func() {}, nil
	}
	if err := cfg.Validate(); err != nil {
		return nil, nil, err
	}
	about, err := resource.New(context.Background(),
		resource.WithAttributes(semconv.ServiceName("orgd"), semconv.ServiceVersion(version), semconv.ServiceInstanceID(uuid.NewString())),
		resource.WithFromEnv(), resource.WithTelemetrySDK())
	if err != nil {
		return nil, nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	target, err := cfg.url()
	if err != nil {
		return nil, nil, err
	}
	to := newUploader(target, cfg.Headers)
	q := newQueue(otlptrace.NewUnstarted(to), m, log)
	provider := sdktrace.NewTracerProvider(
		sdktrace.WithSpanProcessor(q), sdktrace.WithResource(about),
		sdktrace.WithSampler(sdktrace.ParentBased(sdktrace.TraceIDRatioBased(cfg.Ratio))),
	)
	stop := func() {
		ctx, cancel := context.WithTimeout(context.Background(), flushTimeout)
		defer cancel()
		if err := provider.Shutdown(ctx); err != nil {
			log.Warn("the last traces were not sent", zap.Error(err))
		}
		to.client.CloseIdleConnections()
	}
	return &Traces{tracer: provider.Tracer("orgd"), queue: q}, stop, nil
}

// Working reports whether there are traces and the collector took the last of
// them.
func (t *Traces) Working() bool { return t != nil && !t.queue.failing.Load() }

// Fields name the span of a request in log lines: trace_id and span_id. There are
// none without a span.
func (t *Traces) Fields(ctx context.Context) []zap.Field {
	if t == nil {
		return nil
	}
	span := trace.SpanContextFromContext(ctx)
	if !span.IsValid() {
		return nil
	}
	return []zap.Field{zap.Stringer("trace_id", span.TraceID()), zap.Stringer("span_id", span.SpanID())}
}

// headers are the headers of a request as the standard for traces reads them.
func headers(h http.Header) propagation.HeaderCarrier { return propagation.HeaderCarrier(h) }
