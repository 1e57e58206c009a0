// Package monitoring checks deployments/monitoring: that the dashboard and the
// rules name nothing but metrics that exist, and that the rules do what they say.
package monitoring

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"orgd/adapters/telemetry"
)

// read returns a file of deployments/monitoring.
func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

var (
	folder      = filepath.Join("..", "..", "deployments", "monitoring")
	documented  = regexp.MustCompile("(?m)^\\| `(\\w+)(?:\\{([\\w,]+)\\})?` \\| (\\w+) \\|")
	sample      = regexp.MustCompile(`(?m)^((?:go|process)_\w+)(?:\{(.*)\})? `)
	sampleLabel = regexp.MustCompile(`(\w+)="`)
)

// ownMetrics are the metrics of the service with their labels, as docs/metrics.md
// has them, which is written from the registry.
func ownMetrics(t *testing.T) map[string][]string {
	t.Helper()
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "metrics.md"))
	if err != nil {
		t.Fatal(err)
	}
	own := map[string][]string{}
	for _, row := range documented.FindAllStringSubmatch(string(page), -1) {
		name, labels, kind := row[1], strings.Split(row[2], ","), row[3]
		if kind != "histogram" {
			own[name] = labels
			continue
		}
		own[name+"_sum"], own[name+"_count"], own[name+"_bucket"] = labels, labels, append(labels, "le")
	}
	if len(own) < 20 {
		t.Fatalf("docs/metrics.md has only %d metrics", len(own))
	}
	return own
}

// knownMetrics are all that Prometheus has: ours, those of the runtime and the
// process, its own, and those that our rules record.
func knownMetrics(t *testing.T) map[string][]string {
	t.Helper()
	known := ownMetrics(t)
	w := httptest.NewRecorder()
	telemetry.NewMetrics("v", "c").Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	for _, line := range sample.FindAllStringSubmatch(w.Body.String(), -1) {
		known[line[1]] = nil
		for _, l := range sampleLabel.FindAllStringSubmatch(line[2], -1) {
			known[line[1]] = append(known[line[1]], l[1])
		}
	}
	known["orgd_plan_changes"], known["orgd_plan_last_run_timestamp_seconds"] = nil, nil // of orgd plan
	known["up"], known["ALERTS"] = nil, []string{"alertname", "alertstate"}
	for _, r := range rules(t) {
		if r.Record != "" {
			known[r.Record] = nil
		}
	}
	return known
}
