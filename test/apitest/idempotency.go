package apitest

import (
	"net/http"
	"strings"
	"testing"
)

func idempotencyChecks() map[string]check {
	return map[string]check{
		"Replay":       replays,
		"Fingerprint":  fingerprints,
		"Scope":        keyScopes,
		"Malformed":    malformedKeys,
		"Failures":     failuresLeaveKeysFree,
		"Secrets":      secretsAreNotReplayed,
		"Parallel":     parallelKeys,
		"OtherMethods": keysOnOtherMethods,
		"AfterDelete":  replaysAfterDelete,
		"Permission":   replaysNeedPermission,
		"DryRun":       dryRunsLeaveKeysFree,
		"NoEffect":     replaysWithoutEffect,
	}
}

func (c *client) key(text string) *client { return c.with("Idempotency-Key", text) }

// posts lists every POST whose success can be shown again.
func (w world) posts() []write {
	var all []write
	for _, op := range w.writes() {
		if op.method == "POST" && op.path != "/auth/tokens" && op.path != "/webhooks" {
			all = append(all, op)
		}
	}
	return all
}

// The same request with the same key happens once and is answered twice.
func replays(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, op := range w.posts() {
		first := w.key("k").post(op.path, op.good).success()
		trail := w.get("/audit").at("data")
		for range 2 {
			again := w.key("k").post(op.path, op.good)
			if again.status != first.status || string(again.body) != string(first.body) {
				t.Errorf("%s again = %d %s, want %d %s", op.path, again.status, clip(again.body), first.status, clip(first.body))
			}
			for _, name := range []string{"ETag", "Location", "Content-Type", "Content-Length"} {
				if a, b := again.header.Get(name), first.header.Get(name); a != b {
					t.Errorf("%s again: %s = %q, want %q", op.path, name, a, b)
				}
			}
			if again.header.Get("Idempotent-Replayed") != "true" || first.header.Get("Idempotent-Replayed") != "" {
				t.Errorf("%s: Idempotent-Replayed = %q, then %q", op.path, first.header.Get("Idempotent-Replayed"), again.header.Get("Idempotent-Replayed"))
			}
		}
		w.get("/audit").has("data", trail)
	}
	w.post("/agents", agentBody("New", "Design")).refused(409, 4001)
	w.counts("/projects", 2)
}

// Another request with the same key is a mistake, and changes nothing.
func fingerprints(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, op := range w.posts() {
		k := w.key("k")
		k.post(op.path, op.good).success()
		k.post(op.path, string(encode(t, op.good))+" ").refused(400, 2000, "Idempotency-Key")
		k.post(op.path+"?x=1", op.good).refused(400, 2000, "Idempotency-Key")
		k.with("Content-Type", "application/json; charset=utf-8").post(op.path, op.good).refused(400, 2000, "Idempotency-Key")
		k.with("If-Match", "*").post(op.path, op.good).refused(400, 2000, "Idempotency-Key")
		k.with("If-Match", "").post(op.path, op.good).refused(400, 2000, "Idempotency-Key")
		k.post(op.path, "{").refused(400, 2000, "Idempotency-Key")
		k.with("Accept", "application/problem+json").with("X-Request-Id", "other").post(op.path, op.good).success()
	}
	empty := w.key("empty").with("If-Match", "")
	empty.post("/departments/Design/reorder-agents", obj{"agent_names": list{"Ann", "Bob"}}).refused(400, 2001, "If-Match")
	id := empty.post("/projects", obj{"name": "P"}).want(201).text("data.id") // means nothing here
	empty.post("/projects", obj{"name": "P"}).want(201).has("data.id", id)
	w.key("empty").post("/projects", obj{"name": "P"}).refused(400, 2000, "Idempotency-Key")
}

// Keys of different subjects and paths do not meet.
func keyScopes(t *testing.T, s *Service) {
	w := newWorld(t, s)
	editor := s.as(t, "editor")
	body := obj{"name": "P"}
	a := w.key("k").post("/projects", body).want(201).text("data.id")
	b := editor.key("k").post("/projects", body).want(201).text("data.id")
	if a == b {
		t.Errorf("two subjects share project %s", a)
	}
	// Another token of the same subject is the same subject.
	s.as(t, "editor").key("k").post("/projects", body).want(201).has("data.id", b)
	w.key("k").post("/departments", body).want(201)
	w.key("k").post("/agents/Ann/versions/rollback", obj{"target_version": 1}).want(200)
	w.key("k").post("/agents/Bob/versions/rollback", obj{"target_version": 1}).want(200)
	w.key("K").post("/projects", body).want(201) // letter case matters
	w.counts("/projects", 4)
}

func malformedKeys(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, key := range []string{"", "a b", "ä", strings.Repeat("k", 256)} {
		w.key(key).post("/projects", obj{"name": "P"}).refused(400, 2001, "Idempotency-Key")
	}
	for _, path := range []string{"/auth/renew", "/auth/logout"} {
		w.key("a b").post(path, nil).refused(400, 2001, "Idempotency-Key")
	}
	w.with("Idempotency-Key", "a", "a").post("/projects", obj{"name": "P"}).refused(400, 2001, "Idempotency-Key")
	w.key(strings.Repeat("~", 255)).post("/projects", obj{"name": "P"}).want(201)
	w.key(`!"#$%&'()*+,-./:;<=>?@[\]^_{|}~`).post("/projects", obj{"name": "P"}).want(201)
}

// A request that fails leaves its key for another attempt.
func failuresLeaveKeysFree(t *testing.T, s *Service) {
	w := newWorld(t, s)
	k := w.key("k")
	k.post("/agents", agentBody("Dora", "None")).refused(400, 2000)
	k.post("/agents", "{").refused(400, 2001)
	k.post("/agents", agentBody("Ann", "Design")).refused(409, 4001)
	k.with("Content-Type", "text/plain").post("/agents", agentBody("Dora", "Design")).refused(400, 2001)
	k.with("Authorization", "Bearer x").post("/agents", agentBody("Dora", "Design")).refused(401, 1000)
	k.post("/agents", agentBody("Dora", "Design")).want(201)

	k.with("If-Match", `"x"`).post("/departments/Design/reorder-agents", obj{"agent_names": list{"Bob", "Ann", "Dora"}}).refused(409, 4002)
	k.post("/departments/Design/reorder-agents", obj{"agent_names": list{"Bob"}}).refused(400, 2000)
	k.post("/departments/Design/reorder-agents", obj{"agent_names": list{"Bob", "Ann", "Dora"}}).want(201)
	k.plan(obj{"format": 2}).refused(400, 2001)
	k.plan(obj{"format": 1}).want(200)
	k.post("/agents/nobody/versions/rollback", obj{"target_version": 1}).refused(404, 3000)
	k.report(task("nobody", 1, nil)).refused(400, 2000)
	k.report(task("Ann", 1, nil)).want(201)
}

// A secret is shown once.
func secretsAreNotReplayed(t *testing.T, s *Service) {
	w := newWorld(t, s)
	body := obj{"subject": "x", "role": "editor"}
	w.key("k").post("/auth/tokens", body).want(201)
	r := w.key("k").post("/auth/tokens", body).refused(409, 4000, "Idempotency-Key")
	if strings.Contains(string(r.body), "ey") && strings.Contains(string(r.body), `"token"`) {
		t.Errorf("a replay shows a token: %s", clip(r.body))
	}
	w.key("k").post("/auth/tokens", obj{"subject": "y", "role": "editor"}).refused(400, 2000)
	w.key("k").post("/auth/renew", nil).want(200)
	w.key("k").post("/auth/renew", nil).refused(409, 4000)
	hook := obj{"url": nowhere}
	id := w.key("k").post("/webhooks", hook).want(201).text("data.id")
	rotate := "/webhooks/" + id + "/rotate-secret"
	w.key("k").post(rotate, nil).want(200)
	for path, body := range map[string]any{"/webhooks": hook, rotate: nil} {
		if r := w.key("k").post(path, body).refused(409, 4000, "Idempotency-Key"); strings.Contains(string(r.body), "whsec_") {
			t.Errorf("a replay shows a secret: %s", clip(r.body))
		}
	}
	w.counts("/webhooks", 1)
	w.get("/webhooks/"+id).has("data.revision", 2)
	w.key("k").post("/auth/links", nil).want(201)
	for range 2 {
		if r := w.key("k").post("/auth/links", nil).refused(409, 4000, "Idempotency-Key"); strings.Contains(string(r.body), `"code"`) {
			t.Errorf("a replay shows a code: %s", clip(r.body))
		}
	}
	w.key("k").with("If-Match", "*").post("/auth/links", nil).refused(400, 2000, "Idempotency-Key")
	w.with("Origin", "null").key("free").post("/auth/links", nil).refused(403, 1001)
	w.key("free").post("/auth/links", nil).want(201) // what was refused has used no key
}

// Of many requests with one key at once one happens. The others are told to
// wait, or shown what came of it.
func parallelKeys(t *testing.T, s *Service) {
	w := newWorld(t, s)
	for _, op := range []write{
		{"POST", "/agents", agentBody("Dora", "Design"), 0},
		{"POST", "/projects", obj{"name": "P"}, 0},
		{"POST", "/departments", obj{"name": "D"}, 0},
	} {
		const callers = 32
		done := make(chan *reply, callers)
		for range callers {
			go func() { done <- w.key("k").post(op.path, op.good) }()
		}
		bodies := map[string]int{}
		for range callers {
			r := <-done
			switch status, code := r.codes(); {
			case status == http.StatusCreated:
				bodies[string(r.body)]++
			case status != http.StatusTooManyRequests || code != 5002 || r.header.Get("Retry-After") != "1":
				t.Errorf("%s = %d %s, want 201 or 429/5002 after 1 s", r.what, r.status, clip(r.body))
			}
		}
		if len(bodies) != 1 {
			t.Errorf("%s: %d different successes, want 1", op.path, len(bodies))
		}
	}
	w.counts("/projects", 2)
	w.counts("/departments", 3)
	w.counts("/agents", 4)
}

// Only POST looks at keys: the other methods can be repeated anyway.
func keysOnOtherMethods(t *testing.T, s *Service) {
	w := newWorld(t, s)
	k := w.key("k")
	k.patch("/company", obj{"company_name": "A"}).want(200)
	k.patch("/company", obj{"company_name": "B"}).want(200).has("data.company_name", "B")
	k.put("/departments/Design/ceremony-policy", obj{"a": 1}).want(200)
	k.put("/departments/Design/ceremony-policy", obj{"b": 1}).want(200).has("data", obj{"b": 1})
	k.get("/company").want(200)
	k.delete(agentPath(w.bob)).want(204)
	k.delete(agentPath(w.bob)).refused(404, 3000)
	w.key("").patch("/company", obj{}).want(200)
}

// A replay shows what was, also when it is no more.
func replaysAfterDelete(t *testing.T, s *Service) {
	w := newWorld(t, s)
	first := w.key("k").post("/agents", agentBody("Dora", "Design")).want(201)
	w.delete("/agents/Dora").want(204)
	w.key("k").post("/agents", agentBody("Dora", "Design")).want(201).has("data.id", first.at("data.id"))
	w.get("/agents/Dora").refused(404, 3000)
}

// Nobody is shown what he may not do.
func replaysNeedPermission(t *testing.T, s *Service) {
	newWorld(t, s)
	grant := Grant{Subject: "kim", Role: "department_admin", Departments: []string{"Design"}}
	body := agentBody("Dora", "Design")
	s.grant(t, grant).key("k").post("/agents", body).want(201)
	s.grant(t, grant).key("k").post("/agents", body).want(201)
	for _, lost := range []Grant{
		{Subject: "kim", Role: "department_admin", Departments: []string{"Sales"}},
		{Subject: "kim", Role: "department_admin"},
	} {
		s.grant(t, lost).key("k").post("/agents", body).refused(403, 1001)
	}
	s.as(t, "agent").key("k").post("/agents", body).refused(403, 1001)
}

// A dry run writes nothing, not even that its key was used.
func dryRunsLeaveKeysFree(t *testing.T, s *Service) {
	w := newWorld(t, s)
	path := agentPath(w.ann) + "/versions/rollback"
	w.key("k").post(path+"?dry_run=true", obj{"target_version": 1}).want(200)
	if r := w.key("k").post(path, obj{"target_version": 1}).want(200); r.header.Get("Idempotent-Replayed") != "" {
		t.Error("a dry run used the key up")
	}
}

// A success without effect is shown again, too.
func replaysWithoutEffect(t *testing.T, s *Service) {
	w := newWorld(t, s)
	order := obj{"agent_names": list{"Ann", "Bob"}}
	first := w.key("k").post("/departments/Design/reorder-agents", order).want(201)
	w.post("/departments/Design/reorder-agents", obj{"agent_names": list{"Bob", "Ann"}}).want(201)
	again := w.key("k").post("/departments/Design/reorder-agents", order).want(201)
	if string(again.body) != string(first.body) || again.etag() != first.etag() {
		t.Errorf("replay = %s, want %s", clip(again.body), clip(first.body))
	}
	w.get("/agents").has("data.0.name", "Bob")
}
