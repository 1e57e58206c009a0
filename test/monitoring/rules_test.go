package monitoring

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.yaml.in/yaml/v3"
)

// rule is one rule, of either kind.
type rule struct {
	Record, Alert, Expr, For string
	Labels, Annotations      map[string]string
}

func rules(t *testing.T) (all []rule) {
	t.Helper()
	var file struct{ Groups []struct{ Rules []rule } }
	if err := yaml.Unmarshal(read(t, "rules.yaml"), &file); err != nil {
		t.Fatal(err)
	}
	for _, g := range file.Groups {
		all = append(all, g.Rules...)
	}
	return all
}

func TestRulesNameWhatExists(t *testing.T) {
	known := knownMetrics(t)
	for _, r := range rules(t) {
		check(t, r.Record+r.Alert, r.Expr, known)
	}
}

// recorded is how recorded metrics are called: what is left of the labels, what
// it is, what was done.
var recorded = regexp.MustCompile(`^job:[a-z_]+:[a-z0-9_]+$`)

// Who is woken learns what is wrong, for whom, and where it says what to do.
func TestAlertsExplainThemselves(t *testing.T) {
	for _, r := range rules(t) {
		if r.Alert == "" {
			if !recorded.MatchString(r.Record) {
				t.Errorf("%s is no name for a recorded metric", r.Record)
			}
			continue
		}
		if s := r.Labels["severity"]; s != "critical" && s != "warning" {
			t.Errorf("%s has the severity %q", r.Alert, s)
		}
		if !strings.HasPrefix(r.Alert, "Orgd") || !strings.Contains(r.Expr, `job`) {
			t.Errorf("%s is not about this service alone", r.Alert)
		}
		if r.For == "" && !strings.Contains(r.Expr, "changes(") {
			t.Errorf("%s fires at a moment's trouble", r.Alert)
		}
		if r.Annotations["summary"] == "" || !strings.HasSuffix(r.Annotations["description"], ".") {
			t.Errorf("%s: summary %q, description %q", r.Alert, r.Annotations["summary"], r.Annotations["description"])
		}
		if got, want := r.Annotations["runbook_url"], "https://orgd.invalid/docs/runbook.md#"+strings.ToLower(r.Alert); got != want {
			t.Errorf("%s leads to %s, want %s", r.Alert, got, want)
		}
	}
}

// Each alert has a heading of its own in the runbook, to which its URL leads, and
// no other heading there is named like one.
func TestAlertsAreInTheRunbook(t *testing.T) {
	page, err := os.ReadFile(filepath.Join("..", "..", "docs", "runbook.md"))
	if err != nil {
		t.Fatal(err)
	}
	headings := map[string]int{}
	for _, h := range regexp.MustCompile(`(?m)^#+ (Orgd\w*)$`).FindAllStringSubmatch(string(page), -1) {
		headings[h[1]]++
	}
	alerts := map[string]int{}
	for _, r := range rules(t) {
		if r.Alert != "" {
			alerts[r.Alert] = 1
		}
	}
	if diff := cmp.Diff(alerts, headings); diff != "" {
		t.Errorf("headings of docs/runbook.md (-alerts +headings):\n%s", diff)
	}
}

// Of each alert a test shows that it fires, and one that it does not.
func TestAlertsAreTested(t *testing.T) {
	var file struct {
		Tests []struct {
			Checks []struct {
				Alert string `yaml:"alertname"`
				Fires []any  `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		}
	}
	if err := yaml.Unmarshal(read(t, "rules_test.yaml"), &file); err != nil {
		t.Fatal(err)
	}
	fires, silent := map[string]bool{}, map[string]bool{}
	for _, test := range file.Tests {
		for _, c := range test.Checks {
			if len(c.Fires) > 0 {
				fires[c.Alert] = true
			} else {
				silent[c.Alert] = true
			}
		}
	}
	for _, r := range rules(t) {
		if r.Alert != "" && !(fires[r.Alert] && silent[r.Alert]) {
			t.Errorf("%s: tested that it fires: %t, that it does not: %t", r.Alert, fires[r.Alert], silent[r.Alert])
		}
	}
}

// promtoolVariable names Prometheus's promtool.
const promtoolVariable = "ORGD_TEST_PROMTOOL"

func TestPromtool(t *testing.T) {
	promtool := os.Getenv(promtoolVariable)
	if promtool == "" {
		t.Skipf("SKIPPED: %s does not name promtool; make ci sets it", promtoolVariable)
	}
	for _, args := range [][]string{{"check", "rules", "rules.yaml"}, {"test", "rules", "rules_test.yaml"}} {
		t.Run(args[0], func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command(promtool, args...)
			cmd.Dir = folder
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("promtool %s: %v\n%s", strings.Join(args, " "), err, out)
			}
		})
	}
}
