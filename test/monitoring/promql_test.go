package monitoring

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// uses is what an expression of PromQL names.
type uses struct {
	metrics map[string][]string // with the labels that their selectors name
	labels  []string            // those that results are grouped by
}

// token is a name, a quoted text or a single character.
var token = regexp.MustCompile(`"(?:[^"\\]|\\.)*"|\$?[a-zA-Z_:][a-zA-Z0-9_:]*|[0-9][0-9a-zA-Z_.]*|[^\s]`)

// namesIn reads an expression as far as names go: what stands before an opening
// parenthesis is a function, what stands in parentheses behind by is a label, and
// so is what stands in braces before an operator. Every other name is a metric.
func namesIn(expr string) uses {
	u := uses{metrics: map[string][]string{}}
	tokens := token.FindAllString(expr, -1)
	metric, closing := "", ""
	for i, t := range tokens {
		before, next := "", ""
		if i > 0 {
			before = tokens[i-1]
		}
		if i+1 < len(tokens) {
			next = tokens[i+1]
		}
		switch {
		case closing != "":
			if t == closing {
				closing = ""
			} else if closing == "}" && isName(t) {
				u.metrics[metric] = append(u.metrics[metric], t)
			} else if closing == ")" && isName(t) {
				u.labels = append(u.labels, t)
			}
		case t == "{":
			closing = "}"
		case t == "[":
			closing = "]"
		case t == "(" && slices.Contains(groupings, before):
			closing = ")"
		case isName(t) && !slices.Contains(groupings, t) && !slices.Contains(words, t) && next != "(" && !slices.Contains(groupings, next):
			metric = t
			if _, seen := u.metrics[t]; !seen {
				u.metrics[t] = nil
			}
		}
	}
	return u
}

var (
	groupings = []string{"by", "without", "on", "ignoring", "group_left", "group_right"}
	words     = []string{"and", "or", "unless", "bool", "offset"}
)

var beginsName = regexp.MustCompile(`^[a-zA-Z_:]`)

func isName(t string) bool { return beginsName.MatchString(t) }

func TestNamesIn(t *testing.T) {
	u := namesIn(`sum by (job, le) (rate(a_total{job="x", code=~"5..|\"{b}"}[5m])) / on (host) c:d:e > 14.4 * 0.001 and topk(3, f offset 5m) == 1e3`)
	if len(u.metrics) != 3 || !slices.Equal(u.metrics["a_total"], []string{"job", "code"}) || u.metrics["c:d:e"] != nil || u.metrics["f"] != nil {
		t.Errorf("metrics = %v, want a_total with job and code, c:d:e and f", u.metrics)
	}
	if !slices.Equal(u.labels, []string{"job", "le", "host"}) {
		t.Errorf("labels = %v, want job, le and host", u.labels)
	}
}

// check reports what an expression names that does not exist.
func check(t *testing.T, where, expr string, known map[string][]string) {
	t.Helper()
	u := namesIn(expr)
	if len(u.metrics) == 0 && !strings.HasPrefix(expr, "vector(") {
		t.Errorf("%s: no metric is named in %s", where, expr)
	}
	of := []string{"job", "instance"}
	for metric, selected := range u.metrics {
		labels, ok := known[metric]
		if !ok {
			t.Errorf("%s: there is no metric %s", where, metric)
		}
		of = append(of, labels...)
		for _, l := range selected {
			if l != "job" && l != "instance" && !slices.Contains(labels, l) {
				t.Errorf("%s: %s has no label %s", where, metric, l)
			}
		}
	}
	for _, l := range u.labels {
		if !slices.Contains(of, l) {
			t.Errorf("%s: nothing has the label %s in %s", where, l, expr)
		}
	}
}
