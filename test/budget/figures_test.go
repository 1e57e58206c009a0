package budget

import (
	"fmt"
	"testing"
	"time"
)

// What the figures of all agents are made of: finished tasks and costs of ten thousand
// agents, on some of 180 days.
const figuredAgents = 10_000

var figuredEvery = size(20, 1) // days

// TestFiguresEmbedded bounds each page of the figures of ten thousand agents.
func TestFiguresEmbedded(t *testing.T) { pagesOfFigures(t, embedded) }

// TestFiguresMongoDB is the same on MongoDB.
func TestFiguresMongoDB(t *testing.T) { pagesOfFigures(t, onMongoDB) }

func pagesOfFigures(t *testing.T, open func(*testing.T) *service) {
	if testing.Short() {
		t.Skip("reports 180 000 events")
	}
	none := []string{"none"} // no request is about these
	w := &world{service: open(t), large: none, projects: none, hooks: none}
	w.makeFigured()
	w.restart()
	op := operation{id: "agents.figures", method: "GET", path: "/api/v1/company/agents/figures"}
	for _, window := range []string{"7d", "30d", "90d"} {
		before, begin := w.used(), time.Now()
		w.must("GET", "/company/agents/figures?window="+window, nil, nil)
		t.Logf("budget: the first page of %s: %v, %v of processor time", window, time.Since(begin).Round(time.Millisecond), w.used()-before)
		for _, sort := range []string{"success", "cost", "tasks", "quality", "name"} {
			w.measure(op, []string{"limit=200", "window=" + window, "sort=" + sort})
		}
		w.measure(op, []string{"limit=200", "window=" + window, "sort=cost", "department=Department+1"})
	}
	begin, rows := time.Now(), w.list("/company/agents/figures?window=90d&sort=success&limit=200")
	if len(rows) != figuredAgents {
		t.Errorf("the pages have %d agents, want %d", len(rows), figuredAgents)
	}
	t.Logf("budget: all pages: %v", time.Since(begin).Round(time.Millisecond))
}

// makeFigured makes the agents and what they report.
func (w *world) makeFigured() {
	w.Helper()
	var departments, agents []object
	for d := range 100 {
		department := fmt.Sprint("Department ", d)
		departments = append(departments, object{"name": department})
		for i := range figuredAgents / 100 {
			agents = append(agents, object{"name": fmt.Sprintf("Agent %d of %d", i, d), "role": "clerk", "department": department})
		}
	}
	w.must("POST", "/organization/apply", object{"format": 1, "departments": departments, "agents": agents}, nil)
	for ago := 0; ago < 180; ago += figuredEvery {
		at := time.Now().AddDate(0, 0, -ago).UTC().Format(time.RFC3339)
		parallel(figuredAgents/500, func(batch int) {
			var events []object
			for i := batch * 500; i < (batch+1)*500; i++ {
				name := agents[i]["name"]
				done := object{"task_id": "t", "success": (i+ago)%7 > 0, "quality_score": i % 10}
				events = append(events, object{"event_type": "task_completed", "agent": name, "timestamp": at, "data": done},
					object{"event_type": "cost_incurred", "agent": name, "timestamp": at, "data": object{"amount": i % 11}})
			}
			w.must("POST", "/activities", object{"events": events}, nil)
		})
	}
}
