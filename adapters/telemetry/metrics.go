// Package telemetry measures the service and shows the figures in the format
// of Prometheus.
package telemetry

import (
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics are the figures of one process, in a registry of their own. Its
// methods are safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.HistogramVec
	inFlight prometheus.Gauge
	limiter  *prometheus.CounterVec
	store    *prometheus.HistogramVec

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
			Help: "Decisions of the rate limiter, by limit.",
		}, []string{"limit", "decision"}),
		store: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "orgd_store_operation_duration_seconds",
			Help:    "Duration of storage operations, by operation and outcome.",
			Buckets: []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5},
		}, []string{"operation", "outcome"}),
		children: map[requestKey]prometheus.Observer{},
	}
	m.registry.MustRegister(
		m.requests, m.inFlight, m.limiter, m.store, buildInfo(version, commit),
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
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

// Handler shows the metrics. It asks nobody for a token.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Registry: m.registry})
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
	return "OTHER"
}

// InFlight adds delta to the requests that are being served: 1 when one begins,
// -1 when it ends.
func (m *Metrics) InFlight(delta int) { m.inFlight.Add(float64(delta)) }

// LimiterDecision counts one decision of the limiter, such as "admitted" or
// "denied", on a limit such as "address" or "agents.create".
func (m *Metrics) LimiterDecision(limit, decision string) {
	m.limiter.WithLabelValues(limit, decision).Inc()
}

// StoreOperation counts one finished operation of the storage, such as
// "agents.create".
func (m *Metrics) StoreOperation(op string, d time.Duration, failed bool) {
	outcome := "ok"
	if failed {
		outcome = "error"
	}
	m.store.WithLabelValues(op, outcome).Observe(d.Seconds())
}
