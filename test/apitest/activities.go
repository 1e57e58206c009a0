package apitest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func activityChecks() map[string]check {
	return map[string]check{
		"Types":         reportedTypes,
		"Order":         feedOrder,
		"Duplicates":    duplicateEvents,
		"AllOrNothing":  batchesAreAtomic,
		"BadEntries":    badEntries,
		"Times":         reportedTimes,
		"Sizes":         batchSizes,
		"Agents":        reportsOnAgents,
		"Performance":   performanceFigures,
		"FewPoints":     fewDataPoints,
		"Trends":        trends,
		"Department":    departmentFigures,
		"Health":        agentHealthFigures,
		"NameAtTheTime": namesInEvents,
	}
}

func event(typ, agent string, data obj) obj {
	return obj{"event_type": typ, "agent": agent, "data": data}
}

// Every runtime type is taken in and comes back as it was.
func reportedTypes(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for typ, data := range map[string]obj{
		"task_started":        {"task_id": "t"},
		"task_completed":      {"task_id": "t", "success": false, "duration_seconds": 1.5, "quality_score": nil, "cost": 0.25, "tokens": 100, "more": obj{"x": 1}},
		"cost_incurred":       {"amount": 0.5, "model": "m", "input_tokens": 1, "output_tokens": 2},
		"tool_used":           {"tool": "git", "success": true},
		"delegation_sent":     {"task_id": "t", "counterpart": "Bob", "score": 9.5},
		"delegation_received": {"task_id": "t", "score": nil},
	} {
		e := event(typ, "ann", data)
		e["id"], e["timestamp"], e["description"], e["related_ids"] = newID(t, s), time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "Did "+typ, obj{"run": "r-1", "$x": ""}
		e["related_ids"] = obj{"run": "r-1", "$x.y": "z"}
		w.report(e).want(201).has("data", obj{"accepted": 1, "duplicates": 0})
		w.get("/agents/Ann/activity?limit=1").want(200).has("data.0", obj{
			"id": e["id"], "event_type": typ, "timestamp": e["timestamp"], "agent_id": w.ann, "agent_name": "Ann",
			"description": "Did " + typ, "related_ids": e["related_ids"], "data": data,
		})
	}
	w.report(event("task_started", w.bob, obj{"task_id": "t"})).want(201)
	w.get("/agents/Bob/activity?limit=1").hasAll("data.0", obj{"description": "", "related_ids": obj{}, "event_type": "task_started"})
}

// newID is an id that nobody has: that of a request.
func newID(t *testing.T, s *Service) string {
	t.Helper()
	return s.anonymous(t).get("/healthz").header.Get("X-Request-Id")
}

// A feed shows the newest event first, whenever it was reported, and of events
// at one time the one with the greater id.
func feedOrder(t *testing.T, s *Service) {
	w := newWorld(t, s)
	at := func(minutes int) string {
		return time.Now().UTC().Add(time.Duration(minutes) * time.Minute).Format("2006-01-02T15:04:05.000Z")
	}
	one := at(-7)
	ids := []string{"11111111-0000-4000-8000-000000000000", "22222222-0000-4000-8000-000000000000", "33333333-0000-4000-8000-000000000000"}
	entry := func(id, at string) obj {
		return with(with(event("task_started", "Ann", obj{"task_id": id}), "id", strings.ToUpper(id)), "timestamp", at)
	}
	w.report(entry(ids[1], one), entry(ids[0], at(4)), entry(ids[2], one)).want(201)
	want := anys([]string{ids[0], ids[2], ids[1]})
	if got := w.get("/agents/Ann/activity?limit=50").column("data", "id"); len(got) != 5 || !cmp.Equal([]any{got[0], got[3], got[4]}, want) {
		t.Errorf("activity = %v, want %v around two others", got, want)
	}
	w.soon("/activities?type=task_started", "data.2.id", ids[1])
	if got := w.walk(pagedList{"/activities?type=task_started", "id"}, 1); !cmp.Equal(got, want) {
		t.Errorf("activities in pages of 1 = %v, want %v", got, want)
	}
}

// An event that is known is counted and changes nothing.
func duplicateEvents(t *testing.T, s *Service) {
	w := newWorld(t, s)
	a, b := with(task("Ann", 1, nil), "id", newID(t, s)), with(task("Ann", 2, nil), "id", newID(t, s))
	w.report(a, b, a).want(201).has("data", obj{"accepted": 2, "duplicates": 1})
	w.report(with(a, "id", strings.ToUpper(a["id"].(string)))).want(201).has("data", obj{"accepted": 0, "duplicates": 1})
	w.report(with(task("Bob", 3, nil), "id", a["id"]), task("Ann", 4, nil)).want(201).has("data", obj{"accepted": 1, "duplicates": 1})
	w.soon("/agents/Ann/performance", "data.tasks_completed_total", 3)
	w.get("/agents/Bob/performance").has("data.tasks_completed_total", 0)
	lifecycle := w.get("/agents/Ann/activity").text("data.3.id")
	w.report(with(task("Ann", 5, nil), "id", lifecycle)).want(201).has("data", obj{"accepted": 0, "duplicates": 1})
}

// One bad entry refuses all.
func batchesAreAtomic(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.report(task("Ann", 1, nil), task("nobody", 2, nil)).refused(400, 2000, "events[1].agent", "nobody")
	w.report(task("Ann", 1, nil), event("task_started", "Ann", obj{})).refused(400, 2001, "events[1].data.task_id")
	w.report(task("Ann", 1, nil), with(task("Ann", 2, nil), "timestamp", "2999-01-01T00:00:00Z")).refused(400, 2001, "events[1].timestamp")
	own := s.grant(t, Grant{Subject: w.ann, Role: "agent"})
	own.report(task("Ann", 1, nil), task("Bob", 2, nil)).refused(403, 1001)
	w.get("/agents/Ann/performance").has("data.tasks_completed_total", 0)
	own.report(task(w.ann, 1, nil), task("ANN", 2, nil)).want(201)
	w.soon("/agents/Ann/performance", "data.tasks_completed_total", 2)
}

// Every bad entry is named, however many there are.
func badEntries(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for what, entry := range map[string]obj{
		"nothing":             {},
		"type":                event("task_done", "Ann", obj{"task_id": "t"}),
		"lifecycle type":      event("hired", "Ann", obj{}),
		"no agent":            {"event_type": "task_started", "data": obj{"task_id": "t"}},
		"empty agent":         event("task_started", "", obj{"task_id": "t"}),
		"long agent":          event("task_started", strings.Repeat("x", 129), obj{"task_id": "t"}),
		"no data":             {"event_type": "task_started", "agent": "Ann"},
		"no task":             event("task_started", "Ann", obj{}),
		"no success":          event("task_completed", "Ann", obj{"task_id": "t"}),
		"success in words":    event("task_completed", "Ann", obj{"task_id": "t", "success": "yes"}),
		"quality":             task("Ann", 1, obj{"quality_score": 10.1}),
		"negative duration":   task("Ann", 1, obj{"duration_seconds": -1}),
		"negative cost":       task("Ann", 1, obj{"cost": -1}),
		"fraction of a token": task("Ann", 1, obj{"tokens": 1.5}),
		"no amount":           event("cost_incurred", "Ann", obj{}),
		"amount":              event("cost_incurred", "Ann", obj{"amount": -0.1}),
		"amount in text":      event("cost_incurred", "Ann", obj{"amount": "1"}),
		"no tool":             event("tool_used", "Ann", obj{"success": true}),
		"score":               event("delegation_sent", "Ann", obj{"task_id": "t", "score": 11}),
		"id":                  with(task("Ann", 1, nil), "id", "x"),
		"id null":             with(task("Ann", 1, nil), "id", nil),
		"time":                with(task("Ann", 1, nil), "timestamp", "yesterday"),
		"date":                with(task("Ann", 1, nil), "timestamp", "2026-01-31"),
		"description":         with(task("Ann", 1, nil), "description", strings.Repeat("x", 1025)),
		"related":             with(task("Ann", 1, nil), "related_ids", obj{"a": 1}),
		"related list":        with(task("Ann", 1, nil), "related_ids", list{}),
		"unknown":             with(task("Ann", 1, nil), "colour", "red"),
		"agent_name":          with(task("Ann", 1, nil), "agent_name", "Ann"),
		"large data":          task("Ann", 1, obj{"x": strings.Repeat("x", 16<<10)}),
	} {
		if r := w.report(task("Ann", 0, nil), entry); !r.is(400, 2001) || !strings.Contains(r.text("error"), "events[1]") {
			t.Errorf("%s: %d %s, want 400/2001 naming events[1]", what, r.status, clip(r.body))
		}
	}
	var all []obj
	for range 60 {
		all = append(all, obj{})
	}
	said := w.report(all...).refused(400, 2001).text("error")
	unknown := []obj{}
	for i := range 60 {
		if !strings.Contains(said, fmt.Sprintf("events[%d]", i)) {
			t.Errorf("events[%d] is not named", i)
		}
		unknown = append(unknown, task(fmt.Sprint("nobody ", i), 1, nil))
	}
	said = w.report(unknown...).refused(400, 2000).text("error")
	for i := range 60 {
		if !strings.Contains(said, fmt.Sprintf("events[%d]", i)) {
			t.Errorf("events[%d] of an unknown agent is not named", i)
		}
	}
}

// A time may lie a little ahead, and in the past as far as events are kept.
func reportedTimes(t *testing.T, s *Service) {
	w := newWorld(t, s)
	const form = "2006-01-02T15:04:05.000Z07:00"
	for d, ok := range map[time.Duration]bool{
		4 * time.Minute: true, 6 * time.Minute: false, -399 * 24 * time.Hour: true, -401 * 24 * time.Hour: false, -time.Millisecond: true,
	} {
		at := time.Now().Add(d)
		r := w.report(with(task("Ann", 1, nil), "timestamp", at.Format(form)))
		if ok {
			r.want(201)
		} else {
			r.refused(400, 2001, "events[0].timestamp")
		}
	}
	w.report(with(task("Ann", 1, nil), "timestamp", "1969-12-31T23:59:59Z")).refused(400, 2001, "events[0].timestamp")
	at := time.Now().Add(-time.Hour).Truncate(time.Millisecond)
	zone := time.FixedZone("", -8*3600)
	w.report(with(task("Bob", 1, nil), "timestamp", at.In(zone).Format("2006-01-02T15:04:05.000000Z07:00"))).want(201)
	w.soon("/activities?agent_id=Bob&type=task_completed", "data.0.timestamp", at.UTC().Format("2006-01-02T15:04:05.000Z"))
}

func batchSizes(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, bad := range []any{obj{}, obj{"events": list{}}, obj{"events": nil}, obj{"events": obj{}}, obj{"events": list{1}}, obj{"events": list{nil}}} {
		w.post("/activities", bad).refused(400, 2001, "events")
	}
	var all []obj
	for i := range 1001 {
		all = append(all, task("Ann", i, nil))
	}
	w.report(all...).refused(400, 2001, "events")
	w.report(all[:1000]...).want(201).has("data", obj{"accepted": 1000, "duplicates": 0})
	w.soon("/agents/Ann/performance", "data.tasks_completed_7d", 1000)
}

// Reports are about agents that exist.
func reportsOnAgents(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.report(task(strings.ToUpper(w.ann), 1, nil), task("BOB", 1, nil)).want(201)
	w.delete("/agents/Ann").want(204)
	w.report(task("Ann", 1, nil)).refused(400, 2000, "events[0]")
	w.report(task(w.ann, 1, nil)).refused(400, 2000, "events[0]")
	w.report(task("a\nb", 1, nil)).refused(400, 2000, "events[0]")
	w.get(agentPath(w.ann)+"/activity").has("data.1.event_type", "task_completed")
}

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
	w.report(events...).want(201)
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

// An event shows the name that its agent had.
func namesInEvents(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.report(event("task_started", "Ann", obj{"task_id": "t"})).want(201)
	w.patch("/agents/Ann", obj{"name": "Anna", "level": "lead"}).want(200)
	r := w.get("/agents/Anna/activity").want(200)
	if got := r.column("data", "agent_name"); !cmp.Equal(got, anys([]string{"Anna", "Ann", "Ann", "Ann"})) {
		t.Errorf("names = %v", got)
	}
}
