package telemetry

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"orgd/domain/limit"
	"orgd/ports"
)

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

// StreamSubscribers adds delta to the clients that follow the log, each by a stream.
func (m *Metrics) StreamSubscribers(delta int) { m.streams.Add(float64(delta)) }

// StreamEnded counts one stream of events that has ended, for a reason such as
// "client" or "drain".
func (m *Metrics) StreamEnded(reason string) { m.ended.WithLabelValues(reason).Inc() }

// LogStalled notes for how long the process has not got on with the log of events.
func (m *Metrics) LogStalled(d time.Duration) { m.stalled.Set(d.Seconds()) }

// StoreOperation counts one finished operation of the storage, such as
// "agents.create".
func (m *Metrics) StoreOperation(op string, d time.Duration, failed bool) {
	outcome := "ok"
	if failed {
		outcome = "error"
	}
	m.store.WithLabelValues(op, outcome).Observe(d.Seconds())
}

// WebhookAttempt counts one attempt to deliver to a webhook that has ended.
func (m *Metrics) WebhookAttempt(outcome string, took time.Duration) {
	m.attempts.WithLabelValues(outcome).Observe(took.Seconds())
}

// WebhookBacklog notes what is pending.
func (m *Metrics) WebhookBacklog(pending int, late time.Duration) {
	m.pending.Set(float64(pending))
	m.late.Set(late.Seconds())
}

// AuditMissed counts audit entries that were left out of standard output.
func (m *Metrics) AuditMissed(entries int) { m.auditMissed.WithLabelValues().Add(float64(entries)) }

// Ready notes whether the process can answer requests.
func (m *Metrics) Ready(ready bool) { m.ready.Set(number(ready)) }

// Dependency notes whether something that the service needs, such as "storage",
// can be used.
func (m *Metrics) Dependency(name string, up bool) { m.up.WithLabelValues(name).Set(number(up)) }

// CertificateExpires notes when the certificate in use expires.
func (m *Metrics) CertificateExpires(at time.Time) {
	m.certificate.WithLabelValues().Set(float64(at.Unix()))
}

// TaskFailing notes how the last turn of a background task went.
func (m *Metrics) TaskFailing(task string, failing bool) {
	m.failing.WithLabelValues(task).Set(number(failing))
}

// number is how a gauge shows yes and no.
func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// Reported counts the events of one batch.
func (m *Metrics) Reported(c ports.Counted) {
	m.reported.WithLabelValues("accepted").Add(float64(c.Accepted))
	m.reported.WithLabelValues("duplicate").Add(float64(c.Duplicates))
}

// Spans counts spans of traces: "exported", "failed" or "dropped".
func (m *Metrics) Spans(outcome string, n int) { m.spans.WithLabelValues(outcome).Add(float64(n)) }

// Files are the sizes of a data directory and of its disk, in bytes.
type Files struct{ Database, Log, DiskFree, DiskSize uint64 }

// StoreFiles notes the sizes of the data directory.
func (m *Metrics) StoreFiles(f Files) {
	m.database.WithLabelValues().Set(float64(f.Database))
	m.writeAheadLog.WithLabelValues().Set(float64(f.Log))
	m.diskFree.WithLabelValues().Set(float64(f.DiskFree))
	m.diskSize.WithLabelValues().Set(float64(f.DiskSize))
}
