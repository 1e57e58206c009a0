package telemetry

import (
	"context"
	"errors"
	"net/http"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"
	"go.opentelemetry.io/otel/trace"

	"orgd/domain/fault"
	"orgd/domain/limit"
	"orgd/ports"
)

// Span is a piece of work in a trace. The zero Span is not kept: its methods do
// nothing. No span holds what was said: neither queries nor bodies, tokens or the
// texts of errors.
type Span struct{ span trace.Span }

// Kept reports whether there is anything to do.
func (s Span) Kept() bool { return s.span != nil }

// In returns ctx with what follows from it below the span.
func (s Span) In(ctx context.Context) context.Context {
	if !s.Kept() {
		return ctx
	}
	return trace.ContextWithSpan(ctx, s.span)
}

// End ends the span. A failure of the service marks it. A refusal by a rule only
// leaves its code, and a client that has left nothing.
func (s Span) End(err error) {
	if !s.Kept() {
		return
	}
	if err != nil && !errors.Is(err, context.Canceled) {
		code := fault.Of(err).Code
		s.span.SetAttributes(attribute.Int("orgd.error_code", int(code)))
		if code >= fault.Internal {
			s.fail(strconv.Itoa(int(code)))
		}
	}
	s.span.End()
}

// fail marks the span.
func (s Span) fail(kind string) {
	s.span.SetStatus(codes.Error, "")
	s.span.SetAttributes(semconv.ErrorTypeKey.String(kind))
}

// Begin begins a span below the one in ctx, called what + name. Without one that
// is kept there is nothing to be below, and so no span: what the service does by
// itself makes no traces.
func (t *Traces) Begin(ctx context.Context, what, name string) Span {
	return t.begin(ctx, trace.SpanKindInternal, what, name)
}

func (t *Traces) begin(ctx context.Context, kind trace.SpanKind, what, name string) Span {
	if t == nil || !trace.SpanFromContext(ctx).IsRecording() {
		return Span{}
	}
	_, span := t.tracer.Start(ctx, what+name, trace.WithSpanKind(kind))
	return Span{span}
}

// Serve begins the span of a request that a client sent, in the client's trace if
// the request names one. route is the pattern of the router; empty if none
// matches.
func (t *Traces) Serve(r *http.Request, route string) Span {
	if t == nil {
		return Span{}
	}
	method, scheme := knownMethod(r.Method), "http"
	name := method
	if method == otherMethod {
		name, method = "HTTP", "_OTHER" // as the conventions want it
	}
	if r.TLS != nil {
		scheme = "https"
	}
	attributes := []attribute.KeyValue{semconv.HTTPRequestMethodKey.String(method), semconv.URLPath(r.URL.Path), semconv.URLScheme(scheme)}
	if route != "" {
		name += " " + route
		attributes = append(attributes, semconv.HTTPRoute(route))
	}
	_, span := t.tracer.Start(t.format.Extract(r.Context(), headers(r.Header)), name,
		trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(attributes...))
	return Span{span}
}

// Answered ends the span of a request with the status of its answer and the id
// that the log knows it by.
func (s Span) Answered(status int, id string) {
	if !s.Kept() {
		return
	}
	s.span.SetAttributes(semconv.HTTPResponseStatusCode(status), attribute.String("orgd.request_id", id))
	if status >= http.StatusInternalServerError {
		s.fail(strconv.Itoa(status))
	}
	s.span.End()
}

// Transport returns base with a span for each request that is sent through it,
// which tells the other side of the trace. The path is left out, because it may be
// a secret.
func (t *Traces) Transport(base http.RoundTripper) http.RoundTripper {
	if t == nil {
		return base
	}
	return transport{t, base}
}

type transport struct {
	traces *Traces
	base   http.RoundTripper
}

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) {
	ctx, span := t.traces.tracer.Start(r.Context(), r.Method, trace.WithSpanKind(trace.SpanKindClient), trace.WithAttributes(
		semconv.HTTPRequestMethodKey.String(r.Method), semconv.ServerAddress(r.URL.Hostname()), semconv.ServerPort(portOf(r))))
	defer span.End()
	r = r.Clone(ctx)
	t.traces.format.Inject(ctx, headers(r.Header))
	answer, err := t.base.RoundTrip(r)
	if err != nil {
		Span{span}.fail("no answer")
		return answer, err
	}
	span.SetAttributes(semconv.HTTPResponseStatusCode(answer.StatusCode))
	if answer.StatusCode >= http.StatusBadRequest {
		Span{span}.fail(strconv.Itoa(answer.StatusCode))
	}
	return answer, nil
}

func portOf(r *http.Request) int {
	if port, err := strconv.Atoi(r.URL.Port()); err == nil {
		return port
	}
	if r.URL.Scheme == "https" {
		return 443
	}
	return 80
}

// Limiter returns l, which asks Redis, with a span for each decision. The commands
// themselves carry the questions of several requests, so they belong to none.
func (t *Traces) Limiter(l ports.Limiter) ports.Limiter {
	if t == nil {
		return l
	}
	return limiter{l, t}
}

type limiter struct {
	ports.Limiter
	traces *Traces
}

func (l limiter) Admit(ctx context.Context, ask limit.Ask) (limit.Grant, error) {
	span := l.traces.begin(ctx, trace.SpanKindClient, "redis ", "limits.admit")
	grant, err := l.Limiter.Admit(span.In(ctx), ask)
	if span.Kept() {
		span.span.SetAttributes(semconv.DBSystemNameRedis, semconv.DBOperationName("limits.admit"), attribute.Bool("orgd.limits.denied", grant.Denied != nil))
	}
	span.End(err)
	return grant, err
}

// Command begins the span of a command to a database, such as "find" in the
// collection "agents" of a MongoDB.
func (t *Traces) Command(ctx context.Context, command, collection, database string) Span {
	name := ""
	if collection != "" {
		name = " " + collection
	}
	s := t.begin(ctx, trace.SpanKindClient, command, name)
	if s.Kept() {
		s.span.SetAttributes(semconv.DBSystemNameMongoDB, semconv.DBOperationName(command), semconv.DBNamespace(database))
		if collection != "" {
			s.span.SetAttributes(semconv.DBCollectionName(collection))
		}
	}
	return s
}

// Failed ends the span of something that has failed, for a reason of one word.
func (s Span) Failed(kind string) {
	if !s.Kept() {
		return
	}
	s.fail(kind)
	s.span.End()
}
