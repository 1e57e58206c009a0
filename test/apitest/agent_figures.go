package apitest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// worked is n finished tasks of an agent, of which the first ones failed.
func worked(agent string, n, failed int, data obj) (events []obj) {
	for i := range n {
		events = append(events, task(agent, i, with(data, "success", i >= failed)))
	}
	return events
}

func spent(agent string, amount float64, at string) obj {
	return with(event("cost_incurred", agent, obj{"amount": amount}), "timestamp", at)
}

// figured makes agents that differ in their figures.
func figured(t *testing.T, s *Service) (world, func(query string, want ...string)) {
	w := newWorld(t, s)
	w.hire("Dora", "Design", obj{"level": "senior", "status": "on_leave", "owner": "eve", "tags": list{"eu", "b"}})
	w.hire("Émile", "Sales", obj{"tags": list{"b"}})
	var events []obj
	events = append(events, worked("Ann", 10, 1, obj{"quality_score": 8})...)
	events = append(events, worked("Bob", 6, 3, obj{"quality_score": 9.5})...)
	events = append(events, worked("Carl", 4, 4, obj{"quality_score": 1})...) // too few for a rate
	events = append(events, worked("Dora", 20, 2, nil)...)                    // without a score
	events = append(events, spent("Ann", 3, daysAgo(0)), spent("Bob", 3.000000001, daysAgo(6)), spent("Carl", 0.5, daysAgo(7)),
		spent("Émile", 40, daysAgo(29)), spent("Émile", 2, daysAgo(30)), spent("Ann", 7, daysAgo(59)), spent("Ann", 100, daysAgo(60)))
	w.report(events...).want(201)
	w.soon("/company/agents/figures", "data.0.tasks_failed", 1)
	return w, func(query string, want ...string) {
		t.Helper()
		if got := w.get("/company/agents/figures"+query).want(200).column("data", "name"); !cmp.Equal(got, anys(want)) {
			t.Errorf("the order of figures%s is %v, want %v", query, got, want)
		}
		if got := w.walk(pagedList{"/company/agents/figures" + query, "name"}, 1); len(want) > 0 && !cmp.Equal(got, anys(want)) {
			t.Errorf("the order of figures%s in pages of 1 is %v, want %v", query, got, want)
		}
	}
}

// The figures of all agents are those that each of them has alone.
func agentFigures(t *testing.T, s *Service) {
	w, order := figured(t, s)
	w.put(labelPath("Ann", "production"), obj{"version": 1}).want(201)
	w.put(labelPath("Ann", "canary"), obj{"version": 2}).want(201)
	ann := obj{
		"agent_id": w.ann, "name": "Ann", "role": "Worker", "department": "Design", "level": "mid", "status": "active", "owner": nil, "tags": list{},
		"labels":          list{obj{"label": "canary", "version": 2}, obj{"label": "production", "version": 1}},
		"tasks_completed": 9, "tasks_failed": 1, "success_rate": 0.9, "quality_score": 8, "cost": 3, "cost_before": 7, "cost_before_days": 30,
		"last_active_at": w.get("/agents/Ann/health").at("data.last_active_at"),
	}
	w.get("/company/agents/figures?limit=1").has("data.0", ann).hasAll("pagination", obj{"limit": 1, "has_more": true})
	w.get("/company/agents/figures?window=7d").has("data.0", with(with(ann, "cost_before", 0), "cost_before_days", 7))
	w.get("/company/agents/figures?window=90d").has("data.0", with(with(with(ann, "cost", 110), "cost_before", 0), "cost_before_days", 0))
	w.get("/company/agents/figures").hasAll("data.2", obj{"name": "Carl", "tasks_failed": 4, "success_rate": nil, "quality_score": nil, "cost": 0.5}).
		hasAll("data.3", obj{"name": "Dora", "tasks_completed": 18, "success_rate": 0.9, "quality_score": nil, "cost": 0, "owner": "eve", "tags": list{"eu", "b"}, "labels": list{}}).
		hasAll("data.4", obj{"name": "Émile", "tasks_completed": 0, "cost": 40, "cost_before": 2, "success_rate": nil})
	for _, agent := range []string{"Ann", "Bob", "Carl", "Dora", "Émile"} {
		alone := w.get(agentPath(agent) + "/performance").want(200)
		for i, window := range []string{"7d", "30d", "90d"} {
			row := w.get("/company/agents/figures?window=" + window)
			for j, name := range row.column("data", "name") {
				if name != agent {
					continue
				}
				for of, as := range map[string]string{"tasks_completed": "tasks_completed", "tasks_failed": "tasks_failed", "success_rate": "success_rate", "quality_score": "avg_quality_score"} {
					if got, want := row.at(fmt.Sprintf("data.%d.%s", j, of)), alone.at(fmt.Sprintf("data.windows.%d.%s", i, as)); !cmp.Equal(got, want) {
						t.Errorf("%s of %s in %s is %v in the list, %v alone", of, agent, window, got, want)
					}
				}
			}
		}
	}
	order("", "Ann", "Bob", "Carl", "Dora", "Émile")
	order("?sort=success", "Bob", "Ann", "Dora", "Carl", "Émile")
	order("?sort=quality", "Ann", "Bob", "Carl", "Dora", "Émile")
	order("?sort=tasks", "Dora", "Ann", "Bob", "Carl", "Émile")
	order("?sort=cost", "Émile", "Bob", "Ann", "Carl", "Dora")
	order("?sort=cost&window=7d", "Bob", "Ann", "Carl", "Dora", "Émile")
	order("?sort=cost&window=90d", "Ann", "Émile", "Bob", "Carl", "Dora")
	order("?sort=cost&department=design&status=active", "Bob", "Ann")
	order("?sort=tasks&level=senior", "Dora")
	order("?sort=cost&tag=b", "Émile", "Dora")
	order("?sort=cost&tag=b&tag=eu&owner=eve", "Dora")
	order("?department=None")
}

// Agents that move, are renamed, deleted and restored have figures of their own.
func figuresOfChangedAgents(t *testing.T, s *Service) {
	w, order := figured(t, s)
	r := w.get("/company/agents/figures?sort=tasks&limit=2").want(200)
	next := "/company/agents/figures?sort=tasks&limit=2&cursor=" + r.text("pagination.next_cursor")
	// Both agents of the page before the cursor change, and one comes to stand before it.
	w.patch("/agents/Ann", obj{"department": "Sales"}).want(200)
	dora := w.get("/agents/Dora").text("data.id")
	w.delete("/agents/Dora").want(204)
	w.report(worked("Carl", 20, 0, nil)...).want(201)
	w.soon("/company/agents/figures?sort=tasks", "data.0.name", "Carl")
	if got := w.get(next).want(200).column("data", "name"); !cmp.Equal(got, anys([]string{"Bob", "Émile"})) {
		t.Errorf("behind the cursor are %v, want Bob and Émile, who were not before it", got)
	}
	w.patch("/agents/Ann", obj{"name": "Zoe"}).want(200)
	order("?sort=tasks&department=Sales", "Carl", "Zoe", "Émile")
	order("?sort=tasks&department=Design", "Bob")
	w.get("/company/agents/figures?sort=tasks&department=Sales").hasAll("data.1", obj{"department": "Sales", "tasks_completed": 9, "cost": 3})
	w.post(agentPath(dora)+"/restore", obj{}).want(200)
	w.hire("Ann", "Design")
	order("?sort=tasks", "Carl", "Dora", "Zoe", "Bob", "Ann", "Émile")
	w.get("/company/agents/figures").hasAll("data.0", obj{"name": "Ann", "tasks_completed": 0, "cost": 0, "cost_before": 0})
}

// What is wrong in the query is named.
func figureParameters(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hire("Dora", "Design")
	for query, name := range map[string]string{
		"window=": "window", "window=30": "window", "window=1d": "window", "window=30D": "window", "window=7d&window=7d": "window", "window=" + strings.Repeat("9", 300): "window",
		"sort=": "sort", "sort=Cost": "sort", "sort=-cost": "sort", "sort=cost,name": "sort", "sort=cost&sort=cost": "sort",
		"status=busy": "status", "level=boss": "level", "owner=": "owner", "tag=": "tag", "tag=A": "tag", "department=": "department", "department=a%00": "department",
		"limit=0": "limit", "limit=201": "limit", "limit=x": "limit", "cursor=": "cursor", "cursor=abc": "cursor",
	} {
		w.get("/company/agents/figures?"+query).refused(400, 2001, name)
	}
	cursor := w.get("/company/agents/figures?limit=1&sort=cost&window=7d").text("pagination.next_cursor")
	w.get("/company/agents/figures?limit=3&sort=cost&window=7d&cursor=" + cursor).want(200)
	for _, query := range []string{"sort=tasks&window=7d", "sort=cost", "sort=cost&window=7d&department=Design", "sort=cost&window=30d"} {
		w.get("/company/agents/figures?"+query+"&cursor="+cursor).refused(400, 2001, "cursor")
	}
	w.get("/company/departments/figures?cursor="+cursor).refused(400, 2001, "cursor")
	w.get("/company/agents/figures?unknown=1").want(200)
}
