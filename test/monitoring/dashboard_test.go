package monitoring

import (
	"encoding/json"
	"strings"
	"testing"
)

type dashboard struct {
	UID, Title string
	Templating struct {
		List []struct {
			Name, Type string
			Query      any
		}
	}
	Panels []panel
}

type panel struct {
	ID                       int
	Type, Title, Description string
	Datasource               source
	GridPos                  struct{ H, W, X, Y int }
	FieldConfig              struct{ Defaults struct{ Unit string } }
	Targets                  []struct {
		RefID      string
		Datasource source
		Expr       string
	}
}

// source is where a panel has its figures from.
type source struct{ Type, UID string }

// chosen is the source that the reader of the dashboard chooses.
var chosen = source{"prometheus", "${datasource}"}

func readDashboard(t *testing.T) (d dashboard) {
	t.Helper()
	if err := json.Unmarshal(read(t, "dashboard.json"), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDashboardNamesWhatExists(t *testing.T) {
	known := knownMetrics(t)
	shown := map[string]bool{}
	for _, p := range readDashboard(t).Panels {
		for _, target := range p.Targets {
			check(t, p.Title, target.Expr, known)
			for metric := range namesIn(target.Expr).metrics {
				shown[whole(metric)] = true
			}
		}
	}
	for metric := range ownMetrics(t) {
		if !shown[whole(metric)] {
			t.Errorf("no panel shows %s", metric)
		}
	}
}

// whole returns the histogram that a series belongs to. A dashboard need not show
// its sum, its count and its buckets.
func whole(series string) string {
	for _, part := range []string{"_sum", "_count", "_bucket"} {
		series = strings.TrimSuffix(series, part)
	}
	return series
}

func TestPanelsExplainThemselves(t *testing.T) {
	d := readDashboard(t)
	if d.Title == "" || d.UID == "" || len(d.Templating.List) == 0 || d.Templating.List[0].Name != "datasource" || d.Templating.List[0].Type != "datasource" {
		t.Errorf("dashboard %q %q lacks a title, an id or the variable of its source", d.Title, d.UID)
	}
	ids, titles := map[int]bool{}, map[string]bool{}
	for _, p := range d.Panels {
		if ids[p.ID] || titles[p.Title] || p.Title == "" {
			t.Errorf("panel %d %q: the id or the title is taken or missing", p.ID, p.Title)
		}
		ids[p.ID], titles[p.Title] = true, true
		if p.Type == "row" {
			continue
		}
		if !strings.HasSuffix(p.Description, ".") || p.FieldConfig.Defaults.Unit == "" || p.Datasource != chosen || len(p.Targets) == 0 {
			t.Errorf("%s: description %q, unit %q, source %v, %d expressions", p.Title, p.Description, p.FieldConfig.Defaults.Unit, p.Datasource, len(p.Targets))
		}
		refs := map[string]bool{}
		for _, target := range p.Targets {
			if target.Datasource != chosen || refs[target.RefID] || !strings.Contains(target.Expr, `$job`) && !strings.HasPrefix(target.Expr, "count(ALERTS") {
				t.Errorf("%s: expression %s %s of %v", p.Title, target.RefID, target.Expr, target.Datasource)
			}
			refs[target.RefID] = true
		}
	}
}

// The panels fill the width, line by line, and begin with the heading of a row.
func TestPanelsLeaveNoGap(t *testing.T) {
	const width = 24
	x, y, height := 0, 0, 0
	for i, p := range readDashboard(t).Panels {
		at := p.GridPos
		if at.X != x || at.Y != y || x > 0 && at.H != height || i == 0 && p.Type != "row" {
			t.Errorf("%s is at %d,%d with height %d, want %d,%d with that of its line, %d", p.Title, at.X, at.Y, at.H, x, y, height)
		}
		if x, y, height = at.X+at.W, at.Y, at.H; x >= width {
			x, y = 0, y+height
		}
	}
	if x != 0 {
		t.Errorf("the last line ends at %d, want %d", x, width)
	}
}
