package apitest

import "testing"

// RunOutage checks what a service answers when its storage is gone, which cut
// brings about.
func RunOutage(t *testing.T, s *Service, cut func()) {
	s.document = newDocuments().of(t, s)
	w := newWorld(t, s)
	w.hook()
	fresh := s.as(t, "editor") // a session that the storage has not seen
	code := w.post("/auth/links", nil).want(201).text("data.code")
	cut()
	w.get("/healthz").want(200)
	ready := w.get("/readyz").refused(503, 8001)
	if ready.header.Get("RateLimit") != "" {
		t.Error("a probe was counted")
	}
	for _, op := range s.document.operations {
		path, body := w.attemptOn(op)
		if op.id == "auth.sign_in" {
			body = obj{"code": code}
		}
		switch r := w.send(op.method, path, body); op.id {
		case "healthz", "openapi.json", "openapi.yaml", "metrics", "capabilities", "auth.me":
			r.want(200)
		case "auth.oidc_start", "auth.oidc_callback":
			r.refused(404, 3002)
		default:
			r.refused(503, 8001, "the service is temporarily unavailable")
		}
	}
	w.key("k").post("/projects", obj{"name": "P"}).refused(503, 8001)
	fresh.get("/company").refused(503, 8001)
	w.get("/nowhere").refused(404, 3002)
	w.patch("/company", "{").refused(400, 2001)
	s.anonymous(t).get("/company").refused(401, 1000)
}

// attemptOn is a request that would succeed.
func (w world) attemptOn(op operation) (path string, body any) {
	sc := scene{department: "Design", empty: "Sales", agent: w.ann, other: w.bob, project: w.project, sid: "s1", webhook: w.webhook, delivery: w.delivery}
	if path, body = sc.attempt(op.id); path == "" {
		path = op.path
	}
	if op.id == "company.reorder_departments" {
		body = obj{"department_names": list{"Sales", "Design"}}
	}
	return path, body
}
