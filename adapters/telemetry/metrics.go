// Package telemetry measures the service and shows the figures in the format
// of Prometheus.
package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"go.uber.org/zap"
)

// Metrics are the figures of one process, in a registry of their own. Its
// methods are safe for concurrent use. A vector without labels has no value
// until it is told one.
type Metrics struct {
	registry *prometheus.Registry

	requests  *prometheus.HistogramVec
	inFlight  prometheus.Gauge
	limiter   *prometheus.CounterVec
	shared    *prometheus.GaugeVec
	fallbacks prometheus.Counter
	streams   prometheus.Gauge
	stalled   prometheus.Gauge
	ended     *prometheus.CounterVec
	store     *prometheus.HistogramVec

	attempts *prometheus.HistogramVec // to deliver to webhooks
	pending  prometheus.Gauge
	late     prometheus.Gauge

	auditMissed *prometheus.CounterVec
	ready       prometheus.Gauge
	up          *prometheus.GaugeVec
	certificate *prometheus.GaugeVec

	failing  *prometheus.GaugeVec // by background task
	reported *prometheus.CounterVec
	spans    *prometheus.CounterVec

	database, writeAheadLog, diskFree, diskSize *prometheus.GaugeVec

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
	m := &Metrics{registry: prometheus.NewRegistry(), children: map[requestKey]prometheus.Observer{}}
	m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	r := registrar{promauto.With(m.registry)}
	r.NewGauge(prometheus.GaugeOpts{
		Name:        "orgd_build_info",
		Help:        "Always 1; the labels say what runs.",
		ConstLabels: prometheus.Labels{"version": version, "commit": commit, "go_version": runtime.Version()},
	}).Set(1)
	m.registerRequests(r)
	m.registerWebhooks(r)
	m.registerHealth(r)
	m.registerUpkeep(r)
	return m
}

// registrar makes metrics and registers them.
type registrar struct{ promauto.Factory }

func (r registrar) gauge(name, help string) prometheus.Gauge {
	return r.NewGauge(prometheus.GaugeOpts{Name: name, Help: help})
}

func (r registrar) gauges(name, help string, labels ...string) *prometheus.GaugeVec {
	return r.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
}

func (r registrar) counters(name, help string, labels ...string) *prometheus.CounterVec {
	return r.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
}

func (r registrar) histograms(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	return r.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
}

func (m *Metrics) registerRequests(r registrar) {
	m.requests = r.histograms("http_server_request_duration_seconds",
		"Duration of HTTP requests, by route pattern, method and status code.",
		[]float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}, "route", "method", "code")
	m.inFlight = r.gauge("http_server_in_flight_requests", "HTTP requests that are being served.")
	m.limiter = r.counters("orgd_limiter_decisions_total",
		"Decisions of the limiter, by limit and decision (admitted, denied). A request counts in every limit that admits it, or in the one that denies it.",
		"limit", "decision")
	m.shared = r.gauges("orgd_limiter_shared",
		"1 while limits are shared through Redis, 0 while this process admits its part. Only with Redis.")
	m.fallbacks = r.NewCounter(prometheus.CounterOpts{
		Name: "orgd_limiter_fallbacks_total",
		Help: "Requests that this process decided on by itself because Redis could not be used.",
	})
	m.streams = r.gauge("orgd_stream_subscribers", "Clients that follow the stream of events.")
	m.stalled = r.gauge("orgd_stream_stalled_seconds",
		"How long this process has not got on with the log of events although there is more of it; 0 while it does.")
	m.ended = r.counters("orgd_stream_ends_total",
		"Streams of events that have ended, by reason (client, session, drain, slow, failed).", "reason")
	m.store = r.histograms("orgd_store_operation_duration_seconds",
		"Duration of storage operations, by operation and outcome (ok, error). A refusal by a rule is ok.",
		[]float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5}, "operation", "outcome")
}

func (m *Metrics) registerWebhooks(r registrar) {
	m.attempts = r.histograms("orgd_webhook_attempt_duration_seconds",
		"Duration of attempts to deliver to webhooks, by outcome (delivered, retried, failed: given up, returned: called off by a shutdown).",
		[]float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}, "outcome")
	m.pending = r.gauge("orgd_webhook_pending_deliveries",
		"Deliveries to enabled webhooks that are not done, up to 10000 of each webhook. Every replica shows all of them.")
	m.late = r.gauge("orgd_webhook_lateness_seconds",
		"How long the delivery to an enabled webhook that is due longest has been due; it grows when deliveries do not get on. Every replica shows the same.")
}

func (m *Metrics) registerHealth(r registrar) {
	m.ready = r.gauge("orgd_ready",
		"1 while the process can answer requests, as readiness says; 0 while its storage does not answer and while it drains.")
	m.up = r.gauges("orgd_dependency_up",
		"1 while a dependency (storage, redis, token_issuers) can be used, 0 while it cannot. Only those that are configured.", "dependency")
	m.certificate = r.gauges("orgd_tls_certificate_expiry_timestamp_seconds",
		"When the certificate in use expires, in seconds since 1970. Only with TLS.")
}

// registerUpkeep makes the figures about what is done beside requests, and about the
// storage that it looks after.
func (m *Metrics) registerUpkeep(r registrar) {
	m.failing = r.gauges("orgd_task_failing", "1 if the last turn of a background task failed, 0 if it went well.", "task")
	m.reported = r.counters("orgd_reported_events_total", "Events that agents have reported, by outcome (accepted, duplicate).", "outcome")
	m.spans = r.counters("orgd_trace_spans_total",
		"Spans of traces that have ended, by outcome (exported, failed: the collector did not take them, dropped: too many waited for it). Only with traces.",
		"outcome")
	m.auditMissed = r.counters("orgd_audit_log_missed_total", "Audit entries that were left out of standard output, because nobody read it. Only with --audit-log.")
	m.database = r.gauges("orgd_store_database_bytes", "Size of the database file. Only with SQLite.")
	m.writeAheadLog = r.gauges("orgd_store_log_bytes", "Size of the write-ahead log beside the database file. Only with SQLite.")
	m.diskFree = r.gauges("orgd_store_disk_free_bytes", "Room that is left to the service on the disk of the data directory. Only with SQLite.")
	m.diskSize = r.gauges("orgd_store_disk_size_bytes", "Size of the disk of the data directory. Only with SQLite.")
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

// Bounds of the metrics listener, which serves one small page.
const (
	metricsTimeout = 10 * time.Second
	metricsHeaders = 16 << 10 // bytes
)

// Serve shows the metrics under GET /metrics of a listener of their own, until the
// returned function is called. It returns an error if addr, HOST:PORT, is not free.
func (m *Metrics) Serve(ctx context.Context, addr string, log *zap.Logger) (stop func(), err error) {
	var lc net.ListenConfig
	listener, err := lc.Listen(ctx, "tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("listen for metrics: %w", err)
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", m.Handler())
	srv := &http.Server{
		Handler: mux, ReadTimeout: metricsTimeout, WriteTimeout: metricsTimeout,
		IdleTimeout: time.Minute, MaxHeaderBytes: metricsHeaders,
		ErrorLog: zap.NewStdLog(log.Named("metrics")),
	}
	served := make(chan error, 1)
	go func() { served <- srv.Serve(listener) }()
	log.Info("metrics are shown", zap.Stringer("addr", listener.Addr()))
	return func() {
		err := srv.Close()
		if err = errors.Join(err, <-served); !errors.Is(err, http.ErrServerClosed) {
			log.Error("the metrics listener failed", zap.Error(err))
		}
	}, nil
}
