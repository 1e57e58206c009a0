// Package telemetry measures the service and shows the figures in the format
// of Prometheus.
package telemetry

import (
	"context"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"orgd/domain/limit"
	"orgd/ports"
)

// Metrics are the figures of one process, in a registry of their own. Its
// methods are safe for concurrent use.
type Metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.HistogramVec
	inFlight  prometheus.Gauge
	limiter   *prometheus.CounterVec
	shared    *prometheus.GaugeVec // without labels; without a value until it is told
	fallbacks prometheus.Counter
	streams   prometheus.Gauge
	ended     *prometheus.CounterVec
	store     *prometheus.HistogramVec

	deliveries
	health
	upkeep

	mu       sync.RWMutex
	children map[requestKey]prometheus.Observer // of requests
}

// requestKey is one series of requests. Looking it up here costs no allocation,
// which a look-up by label values does.
type requestKey struct {
	route, method string
	code          int
}

// NewMetrics returns metrics that have counted nothing, of a program with this
// version and commit.
func NewMetrics(version, commit string) *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "http_server_request_duration_seconds",
			Help:    "Duration of HTTP requests, by route pattern, method and status code.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"route", "method", "code"}),
		inFlight: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "http_server_in_flight_requests",
			Help: "HTTP requests that are being served.",
		}),
		limiter: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orgd_limiter_decisions_total",
			Help: "Decisions of the limiter, by limit and decision (admitted, denied). A request counts in every limit that admits it, or in the one that denies it.",
		}, []string{"limit", "decision"}),
		shared: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "orgd_limiter_shared",
			Help: "1 while limits are shared through Redis, 0 while this process admits its part. Only with Redis.",
		}, nil),
		fallbacks: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "orgd_limiter_fallbacks_total",
			Help: "Requests that this process decided on by itself because Redis could not be used.",
		}),
		streams: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "orgd_stream_subscribers",
			Help: "Clients that follow the stream of events.",
		}),
		ended: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orgd_stream_ends_total",
			Help: "Streams of events that have ended, by reason (client, session, drain, slow, failed).",
		}, []string{"reason"}),
		store: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "orgd_store_operation_duration_seconds",
			Help:    "Duration of storage operations, by operation and outcome (ok, error). A refusal by a rule is ok.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5},
		}, []string{"operation", "outcome"}),
		children: map[requestKey]prometheus.Observer{},
	}
	m.registry.MustRegister(
		m.requests, m.inFlight, m.limiter, m.shared, m.fallbacks, m.streams, m.ended, m.store, buildInfo(version, commit),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	m.deliveries = newDeliveries(m.registry)
	m.health = newHealth(m.registry)
	m.upkeep = newUpkeep(m.registry)
	return m
}

func buildInfo(version, commit string) prometheus.Collector {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "orgd_build_info",
		Help:        "Always 1; the labels say what runs.",
		ConstLabels: prometheus.Labels{"version": version, "commit": commit, "go_version": runtime.Version()},
	})
	info.Set(1)
	return info
}

// Handler shows the metrics, all of them and as text, whatever else a request
// asks for. It asks nobody for a token.
func (m *Metrics) Handler() http.Handler {
	show := promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		plain := r.Clone(r.Context())
		plain.Header.Del("Accept")
		plain.URL.RawQuery = ""
		show.ServeHTTP(w, plain)
	})
}

// Request counts one finished request. route is a pattern of the router, never
// a path; a method that HTTP does not define is counted as "OTHER", so that
// clients cannot make up series.
func (m *Metrics) Request(route, method string, code int, d time.Duration) {
	m.request(requestKey{route, knownMethod(method), code}).Observe(d.Seconds())
}

func (m *Metrics) request(key requestKey) prometheus.Observer {
	m.mu.RLock()
	child, ok := m.children[key]
	m.mu.RUnlock()
	if ok {
		return child
	}
	child = m.requests.WithLabelValues(key.route, key.method, strconv.Itoa(key.code))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.children[key] = child
	return child
}

func knownMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch,
		http.MethodDelete, http.MethodOptions, http.MethodConnect, http.MethodTrace:
		return method
	}
	return otherMethod
}

// otherMethod stands for every method that HTTP does not define.
const otherMethod = "OTHER"

// InFlight adds delta to the requests that are being served: 1 when one begins,
// -1 when it ends.
func (m *Metrics) InFlight(delta int) { m.inFlight.Add(float64(delta)) }

// LimiterDecision counts one decision of the limiter, such as "admitted" or
// "denied", on a limit such as "address" or "agents.create".
func (m *Metrics) LimiterDecision(limit, decision string) {
	m.limiter.WithLabelValues(limit, decision).Inc()
}

// LimitsShared notes whether limits are shared with other replicas, which is
// whether Redis can be used.
func (m *Metrics) LimitsShared(shared bool) {
	m.shared.WithLabelValues().Set(number(shared))
	m.Dependency("redis", shared)
}

// Fallback returns the limiter l, which stands in for a shared one, with its
// decisions counted.
func (m *Metrics) Fallback(l ports.Limiter) ports.Limiter { return fallback{l, m.fallbacks} }

type fallback struct {
	ports.Limiter
	decisions prometheus.Counter
}

func (f fallback) Admit(ctx context.Context, ask limit.Ask) (limit.Grant, error) {
	f.decisions.Inc()
	return f.Limiter.Admit(ctx, ask)
}

// StreamSubscribers adds delta to the clients that follow the stream of events.
func (m *Metrics) StreamSubscribers(delta int) { m.streams.Add(float64(delta)) }

// StreamEnded counts one stream of events that has ended, for a reason such as
// "client" or "drain".
func (m *Metrics) StreamEnded(reason string) { m.ended.WithLabelValues(reason).Inc() }

// StoreOperation counts one finished operation of the storage, such as
// "agents.create".
func (m *Metrics) StoreOperation(op string, d time.Duration, failed bool) {
	outcome := "ok"
	if failed {
		outcome = "error"
	}
	m.store.WithLabelValues(op, outcome).Observe(d.Seconds())
}
