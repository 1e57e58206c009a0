package apitest

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"
)

// A number is what it is worth, however it is written, and stays exact.
func numbers(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.patch(agentPath(w.ann), `{"model":{"provider":"p","model_id":"m","max_tokens":1.0e3,"temperature":0.70}}`).want(200).
		hasAll("data.model", obj{"max_tokens": 1000, "temperature": 0.7})
	w.patch(agentPath(w.ann), `{"model":{"max_tokens":1.5}}`).refused(400, 2001, "model.max_tokens")
	w.patch("/company", `{"budget_monthly": 123456789.123456789}`).want(200)
	if r := w.get("/company"); !strings.Contains(string(r.body), `"budget_monthly":123456789.123456789`) {
		t.Errorf("budget_monthly = %v, want 123456789.123456789", r.at("data.budget_monthly"))
	}
	w.patch("/company", `{"budget_monthly": 0.0000000001}`).refused(400, 2001, "budget_monthly")
	w.patch("/departments/Design", `{"budget_percent": 33.3333}`).want(200).has("data.budget_percent", 33.3333)
	w.patch("/departments/Design", `{"budget_percent": 33.33333}`).refused(400, 2001, "budget_percent")
}

// odd is a free-form object with everything that stores like to change.
const odd = `{"":"empty","$ne":{"$gt":""},"a.b":{"c.d":1},"big":9007199254740993,"deep":[[[{"x":[]}]]],"e":1e30,` +

	`"half":0.5,"html":"<&>","neg":-9223372036854775809,"null in list":[null,1],"proto":{"__proto__":{"constructor":1}},` +
	`"tiny":1e-30,"unicode":"ä\u0000名\ud83d\ude00","Ä":true,"ä":false}`

// Free-form objects come back equal, wherever they are kept.
func freeFormValues(t *testing.T, s *Service) {
	w := newWorld(t, s)
	want, err := decode([]byte(odd))
	if err != nil {
		t.Fatal(err)
	}
	// Numbers are written out in their normal form.
	wide := with(want.(obj), "e", json.Number("1000000000000000000000000000000"))
	wide["tiny"] = json.Number("0.000000000000000000000000000001")
	w.patch("/company", `{"settings":`+odd+`}`).want(200).has("data.settings", wide)
	w.get("/company").has("data.settings", wide)
	w.put("/departments/Design/ceremony-policy", odd).want(200).has("data", wide)
	w.get("/departments/Design/ceremony-policy").has("data", wide)
	w.get("/departments/Design").has("data.ceremony_policy", wide)
	w.patch(agentPath(w.ann), `{"metadata":`+odd+`,"model_requirement":`+odd+`}`).want(200)
	w.get(agentPath(w.ann)).has("data.metadata", wide).has("data.model_requirement", wide)
	w.get(agentPath(w.ann)+"/versions/3").has("data.snapshot.metadata", wide)
	data := strings.Replace(odd, `{"":`, `{"task_id":"t","":`, 1)
	w.post("/activities", `{"events":[{"event_type":"task_started","agent":"Ann","data":`+data+`}]}`).want(201)
	w.get(agentPath(w.ann)+"/activity").has("data.0.data", with(wide, "task_id", "t"))
}

// A body that does not arrive as announced is an error, and nothing happens.
func brokenConnections(t *testing.T, s *Service) {
	w := newWorld(t, s)
	raw := func(head, body string) (status int) {
		u, err := url.Parse(s.URLs[0])
		if err != nil {
			t.Fatal(err)
		}
		conn, err := net.Dial("tcp", u.Host)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.SetDeadline(time.Now().Add(within))
		fmt.Fprintf(conn, "%s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Type: application/json\r\n%s\r\n\r\n%s",
			"PATCH /api/v1/company", u.Host, w.header.Get("Authorization"), head, body)
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Errorf("%q, %q: %v", head, body, err)
			return 0
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	for _, tt := range []struct {
		head, body string
		want       int
	}{
		{"Content-Length: 100", `{"company_name":"Lost"}`, 400},
		{"Content-Length: 23", ``, 400},
		{"Transfer-Encoding: chunked", "17\r\n{\"company_name\":\"Lost\"}\r\n", 400},
		{"Transfer-Encoding: chunked", "zz\r\n{\"company_name\":\"Lost\"}\r\n0\r\n\r\n", 400},
		{"Content-Length: 5", `{"company_name":"Lost"}`, 400},
		{"Content-Length: -1", `{"company_name":"Lost"}`, 400},
		{"Content-Length: 23\r\nTransfer-Encoding: gzip, chunked", `{"company_name":"Lost"}`, 501}, // by the HTTP parser
	} {
		if status := raw(tt.head, tt.body); status != tt.want {
			t.Errorf("%q, %q = %d, want %d", tt.head, tt.body, status, tt.want)
		}
	}
	w.get("/company").has("data.company_name", "Company")
}

// What the service decides cannot be sent.
func serverFields(t *testing.T, s *Service) {
	w := newWorld(t, s)
	w.hook()
	const now = "2026-01-31T12:00:00.000Z"
	values := obj{
		"id": w.bob, "version": 7, "revision": 7, "created_at": now, "updated_at": now, "agent_id": w.bob, "content_hash": "x",
		"saved_by": "me", "saved_at": now, "restored_from": 1, "place": "a", "entity_id": w.bob, "_id": "x", "departments": list{},
		"secret": "whsec_x", "disabled_reason": "x", "sid": "s1", "expires_at": now, "token": "x", "issued_at": now, "kind": "sign_in", "last_used_at": now,
	}
	shown := slices.Clip([]string{"id", "revision", "created_at", "updated_at"}) // in most answers
	rows := []struct {
		method, path      string
		base              obj
		readOnly, unknown []string
	}{
		{"POST", "/agents", agentBody("X", "Design"), append(shown, "version"), []string{"content_hash", "saved_by", "place", "_id"}},
		{"PATCH", agentPath(w.ann), obj{}, append(shown, "version"), []string{"content_hash", "saved_by", "place", "_id"}},
		{"POST", "/departments", obj{"name": "X"}, shown, []string{"place", "_id"}},
		{"PATCH", "/departments/Design", obj{}, shown, []string{"place", "_id"}},
		{"PATCH", "/company", obj{}, []string{"revision", "updated_at", "departments"}, []string{"id", "_id"}},
		{"POST", "/projects", obj{"name": "X"}, shown, nil},
		{"PATCH", "/projects/" + w.project, obj{}, shown, nil},
		{"POST", agentPath(w.ann) + "/versions/rollback", obj{"target_version": 1}, nil, []string{"version", "saved_by", "restored_from", "id"}},
		{"POST", "/webhooks", obj{"url": nowhere}, append(shown, "secret", "disabled_reason"), nil},
		{"PATCH", "/webhooks/" + w.webhook, obj{}, append(shown, "secret", "disabled_reason"), nil},
		{"POST", "/auth/tokens", obj{"subject": "x", "role": "editor"}, nil, []string{"id", "sid", "expires_at", "issued_at", "token", "kind", "last_used_at"}},
	}
	tried := 0
	for _, row := range rows {
		tried += len(row.readOnly) + len(row.unknown)
		for _, f := range row.readOnly {
			w.send(row.method, row.path, with(row.base, f, values[f])).refused(400, 2001, f+": is read-only")
		}
		for _, f := range row.unknown {
			w.send(row.method, row.path, with(row.base, f, values[f])).refused(400, 2001, f+": unknown field")
		}
	}
	t.Logf("R19: %d fields of the service refused in %d operations", tried, len(rows))
	w.patch(agentPath(w.ann), obj{"hiring_date": "2026-01-01"}).refused(400, 2001, "hiring_date")
	w.patch("/departments/Design", obj{"name": "Design"}).refused(400, 2001, "name")
	w.post("/projects", obj{"name": "X", "status": "active"}).refused(400, 2001, "status")
	w.post("/projects", obj{"name": "X", "task_ids": list{}}).refused(400, 2001, "task_ids")
	w.report(obj{"event_type": "hired", "agent": "Ann", "data": obj{}}).refused(400, 2001, "events[0]")
	w.report(with(task("Ann", 1, nil), "agent_id", w.ann)).refused(400, 2001, "events[0].agent_id")
}
