package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"orgd/ports"
)

// upkeep are the figures about what is done beside requests, and about the
// storage that it looks after.
type upkeep struct {
	failing  *prometheus.GaugeVec
	reported *prometheus.CounterVec
	spans    *prometheus.CounterVec
	// Without labels, and without a value where there is no data directory.
	database, writeAheadLog, diskFree, diskSize *prometheus.GaugeVec
}

func newUpkeep(r prometheus.Registerer) upkeep {
	vec := func(name, help string, labels ...string) *prometheus.GaugeVec {
		g := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
		r.MustRegister(g)
		return g
	}
	u := upkeep{
		failing: vec("orgd_task_failing", "1 if the last turn of a background task failed, 0 if it went well.", "task"),
		reported: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orgd_reported_events_total",
			Help: "Events that agents have reported, by outcome (accepted, duplicate).",
		}, []string{"outcome"}),
		spans: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "orgd_trace_spans_total",
			Help: "Spans of traces that have ended, by outcome (exported, failed: the collector did not take them, dropped: too many waited for it). Only with traces.",
		}, []string{"outcome"}),
		database: vec("orgd_store_database_bytes", "Size of the database file. Only with SQLite."),
		writeAheadLog: vec("orgd_store_log_bytes",
			"Size of the write-ahead log beside the database file. Only with SQLite."),
		diskFree: vec("orgd_store_disk_free_bytes", "Room that is left to the service on the disk of the data directory. Only with SQLite."),
		diskSize: vec("orgd_store_disk_size_bytes", "Size of the disk of the data directory. Only with SQLite."),
	}
	r.MustRegister(u.reported, u.spans)
	return u
}

// TaskFailing notes how the last turn of a background task went.
func (u *upkeep) TaskFailing(task string, failing bool) {
	u.failing.WithLabelValues(task).Set(number(failing))
}

// Reported counts the events of one batch.
func (u *upkeep) Reported(c ports.Counted) {
	u.reported.WithLabelValues("accepted").Add(float64(c.Accepted))
	u.reported.WithLabelValues("duplicate").Add(float64(c.Duplicates))
}

// Spans counts spans of traces: "exported", "failed" or "dropped".
func (u *upkeep) Spans(outcome string, n int) {
	u.spans.WithLabelValues(outcome).Add(float64(n))
}

// Files are the sizes of a data directory and of its disk, in bytes.
type Files struct{ Database, Log, DiskFree, DiskSize uint64 }

// StoreFiles notes the sizes of the data directory.
func (u *upkeep) StoreFiles(f Files) {
	u.database.WithLabelValues().Set(float64(f.Database))
	u.writeAheadLog.WithLabelValues().Set(float64(f.Log))
	u.diskFree.WithLabelValues().Set(float64(f.DiskFree))
	u.diskSize.WithLabelValues().Set(float64(f.DiskSize))
}
