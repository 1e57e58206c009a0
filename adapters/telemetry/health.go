package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// health are the figures about what the process needs to serve.
type health struct {
	ready       prometheus.Gauge
	up          *prometheus.GaugeVec
	certificate *prometheus.GaugeVec // without labels; without a value until there is one
}

func newHealth(r prometheus.Registerer) health {
	h := health{
		ready: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "orgd_ready",
			Help: "1 while the process can answer requests, as readiness says; 0 while its storage does not answer and while it drains.",
		}),
		up: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "orgd_dependency_up",
			Help: "1 while a dependency (storage, redis, token_issuers) can be used, 0 while it cannot. Only those that are configured.",
		}, []string{"dependency"}),
		certificate: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "orgd_tls_certificate_expiry_timestamp_seconds",
			Help: "When the certificate in use expires, in seconds since 1970. Only with TLS.",
		}, nil),
	}
	r.MustRegister(h.ready, h.up, h.certificate)
	return h
}

// Ready notes whether the process can answer requests.
func (h *health) Ready(ready bool) { h.ready.Set(number(ready)) }

// Dependency notes whether something that the service needs, such as "storage",
// can be used.
func (h *health) Dependency(name string, up bool) {
	h.up.WithLabelValues(name).Set(number(up))
}

// CertificateExpires notes when the certificate in use expires.
func (h *health) CertificateExpires(at time.Time) {
	h.certificate.WithLabelValues().Set(float64(at.Unix()))
}

// number is how a gauge shows yes and no.
func number(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}
