package apitest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// daysAgo is a time at that many days ago, in the middle of nowhere: it is the
// same UTC day for everybody who asks at that moment.
func daysAgo(n int) string {
	return time.Now().UTC().Add(-time.Duration(n) * 24 * time.Hour).Format("2006-01-02T15:04:05.000Z")
}

func null(names ...string) obj {
	o := obj{}
	for _, n := range names {
		o[n] = nil
	}
	return o
}

// The figures follow from the reported tasks.
func performanceFigures(t *testing.T, s *Service) {
	w := newWorld(t, s)
	var events []obj
	for i := range 6 { // today
		events = append(events, task("Ann", i, obj{"duration_seconds": 10 + i, "quality_score": 6 + i%2, "cost": 0.1, "tokens": 100}))
	}
	for i := range 2 { // ten days ago
		events = append(events, with(task("Ann", i, obj{"success": false, "duration_seconds": 40, "quality_score": 2}), "timestamp", daysAgo(10)))
	}
	events = append(events,
		with(task("Ann", 9, obj{"duration_seconds": 100}), "timestamp", daysAgo(60)),
		with(task("Ann", 9, nil), "timestamp", daysAgo(200)),
		event("delegation_sent", "Ann", obj{"task_id": "t", "score": 8}), event("delegation_received", "Ann", obj{"task_id": "t", "score": 5}),
		event("cost_incurred", "Ann", obj{"amount": 99}), event("tool_used", "Ann", obj{"tool": "x", "success": true}))
	differ := fmt.Sprintf(`agent "Ann", %s: the sums of cost_incurred and of the cost of task_completed differ by more than a tenth; the larger counts`, time.Now().UTC().Format(time.DateOnly))
	w.report(events...).want(201).has("data.warnings", list{differ})
	w.soon("/departments/Design/health", "data.department_cost_7d", 99) // of the last event
	r := w.get("/agents/Ann/performance").want(200).hasAll("data", obj{
		"agent_name": "Ann", "tasks_completed_total": 8, "tasks_completed_7d": 6, "tasks_completed_30d": 6,
		"success_rate_percent": 75, "quality_score": 5.375,
	})
	if got := r.column("data.windows", "window_size"); !cmp.Equal(got, anys([]string{"7d", "30d", "90d"})) {
		t.Fatalf("windows = %v", got)
	}
	r.hasAll("data.windows.0", obj{"data_point_count": 6, "tasks_completed": 6, "tasks_failed": 0, "avg_quality_score": 6.5, "success_rate": 1, "currency": "USD", "avg_cost_per_task": 0.1, "avg_tokens_per_task": 100, "avg_completion_time_seconds": 12.5})
	r.hasAll("data.windows.1", obj{"data_point_count": 8, "tasks_completed": 6, "tasks_failed": 2, "success_rate": 0.75, "avg_quality_score": 5.375})
	r.hasAll("data.windows.2", obj{"data_point_count": 9, "tasks_completed": 7, "tasks_failed": 2})
	if got := len(r.items("data.trends")); got != 9 {
		t.Errorf("%d trends, want 9", got)
	}
}

// Below five points there is nothing to average.
func fewDataPoints(t *testing.T, s *Service) {
	w := newWorld(t, s)
	golden(t, "performance_without_data.json", w.get("/agents/Ann/performance").want(200))
	var events []obj
	for i := range 4 {
		events = append(events, task("Ann", i, obj{"quality_score": 9, "duration_seconds": 1}))
	}
	w.report(events...).want(201)
	w.soon("/agents/Ann/performance", "data.tasks_completed_total", 4).
		hasAll("data", with(null("success_rate_percent", "quality_score", "avg_completion_time_seconds", "cost_per_task"), "tasks_completed_7d", 4)).
		hasAll("data.windows.0", with(null("avg_quality_score", "success_rate", "avg_cost_per_task", "avg_tokens_per_task"), "data_point_count", 4)).
		has("data.trend_direction", "insufficient_data")
	w.report(task("Ann", 5, obj{"quality_score": 9, "duration_seconds": 1})).want(201)
	w.soon("/agents/Ann/performance", "data.tasks_completed_total", 5).hasAll("data", obj{"success_rate_percent": 100, "quality_score": 9, "avg_completion_time_seconds": 1})
}

// A trend needs five points on two days, and says which way it goes.
func trends(t *testing.T, s *Service) {
	w := newWorld(t, s)
	var events []obj
	for day := range 5 {
		for i := range 2 {
			e := task("Ann", i, obj{"quality_score": 9 - day, "cost": 1 + day, "success": day < 4 || i == 0})
			events = append(events, with(e, "timestamp", daysAgo(day)))
		}
	}
	w.report(events...).want(201)
	directions := map[string]string{}
	r := w.soon("/agents/Ann/performance", "data.windows.0.data_point_count", 10)
	for i := range r.items("data.trends") {
		at := fmt.Sprintf("data.trends.%d.", i)
		directions[r.text(at+"metric_name")+" "+r.text(at+"window_size")] = r.text(at + "direction")
	}
	want := map[string]string{}
	for _, window := range []string{"7d", "30d", "90d"} {
		want["quality_score "+window] = "improving" // one point better every day
		want["cost "+window] = "improving"          // and cheaper
		want["success_rate "+window] = "stable"     // the median of the slopes
	}
	if diff := cmp.Diff(want, directions); diff != "" {
		t.Errorf("trends (-want +got):\n%s", diff)
	}
	r.has("data.trend_direction", "stable")
}

// A department counts what its agents reported while they were in it.
func departmentFigures(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hire("Dora", "Design", obj{"status": "on_leave"})
	w.get("/departments/Design/health").want(200).hasAll("data", obj{
		"department_name": "Design", "agent_count": 3, "active_agent_count": 2, "utilization_percent": 66.67, "currency": "USD",
		"avg_performance_score": nil, "collaboration_score": nil, "department_cost_7d": 0,
	})
	cost := func(agent, amount, at string) string {
		return fmt.Sprintf(`{"event_type":"cost_incurred","agent":%q,"timestamp":%q,"data":{"amount":%s}}`, agent, at, amount)
	}
	w.post("/activities", `{"events":[`+strings.Join([]string{
		cost("Ann", "0.1", daysAgo(0)), cost("Bob", "0.2", daysAgo(0)), cost("Ann", "0.000000001", daysAgo(1)), cost("Ann", "5", daysAgo(8)), cost("Carl", "7", daysAgo(0)),
	}, ",")+`]}`).want(201)
	r := w.soon("/departments/Design/health", "data.cost_trend.6.value", 0.3)
	if !strings.Contains(string(r.body), `"department_cost_7d":0.300000001`) {
		t.Errorf("department_cost_7d = %v, want 0.300000001", r.at("data.department_cost_7d"))
	}
	days := r.items("data.cost_trend")
	if len(days) != 7 {
		t.Fatalf("cost_trend has %d days, want 7", len(days))
	}
	today := time.Now().UTC().Format("2006-01-02") + "T00:00:00.000Z"
	r.hasAll("data.cost_trend.6", obj{"timestamp": today, "value": 0.3}).has("data.cost_trend.0.value", 0)
	// A move takes nothing along.
	w.patch("/agents/Carl", obj{"department": "Design"}).want(200)
	w.soon("/departments/Sales/health", "data.department_cost_7d", 7).hasAll("data", obj{"agent_count": 0, "utilization_percent": 0})
	w.report(event("cost_incurred", "Carl", obj{"amount": 1})).want(201)
	w.soon("/departments/Design/health", "data.cost_trend.6.value", 1.3)
	w.get("/departments/Sales/health").has("data.department_cost_7d", 7)
	var events []obj
	for i := range 5 {
		events = append(events, task("Ann", i, obj{"quality_score": 8}), event("delegation_sent", "Bob", obj{"task_id": "t", "score": 6}))
	}
	w.report(events...).want(201)
	w.soon("/departments/Design/health", "data.collaboration_score", 6).has("data.avg_performance_score", 8)
	// The list of all departments says the same of 30 days, and what 30 days before them cost.
	w.report(with(event("cost_incurred", "Bob", obj{"amount": 2}), "timestamp", daysAgo(29)), with(event("cost_incurred", "Bob", obj{"amount": 3}), "timestamp", daysAgo(30)),
		with(event("cost_incurred", "Bob", obj{"amount": 4}), "timestamp", daysAgo(59)), with(event("cost_incurred", "Bob", obj{"amount": 50}), "timestamp", daysAgo(60)),
		task("Ann", 7, obj{"success": false}), with(task("Ann", 8, nil), "timestamp", daysAgo(30))).want(201)
	w.soon("/company/departments/figures", "data.0.tasks_failed", 1).hasAll("data.0", obj{
		"department_name": "Design", "agent_count": 4, "active_agent_count": 3, "tasks_completed": 5, "success_rate": 0.8333, "cost": 8.300000001, "cost_before": 7, "cost_before_days": 30, "currency": "USD",
	}).hasAll("data.1", obj{"department_name": "Sales", "agent_count": 0, "active_agent_count": 0, "tasks_completed": 0, "success_rate": nil, "cost": 7, "cost_before": 0, "cost_before_days": 0})
	// Another department of the same name has done nothing yet.
	w.delete("/departments/Sales").want(204)
	w.post("/departments", obj{"name": "Sales"}).want(201)
	w.get("/departments/Sales/health").has("data.department_cost_7d", 0)
	w.get("/company/departments/figures?limit=1").hasAll("pagination", obj{"limit": 1, "has_more": true}).has("data.0.department_name", "Design")
	w.get("/company/departments/figures").has("data.1.cost", 0)
}

// Health shows where an agent stands.
func agentHealthFigures(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.patch("/agents/Ann", obj{"tools": obj{"access_level": "elevated"}, "status": "on_leave"}).want(200)
	r := w.get("/agents/ann/health").want(200).has("data", obj{
		"agent_id": w.ann, "agent_name": "Ann", "lifecycle_status": "on_leave", "last_active_at": w.get("/agents/Ann/activity").at("data.0.timestamp"),
		"trust": obj{"level": "elevated", "score": nil, "last_evaluated_at": nil}, "performance": nil,
	})
	at := r.text("data.last_active_at")
	w.report(with(task("Ann", 1, nil), "timestamp", daysAgo(1))).want(201)
	w.get("/agents/Ann/health").has("data.last_active_at", at)
	later := time.Now().UTC().Add(time.Minute).Format("2006-01-02T15:04:05.000Z")
	w.report(with(task("Ann", 1, nil), "timestamp", later)).want(201)
	w.soon("/agents/Ann/health", "data.last_active_at", later)
	var events []obj
	for i := range 5 {
		events = append(events, task("Ann", i, obj{"quality_score": 7.5}))
	}
	w.report(events...).want(201)
	w.soon("/agents/Ann/health", "data.performance.quality_score", 7.5).has("data.performance.collaboration_score", nil)
}
