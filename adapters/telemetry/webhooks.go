package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// deliveries are the figures of deliveries to webhooks.
type deliveries struct {
	attempts *prometheus.HistogramVec
	pending  prometheus.Gauge
	late     prometheus.Gauge
}

func newDeliveries(r prometheus.Registerer) deliveries {
	d := deliveries{
		attempts: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "orgd_webhook_attempt_duration_seconds",
			Help:    "Duration of attempts to deliver to webhooks, by outcome (delivered, retried, failed: given up, returned: called off by a shutdown).",
			Buckets: []float64{.01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10},
		}, []string{"outcome"}),
		pending: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "orgd_webhook_pending_deliveries",
			Help: "Deliveries to enabled webhooks that are not done, up to 10000 of each webhook. Every replica shows all of them.",
		}),
		late: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "orgd_webhook_lateness_seconds",
			Help: "How long the delivery to an enabled webhook that is due longest has been due; it grows when deliveries do not get on. Every replica shows the same.",
		}),
	}
	r.MustRegister(d.attempts, d.pending, d.late)
	return d
}

// WebhookAttempt counts one attempt to deliver to a webhook that has ended.
func (d *deliveries) WebhookAttempt(outcome string, took time.Duration) {
	d.attempts.WithLabelValues(outcome).Observe(took.Seconds())
}

// WebhookBacklog notes what is pending.
func (d *deliveries) WebhookBacklog(pending int, late time.Duration) {
	d.pending.Set(float64(pending))
	d.late.Set(late.Seconds())
}
