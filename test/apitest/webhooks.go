package apitest

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func webhookChecks() map[string]check {
	return map[string]check{
		"Defaults":       webhookDefaults,
		"AllFields":      webhookWithAllFields,
		"Bounds":         webhookBounds,
		"Departments":    webhookDepartments,
		"Secrets":        webhookSecrets,
		"FormerSecrets":  formerSecrets,
		"Delivers":       webhookDelivers,
		"Filters":        webhookFilters,
		"Changes":        webhookChanges,
		"Test":           webhookTest,
		"Retry":          webhookRetry,
		"Gone":           webhookGone,
		"Pause":          webhookPause,
		"Redeliver":      webhookRedeliver,
		"Forgotten":      webhookKeys,
		"Delete":         deletedWebhooks,
		"Missing":        missingWebhooks,
		"Order":          webhookOrderOfChecks,
		"ManyReceivers":  slowReceiversHoldNobodyUp,
		"EveryEventOnce": everyEventArrives,
	}
}

func webhookDefaults(t *testing.T, s *Service) {
	c := s.admin(t)
	began := time.Now().Add(-time.Second)
	r := c.post("/webhooks", obj{"url": "https://hooks.example.com/orgd?x=%20"}).want(201).
		hasAll("data", obj{"url": "https://hooks.example.com/orgd?x=%20", "revision": 1, "enabled": true})
	golden(t, "webhook_defaults.json", r)
	if at, err := time.Parse(time.RFC3339, r.text("data.created_at")); err != nil || at.Before(began) || at.Location() != time.UTC {
		t.Errorf("created_at = %v", r.at("data.created_at"))
	}
	id := r.text("data.id")
	if loc := r.header.Get("Location"); loc != api+"/webhooks/"+id {
		t.Errorf("Location = %s", loc)
	}
	shown := c.get("/webhooks/" + strings.ToUpper(id)).want(200)
	if _, ok := shown.at("data").(obj)["secret"]; ok {
		t.Error("the secret is shown twice")
	}
	c.get("/webhooks").has("data", list{shown.at("data")})
}

func webhookWithAllFields(t *testing.T, s *Service) {
	w := newWorld(t, s)
	body := obj{"url": nowhere, "event_types": list{"fired", "task_completed"}, "departments": list{" sales", "Design"}, "enabled": false}
	shown := obj{"url": nowhere, "event_types": list{"fired", "task_completed"}, "departments": list{"sales", "Design"}, "enabled": false, "disabled_reason": "requested"}
	r := w.post("/webhooks", body).want(201).hasAll("data", shown)
	path := "/webhooks/" + r.text("data.id")
	w.patch(path, body).want(200).hasAll("data", shown).has("data.revision", 1).has("data.updated_at", r.at("data.updated_at"))
	w.patch(path, obj{"enabled": true, "departments": list{}}).want(200).
		hasAll("data", obj{"enabled": true, "disabled_reason": nil, "departments": list{}, "event_types": shown["event_types"], "revision": 2})
	w.get("/audit?resource=webhooks/"+r.text("data.id")).has("data.0.revision_to", 2).has("data.1.revision_from", nil).has("data.1.actor", "admin")
}

func webhookBounds(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hook()
	for _, bad := range []any{"https://user:pass@hooks.example.com", "https://hooks.example.com/#x", "https://höoks.example.com", "javascript:alert(1)"} {
		w.post("/webhooks", obj{"url": bad}).refused(400, 2001, "url")
	}
	w.post("/webhooks", obj{}).refused(400, 2001, "url: is required")
	w.patch("/webhooks/"+w.webhook, obj{"url": "https://x.example/" + strings.Repeat("x", 2030)}).want(200)
	w.get("/webhooks/"+w.webhook).has("data.revision", 2)
	w.counts("/webhooks", 1)
}

// A filter names departments that exist when it is written.
func webhookDepartments(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hook()
	path := "/webhooks/" + w.webhook
	w.post("/webhooks", obj{"url": nowhere, "departments": list{"Design", "None"}}).refused(400, 2000, "departments", "None")
	w.patch(path, obj{"departments": list{"None"}}).refused(400, 2000, "departments", "None")
	w.found("Gone")
	w.patch(path, obj{"departments": list{"Gone"}}).want(200)
	w.delete("/departments/Gone").want(204)
	w.patch(path, obj{"event_types": list{}}).want(200).has("data.departments", list{"Gone"})
	w.patch(path, obj{"departments": list{"Gone"}}).refused(400, 2000, "departments")
}

// A secret is shown by the answers that make it, and nowhere else.
func webhookSecrets(t *testing.T, s *Service) {
	c := s.admin(t)
	rec := receive(t, nil)
	made := c.post("/webhooks", obj{"url": rec.url}).want(201)
	path := "/webhooks/" + made.text("data.id")
	first := made.text("data.secret")
	rotated := c.post(path+"/rotate-secret", nil).want(200).has("data.revision", 2)
	second := rotated.text("data.secret")
	if first == second || len(first) != len("whsec_")+44 || !strings.HasPrefix(second, "whsec_") {
		t.Errorf("secrets = %s, then %s", first, second)
	}
	c.post(path+"/test", nil).want(201)
	m := rec.waits(1, within)[0]
	for _, secret := range []string{first, second} {
		if n, err := m.verify(secret); n != 2 || err != nil {
			t.Errorf("%d signatures, %v, want one under each secret", n, err)
		}
	}
	for _, where := range []string{"/webhooks", path, path + "/deliveries", "/audit", "/metrics", "/activities"} {
		r := c.get(where).want(200)
		if text := string(r.body); strings.Contains(text, "whsec_") || strings.Contains(text, `"secret"`) {
			t.Errorf("%s shows a secret: %s", where, clip(r.body))
		}
	}
	r := c.patch(path, obj{"enabled": false}).want(200)
	if strings.Contains(string(r.body), "whsec_") {
		t.Errorf("a change shows the secret: %s", clip(r.body))
	}
}

// So many secrets are valid at once, and no more.
func formerSecrets(t *testing.T, s *Service) {
	c := s.admin(t)
	path := "/webhooks/" + c.post("/webhooks", obj{"url": nowhere}).want(201).text("data.id")
	for range 4 {
		c.post(path+"/rotate-secret", nil).want(200)
	}
	c.post(path+"/rotate-secret", nil).refused(409, 4000, "four former secrets")
	c.get(path).has("data.revision", 5)
}

// What arrives is what the feed shows, signed, about what happened since the
// webhook is there.
func webhookDelivers(t *testing.T, s *Service) {
	w := newWorld(t, s)
	rec := receive(t, nil)
	made := w.post("/webhooks", obj{"url": rec.url + "/in?x=1"}).want(201)
	w.hire("Dora", "Sales")
	w.report(obj{"event_type": "tool_used", "agent": "Dora", "description": "é", "related_ids": obj{"a": "b"}, "data": obj{"tool": "x", "success": true, "n": 12345678901234567}}).want(201)
	w.patch("/agents/Dora", obj{"level": "vp"}).want(200)
	rec.waitsAbout(4, "Dora")
	w.hire("Eve", "Sales")
	rec.waitsAbout(2, "Eve") // whatever else of Dora there were is known by now
	path := "/webhooks/" + made.text("data.id") + "/deliveries"
	w.delivered(path)
	feed := w.get("/activities").want(200)
	shown := map[string]any{}
	for i := range feed.items("data") {
		e := feed.at("data").(list)[i].(obj)
		shown[e["id"].(string)] = e
	}
	for _, m := range rec.about("Dora") {
		if _, err := m.verify(made.text("data.secret")); err != nil {
			t.Errorf("verify = %v", err)
		}
		got, err := decode(m.body)
		if err != nil {
			t.Fatalf("body = %s: %v", m.body, err)
		}
		if diff := cmp.Diff(shown[m.header.Get("webhook-id")], got); diff != "" {
			t.Errorf("body (-feed +message):\n%s", diff)
		}
		if h := m.header; h.Get("Content-Type") != "application/json" || !strings.HasPrefix(h.Get("User-Agent"), "orgd/") {
			t.Errorf("headers = %v", h)
		}
	}
	if n := len(rec.about("Dora")); n != 4 {
		t.Errorf("%d messages came, want 4", n)
	}
	deliveries := w.get(path)
	for i := range deliveries.items("data") {
		d := deliveries.at("data").(list)[i].(obj)
		if shown[d["event_id"].(string)] == nil {
			t.Errorf("delivery of %v, which is not in the feed", d["event_id"])
		}
		want := asJSON(t, obj{"attempt": 1, "status": "delivered", "response_code": 204, "error": nil, "next_attempt_at": nil}).(obj)
		for name, v := range want {
			if diff := cmp.Diff(v, d[name]); diff != "" {
				t.Errorf("%s (-want +got):\n%s", name, diff)
			}
		}
	}
}

// delivered waits until no delivery is left to be made.
func (c *client) delivered(path string) {
	c.t.Helper()
	eventually(c.t, "every delivery done", func() bool { return !strings.Contains(string(c.get(path).body), `"pending"`) })
}

func webhookFilters(t *testing.T, s *Service) {
	w := newWorld(t, s)
	types, departments, both := receive(t, nil), receive(t, nil), receive(t, nil)
	var hooks []string
	for _, body := range []obj{
		{"url": types.url, "event_types": list{"fired", "hired"}},
		{"url": departments.url, "departments": list{"SALES"}},
		{"url": both.url, "event_types": list{"hired"}, "departments": list{"Sales"}},
	} {
		hooks = append(hooks, w.post("/webhooks", body).want(201).text("data.id"))
	}
	w.hire("Dora", "Design")
	w.delete("/agents/Dora").want(204)
	w.hire("Eve", "Sales")
	types.waitsAbout(3, "Dora", "Eve")       // hired, fired, hired
	departments.waitsAbout(2, "Dora", "Eve") // hired, onboarded
	both.waitsAbout(1, "Dora", "Eve")
	w.hire("Fay", "Sales")
	for _, r := range []*receiver{types, departments, both} {
		r.waitsAbout(1, "Fay") // whatever else happened before is known by now
	}
	for _, id := range hooks {
		w.delivered("/webhooks/" + id + "/deliveries")
	}
	for r, want := range map[*receiver][]string{types: {"fired", "hired", "hired"}, departments: {"hired", "onboarded"}, both: {"hired"}} {
		var got []string
		for _, m := range r.about("Dora", "Eve") {
			body, err := decode(m.body)
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, body.(obj)["event_type"].(string))
		}
		if diff := cmp.Diff(want, sorted(got)); diff != "" {
			t.Errorf("events (-want +got):\n%s", diff)
		}
	}
}

// A change of filters and URL counts for what happens after it.
func webhookChanges(t *testing.T, s *Service) {
	w := newWorld(t, s)
	one, two := receive(t, nil), receive(t, nil)
	path := "/webhooks/" + w.post("/webhooks", obj{"url": one.url, "event_types": list{"hired"}, "departments": list{"Sales"}}).want(201).text("data.id")
	w.hire("Dora", "Sales")
	one.waitsAbout(1, "Dora")
	w.patch(path, obj{"url": two.url, "departments": list{"Design"}}).want(200)
	w.hire("Eve", "Sales")
	w.hire("Fay", "Design")
	two.waitsAbout(1, "Fay")
	w.hire("Gus", "Design")
	two.waitsAbout(1, "Gus") // whatever else happened before is known by now
	w.delivered(path + "/deliveries")
	if a, b := len(one.about("Dora", "Eve", "Fay")), len(two.about("Dora", "Eve", "Fay")); a != 1 || b != 1 {
		t.Errorf("%d and %d messages came, want Dora's and Fay's", a, b)
	}
}

// A test is made up, passes no filter, and is in no feed.
func webhookTest(t *testing.T, s *Service) {
	c := s.admin(t)
	rec := receive(t, nil)
	made := c.post("/webhooks", obj{"url": rec.url, "event_types": list{"fired"}}).want(201)
	path := "/webhooks/" + made.text("data.id")
	d := c.key("k").post(path+"/test", nil).want(201).hasAll("data", obj{"attempt": 0, "status": "pending", "response_code": nil, "error": nil})
	if loc := d.header.Get("Location"); loc != api+path+"/deliveries" {
		t.Errorf("Location = %s", loc)
	}
	c.key("k").post(path+"/test", nil).want(201).has("data", d.at("data"))
	m := rec.waits(1, within)[0]
	if _, err := m.verify(made.text("data.secret")); err != nil || m.header.Get("webhook-id") != d.text("data.event_id") {
		t.Errorf("the message has id %s, %v", m.header.Get("webhook-id"), err)
	}
	body, err := decode(m.body)
	if err != nil {
		t.Fatal(err)
	}
	got := body.(obj)
	if got["event_type"] != "tool_used" || got["id"] != d.at("data.event_id") || got["agent_id"] != "00000000-0000-0000-0000-000000000000" {
		t.Errorf("the message is %s", m.body)
	}
	c.soon(path+"/deliveries", "data.0.status", "delivered").hasAll("data.0", obj{"id": d.at("data.id"), "attempt": 1, "response_code": 204})
	c.counts("/activities", 0)
	c.get(path).has("data.revision", 1)
	c.get("/audit?resource="+url.QueryEscape("webhooks/"+made.text("data.id"))).has("data.0.revision_to", nil).has("data.0.route", "POST /api/v1/webhooks/{id}/test")
	// One that fails is not repeated and disables nothing.
	rec.answers(410)
	c.post(path+"/test", nil).want(201)
	c.soon(path+"/deliveries", "data.0.status", "failed").hasAll("data.0", obj{"attempt": 1, "response_code": 410, "error": "status", "next_attempt_at": nil})
	c.get(path).has("data.enabled", true)
	c.patch(path, obj{"url": nowhere}).want(200)
	c.post(path+"/test", nil).want(201)
	c.soon(path+"/deliveries", "data.0.status", "failed").hasAll("data.0", obj{"response_code": nil, "error": "connection"})
}

// An attempt that fails is made again, with the same id and a time of its own.
func webhookRetry(t *testing.T, s *Service) {
	w := newWorld(t, s)
	rec := receive(t, func(n int) int {
		if n == 1 {
			return 503
		}
		return 200
	})
	made := w.post("/webhooks", obj{"url": rec.url, "event_types": list{"fired"}}).want(201)
	deliveries := "/webhooks/" + made.text("data.id") + "/deliveries"
	w.delete(agentPath(w.carl)).want(204)
	first := rec.waits(1, within)[0]
	r := w.soon(deliveries, "data.0.response_code", 503).hasAll("data.0", obj{"attempt": 1, "status": "pending", "error": "status"})
	next, err := time.Parse(time.RFC3339, r.text("data.0.next_attempt_at"))
	if d := next.Sub(first.at); err != nil || d < 3*time.Second || d > 7*time.Second+within {
		t.Errorf("the next attempt is %v after the first, want about 5 s", d)
	}
	all := rec.waits(2, 2*within)
	if all[0].header.Get("webhook-id") != all[1].header.Get("webhook-id") || all[0].header.Get("webhook-timestamp") == all[1].header.Get("webhook-timestamp") || string(all[0].body) != string(all[1].body) {
		t.Errorf("the attempts are %v and %v", all[0].header, all[1].header)
	}
	if early := all[1].at.Before(next.Add(-time.Second)); early {
		t.Errorf("the second attempt came at %v, want not before %v", all[1].at, next)
	}
	for _, m := range all {
		if _, err := m.verify(made.text("data.secret")); err != nil {
			t.Error(err)
		}
	}
	w.soon(deliveries, "data.0.status", "delivered").hasAll("data.0", obj{"attempt": 2, "response_code": 200, "error": nil, "next_attempt_at": nil})
}

// 410 ends everything, until somebody enables the webhook again.
func webhookGone(t *testing.T, s *Service) {
	w := newWorld(t, s)
	rec := receive(t, func(int) int { return 410 })
	id := w.post("/webhooks", obj{"url": rec.url, "event_types": list{"fired"}}).want(201).text("data.id")
	w.delete(agentPath(w.carl)).want(204)
	w.soon("/webhooks/"+id, "data.enabled", false).hasAll("data", obj{"disabled_reason": "gone", "revision": 2})
	w.soon("/webhooks/"+id+"/deliveries", "data.0.status", "failed").hasAll("data.0", obj{"attempt": 1, "response_code": 410, "next_attempt_at": nil})
	w.get("/audit?resource=webhooks/"+id).want(200).hasAll("data.0", obj{"actor": "orgd", "revision_from": 1, "revision_to": 2})
	w.post("/webhooks/"+id+"/test", nil).refused(409, 4000, "disabled")
	witness := receive(t, nil)
	w.post("/webhooks", obj{"url": witness.url, "event_types": list{"fired"}}).want(201)
	w.delete(agentPath(w.bob)).want(204)
	witness.waits(1, within) // and nobody else is told
	rec.answers(204)
	w.patch("/webhooks/"+id, obj{"enabled": true}).want(200).hasAll("data", obj{"enabled": true, "disabled_reason": nil, "revision": 3})
	w.delete(agentPath(w.ann)).want(204)
	all := rec.waits(2, within)
	if !strings.Contains(string(all[1].body), `"agent_name":"Ann"`) {
		t.Errorf("the second message is %s, want Ann's", all[1].body)
	}
}

// What is pending waits while the webhook is disabled; what happens meanwhile
// is not for it.
func webhookPause(t *testing.T, s *Service) {
	w := newWorld(t, s)
	rec := receive(t, func(int) int { return 500 })
	id := w.post("/webhooks", obj{"url": rec.url, "event_types": list{"fired"}}).want(201).text("data.id")
	w.delete(agentPath(w.carl)).want(204)
	due, err := time.Parse(time.RFC3339, w.soon("/webhooks/"+id+"/deliveries", "data.0.response_code", 500).text("data.0.next_attempt_at"))
	if err != nil {
		t.Fatal(err)
	}
	w.patch("/webhooks/"+id, obj{"enabled": false}).want(200).has("data.disabled_reason", "requested")
	w.delete(agentPath(w.bob)).want(204)
	before := len(rec.messages())
	time.Sleep(time.Until(due))
	witness := receive(t, nil)
	other := w.post("/webhooks", obj{"url": witness.url}).want(201).text("data.id")
	w.post("/webhooks/"+other+"/test", nil).want(201)
	witness.waits(1, within) // the second attempt would have been made by now
	if n := len(rec.messages()); n != before {
		t.Errorf("%d attempts were made while the webhook was disabled", n-before)
	}
	w.get("/webhooks/"+id+"/deliveries").hasAll("data.0", obj{"status": "pending", "attempt": 1})
	rec.answers(200)
	w.patch("/webhooks/"+id, obj{"enabled": true}).want(200)
	w.soon("/webhooks/"+id+"/deliveries", "data.0.status", "delivered").has("data.0.attempt", 2)
	w.delete(agentPath(w.ann)).want(204)
	rec.waitsAbout(1, "Ann") // whatever else happened before is known by now
	w.counts("/webhooks/"+id+"/deliveries", 2)
}

// Whatever came of a delivery, it can be made again.
func webhookRedeliver(t *testing.T, s *Service) {
	w := newWorld(t, s)
	rec := receive(t, nil)
	id := w.post("/webhooks", obj{"url": rec.url, "event_types": list{"fired"}}).want(201).text("data.id")
	path := "/webhooks/" + id
	w.delete(agentPath(w.carl)).want(204)
	r := w.soon(path+"/deliveries", "data.0.status", "delivered")
	again := path + "/deliveries/" + r.text("data.0.id") + "/redeliver"
	d := w.key("k").post(again, nil).want(200).
		hasAll("data", obj{"id": r.at("data.0.id"), "event_id": r.at("data.0.event_id"), "created_at": r.at("data.0.created_at"), "attempt": 0, "status": "pending", "response_code": nil})
	w.key("k").post(again, nil).want(200).has("data", d.at("data"))
	all := rec.waits(2, within)
	if string(all[0].body) != string(all[1].body) || all[0].header.Get("webhook-id") != all[1].header.Get("webhook-id") {
		t.Errorf("the second message is %s, want the first again", all[1].body)
	}
	w.soon(path+"/deliveries", "data.0.status", "delivered").has("data.0.attempt", 1)
	w.counts(path+"/deliveries", 1)
	rec.answers(410)
	w.post(again, nil).want(200)
	w.soon(path, "data.enabled", false)
	w.soon(path+"/deliveries", "data.0.status", "failed")
	w.post(again, nil).refused(409, 4000, "disabled")
	rec.answers(200)
	w.patch(path, obj{"enabled": true}).want(200)
	w.get(path+"/deliveries").has("data.0.status", "failed") // what was given up stays so
	w.post(again, nil).want(200)
	w.soon(path+"/deliveries", "data.0.status", "delivered")
	w.get("/audit?resource=webhooks/"+id).has("data.0.route", "POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver")
}

// Keys are checked where nothing else is.
func webhookKeys(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hook()
	path := "/webhooks/" + w.webhook
	for _, to := range []string{path + "/rotate-secret", path + "/test", path + "/deliveries/" + w.delivery + "/redeliver"} {
		w.key("a b").post(to, nil).refused(400, 2001, "Idempotency-Key")
		w.key("k").post(to, nil).success()
		w.key("k").post(to+"?x=1", nil).refused(400, 2000, "Idempotency-Key")
		w.with("If-Match", "nonsense").post(to, nil).refused(400, 2001, "If-Match")
	}
	w.get(path+"/deliveries?limit=0").refused(400, 2001, "limit")
}

func deletedWebhooks(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hook()
	path := "/webhooks/" + w.webhook
	w.delete(path).want(204)
	w.delete(path).refused(404, 3000)
	w.get(path).refused(404, 3000)
	w.patch(path, obj{}).refused(404, 3000)
	w.get(path+"/deliveries").refused(404, 3000)
	w.post(path+"/deliveries/"+w.delivery+"/redeliver", nil).refused(404, 3000)
	w.post(path+"/test", nil).refused(404, 3000)
	w.counts("/webhooks", 0)
	w.get("/audit?resource=webhooks/"+w.webhook).has("data.0.revision_to", nil).has("data.0.revision_from", 1)
}

func missingWebhooks(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hook()
	long := strings.Repeat("x", 129)
	for _, id := range []string{nobody, "x", "1", w.webhook + "0", w.project, "%20", "whsec_x"} {
		w.get("/webhooks/"+id).refused(404, 3000)
		w.patch("/webhooks/"+id, obj{}).refused(404, 3000)
		w.delete("/webhooks/"+id).refused(404, 3000)
		w.get("/webhooks/"+id+"/deliveries").refused(404, 3000)
		for _, do := range []string{"/rotate-secret", "/test", "/deliveries/" + w.delivery + "/redeliver"} {
			w.post("/webhooks/"+id+do, nil).refused(404, 3000)
		}
		w.post("/webhooks/"+w.webhook+"/deliveries/"+id+"/redeliver", nil).refused(404, 3000)
	}
	other, _ := w.hooked(nowhere, obj{})
	w.post("/webhooks/"+other+"/deliveries/"+w.delivery+"/redeliver", nil).refused(404, 3000) // another's
	w.patch("/webhooks/"+long, obj{}).refused(400, 2001)
	w.delete("/webhooks/"+long).refused(400, 2001)
	w.post("/webhooks/"+w.webhook+"/deliveries/"+long+"/redeliver", nil).refused(400, 2001)
	for _, do := range []string{"/rotate-secret", "/test"} {
		w.post("/webhooks/"+long+do, nil).refused(400, 2001)
	}
}

// The first of several mistakes that the order of checks meets is answered.
func webhookOrderOfChecks(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hook()
	path := "/webhooks/" + w.webhook
	unknown := obj{"departments": list{"None"}}
	s.as(t, "editor").patch(path, "{").refused(403, 1001)
	s.as(t, "editor").get("/webhooks").refused(403, 1001)
	w.patch("/webhooks/"+nobody, obj{"url": ""}).refused(400, 2001)
	w.patch("/webhooks/"+nobody, unknown).refused(404, 3000)
	w.with("If-Match", `"x"`).patch("/webhooks/"+nobody, unknown).refused(404, 3000)
	w.with("If-Match", `"x"`).patch(path, unknown).refused(409, 4002)
	w.patch(path, obj{"enabled": false}).want(200)
	w.with("If-Match", `"x"`).post(path+"/test", nil).refused(409, 4002)
	w.post(path+"/test", nil).refused(409, 4000)
	w.with("If-Match", `"x"`).post(path+"/deliveries/"+nobody+"/redeliver", nil).refused(404, 3000)
}

// A receiver that takes its time, and one that nobody reaches, hold up nobody
// else.
func slowReceiversHoldNobodyUp(t *testing.T, s *Service) {
	w := newWorld(t, s)
	quit := make(chan struct{})
	slow := receive(t, func(int) int { <-quit; return 200 }) // one after the other
	t.Cleanup(func() { close(quit) })
	quick := receive(t, nil)
	for _, to := range []string{slow.url, nowhere, quick.url} {
		w.post("/webhooks", obj{"url": to}).want(201)
	}
	var events []obj
	for i := range 100 {
		events = append(events, task("Ann", i, nil))
	}
	w.report(events...).want(201)
	quick.waits(100, 10*within) // one that is slow would hold up each for longer
}

// Every event of many, from many writers, arrives.
func everyEventArrives(t *testing.T, s *Service) {
	w := newWorld(t, s)
	rec := receive(t, nil)
	made := w.post("/webhooks", obj{"url": rec.url, "event_types": list{"task_completed"}}).want(201)
	const writers, batches, each = 4, 5, 20
	done := make(chan *reply, writers)
	for range writers {
		go func() {
			var r *reply
			for range batches {
				var events []obj
				for i := range each {
					events = append(events, task("Ann", i, nil))
				}
				if r = w.report(events...); r.status != 201 {
					break
				}
			}
			done <- r
		}()
	}
	for range writers {
		(<-done).want(201)
	}
	const all = writers * batches * each
	ids := map[string]bool{}
	for _, m := range rec.waits(all, time.Minute) {
		ids[m.header.Get("webhook-id")] = true
	}
	if len(ids) != all {
		t.Errorf("%d messages are about %d events, want each once", all, len(ids))
	}
	eventually(t, "every delivery done", func() bool {
		n := 0
		for _, d := range w.walk(pagedList{"/webhooks/" + made.text("data.id") + "/deliveries", "status"}, 200) {
			if d == "delivered" {
				n++
			}
		}
		return n == all
	})
}

// RunPublicWebhooks checks a service that allows webhooks on the public internet
// only, which is the default.
func RunPublicWebhooks(t *testing.T, s *Service) {
	s.document = newDocuments().of(t, s)
	c := s.admin(t)
	rec := receive(t, nil)
	path := "/webhooks/" + c.post("/webhooks", obj{"url": "https://hooks.example.com/", "enabled": false}).want(201).text("data.id")
	for bad, says := range map[string]string{
		"https://127.1/": "uncommon", rec.url: "https", strings.Replace(rec.url, "http:", "https:", 1): "public", "https://localhost/": "public",
	} {
		c.post("/webhooks", obj{"url": bad}).refused(400, 2001, "url", says)
		c.patch(path, obj{"url": bad}).refused(400, 2001, "url", says)
	}
	// What cannot be seen in a URL is seen when it is used: every one of these
	// leads to this machine, or nowhere.
	_, port, _ := strings.Cut(strings.TrimPrefix(rec.url, "http://"), ":")
	for _, host := range []string{"ip6-localhost", "localhost.localdomain"} {
		id := c.post("/webhooks", obj{"url": "https://" + host + ":" + port + "/"}).want(201).text("data.id")
		c.post("/webhooks/"+id+"/test", nil).want(201)
		r := c.get("/webhooks/" + id + "/deliveries")
		for end := time.Now().Add(30 * time.Second); r.at("data.0.status") != "failed" && time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			r = c.get("/webhooks/" + id + "/deliveries") // name servers take their time
		}
		if word := r.at("data.0.error"); word != "address" && word != "dns" && word != "timeout" {
			t.Errorf("a message to %s failed for %v, want its address refused", host, word)
		}
	}
	if n := len(rec.messages()); n != 0 {
		t.Errorf("%d messages came to this machine", n)
	}
}
