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
		"Agent":         agentFigures,
		"Changed":       figuresOfChangedAgents,
		"Parameters":    figureParameters,
		"Days":          daysOfOwners,
		"DaysParameter": daysParameter,
		"DaysBefore":    comparedDays,
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
		"task_completed":      {"task_id": "t", "success": false, "duration_seconds": 1.5, "quality_score": nil, "cost": 0.5, "tokens": 100, "more": obj{"x": 1}},
		"cost_incurred":       {"amount": 0.5, "model": "m", "input_tokens": 1, "output_tokens": 2},
		"tool_used":           {"tool": "git", "success": true},
		"delegation_sent":     {"task_id": "t", "counterpart": "Bob", "score": 9.5},
		"delegation_received": {"task_id": "t", "score": nil},
	} {
		e := event(typ, "ann", data)
		e["id"], e["timestamp"], e["description"] = newID(t, s), time.Now().UTC().Format("2006-01-02T15:04:05.000Z"), "Did "+typ
		e["related_ids"] = obj{"run": "r-1", "$x.y": "z"}
		w.report(e).want(201).has("data", obj{"accepted": 1, "duplicates": 0, "warnings": list{}})
		related := obj{"run": "r-1", "$x.y": "z", "agent_id": w.ann}
		for _, key := range []string{"task_id", "tool"} {
			if value, ok := data[key]; ok {
				related[key] = value
			}
		}
		w.get("/agents/Ann/activity?limit=1").want(200).has("data.0", obj{
			"id": e["id"], "event_type": typ, "timestamp": e["timestamp"], "agent_id": w.ann, "agent_name": "Ann",
			"description": "Did " + typ, "related_ids": related, "data": data,
		})
	}
	w.report(event("task_started", w.bob, obj{"task_id": "t"})).want(201)
	w.get("/agents/Bob/activity?limit=1").hasAll("data.0", obj{"description": "started task t", "related_ids": obj{"agent_id": w.bob, "task_id": "t"}, "event_type": "task_started"})
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
	w.report(a, b, a).want(201).has("data", obj{"accepted": 2, "duplicates": 1, "warnings": list{}})
	w.report(with(a, "id", strings.ToUpper(a["id"].(string)))).want(201).has("data", obj{"accepted": 0, "duplicates": 1, "warnings": list{}})
	w.report(with(task("Bob", 3, nil), "id", a["id"]), task("Ann", 4, nil)).want(201).has("data", obj{"accepted": 1, "duplicates": 1, "warnings": list{}})
	w.soon("/agents/Ann/performance", "data.tasks_completed_total", 3)
	w.get("/agents/Bob/performance").has("data.tasks_completed_total", 0)
	lifecycle := w.get("/agents/Ann/activity").text("data.3.id")
	w.report(with(task("Ann", 5, nil), "id", lifecycle)).want(201).has("data", obj{"accepted": 0, "duplicates": 1, "warnings": list{}})
}

// One bad entry refuses all.
func batchesAreAtomic(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.report(task("Ann", 1, nil), task("nobody", 2, nil)).refused(400, 2000, "events[1].agent", "nobody")
	w.report(task("Ann", 1, nil), event("task_started", "Ann", obj{})).refused(400, 2001, "events[1].data.task_id")
	w.report(task("Ann", 1, nil), with(task("Ann", 2, nil), "timestamp", "2999-01-01T00:00:00Z")).refused(400, 2001, "events[1].timestamp")
	both := w.report(event("task_started", "Ann", obj{}), with(task("Ann", 2, nil), "timestamp", "2999-01-01T00:00:00Z"))
	both.refused(400, 2001, "events[0].data.task_id")
	both.refused(400, 2001, "events[1].timestamp")
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
		"nothing":          {},
		"lifecycle type":   event("hired", "Ann", obj{}),
		"success in words": event("task_completed", "Ann", obj{"task_id": "t", "success": "yes"}),
		"unknown":          with(task("Ann", 1, nil), "colour", "red"),
		"related null":     with(task("Ann", 1, nil), "related_ids", obj{"a": nil}),
	} {
		if r := w.report(task("Ann", 0, nil), entry); !r.is(400, 2001) || !strings.Contains(r.text("error"), "events[1]") {
			t.Errorf("%s: %d %s, want 400/2001 naming events[1]", what, r.status, clip(r.body))
		}
	}
	var all []obj
	for range 60 {
		all = append(all, obj{})
	}
	r := w.report(all...).refused(400, 2001)
	said := r.text("error")
	unknown := []obj{}
	for i := range 60 {
		if !strings.Contains(said, fmt.Sprintf("events[%d]", i)) {
			t.Errorf("events[%d] is not named", i)
		}
		if !strings.Contains(string(r.body), fmt.Sprintf(`{"path":"events[%d].event_type","text":"is required","line":null}`, i)) {
			t.Errorf("events[%d] is not listed", i)
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
	w.post("/activities", obj{"events": list{}}).refused(400, 2001, "events")
	var all []obj
	for i := range 1001 {
		all = append(all, task("Ann", i, nil))
	}
	w.report(all...).refused(400, 2001, "events")
	w.report(all[:1000]...).want(201).has("data", obj{"accepted": 1000, "duplicates": 0, "warnings": list{}})
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
