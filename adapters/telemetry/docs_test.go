package telemetry

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

var update = flag.Bool("update", false, "write the table in docs/metrics.md anew")

const metricsPage = "../../docs/metrics.md"

// The marks between which the page has the table.
const tableBegin, tableEnd = "<!-- written by make generate -->\n", "<!-- end -->\n"

// The page has every metric of ours with its type, its labels and its meaning, and
// no other.
func TestMetricsPage(t *testing.T) {
	text, err := os.ReadFile(metricsPage)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, begun := strings.Cut(string(text), tableBegin)
	_, tail, ended := strings.Cut(rest, tableEnd)
	if !begun || !ended {
		t.Fatalf("docs/metrics.md lacks %q or %q", tableBegin, tableEnd)
	}
	want := head + tableBegin + table(t) + tableEnd + tail
	if *update {
		if err := os.WriteFile(metricsPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(text), want); diff != "" {
		t.Errorf("docs/metrics.md is not up to date; run make generate (-page +metrics):\n%s", diff)
	}
}

// table has a row for each metric of ours.
func table(t *testing.T) string {
	m := told()
	families, err := m.registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	left := described(m.registry)
	var b strings.Builder
	b.WriteString("| metric | type | meaning |\n|---|---|---|\n")
	for _, f := range families {
		name := f.GetName()
		if strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_") {
			continue
		}
		delete(left, name)
		fmt.Fprintf(&b, "| `%s%s` | %s | %s |\n", name, labelsOf(f), strings.ToLower(f.GetType().String()), f.GetHelp())
	}
	for name := range left {
		t.Errorf("told tells nothing of %s, so that its type and labels are not known", name)
	}
	return b.String()
}

// labelsOf shows the names of the labels of a metric.
func labelsOf(f *dto.MetricFamily) string {
	var names []string
	for _, l := range f.GetMetric()[0].GetLabel() {
		names = append(names, l.GetName())
	}
	if len(names) == 0 {
		return ""
	}
	return "{" + strings.Join(names, ",") + "}"
}

var fullName = regexp.MustCompile(`fqName: "([^"]+)"`)

// described are the names of all metrics of ours, also of those that have no
// value.
func described(r *prometheus.Registry) map[string]bool {
	descriptions := make(chan *prometheus.Desc)
	go func() {
		r.Describe(descriptions)
		close(descriptions)
	}()
	names := map[string]bool{}
	for d := range descriptions {
		name := fullName.FindStringSubmatch(d.String())[1]
		if strings.HasPrefix(name, "orgd_") || strings.HasPrefix(name, "http_") {
			names[name] = true
		}
	}
	return names
}

// The names follow the conventions of Prometheus.
func TestMetricNames(t *testing.T) {
	families, err := told().registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range families {
		name, help := f.GetName(), f.GetHelp()
		if strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_") {
			continue
		}
		if counts := f.GetType() == dto.MetricType_COUNTER; counts != strings.HasSuffix(name, "_total") {
			t.Errorf("%s: a counter ends in _total, and nothing else does", name)
		}
		if f.GetType() == dto.MetricType_HISTOGRAM && !strings.HasSuffix(name, "_seconds") {
			t.Errorf("%s: a histogram of ours has seconds", name)
		}
		if strings.Contains(name, "milli") || strings.Contains(name, "minutes") || strings.Contains(name, "kilo") {
			t.Errorf("%s: has no base unit", name)
		}
		if help == "" || !strings.HasSuffix(help, ".") || strings.ContainsAny(help, "|\n") {
			t.Errorf("%s: %q is no sentence for a table", name, help)
		}
	}
}
