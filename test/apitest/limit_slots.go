package apitest

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
)

// hold begins a request on the first replica and returns when the service waits for its body. The
// returned function sends the body and returns the status.
func (c *client) hold(path string, body string) (finish func() int) {
	c.t.Helper()
	u, err := url.Parse(c.s.URLs[0])
	if err != nil {
		c.t.Fatal(err)
	}
	conn, err := net.Dial("tcp", u.Host)
	if err != nil {
		c.t.Fatal(err)
	}
	c.t.Cleanup(func() { conn.Close() })
	answers := bufio.NewReader(conn)
	next := func() int {
		resp, err := http.ReadResponse(answers, nil)
		if err != nil {
			c.t.Fatalf("POST %s: %v", path, err)
		}
		resp.Body.Close()
		return resp.StatusCode
	}
	fmt.Fprintf(conn, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\nExpect: 100-continue\r\n\r\n",
		api+path, u.Host, c.header.Get("Authorization"), len(body))
	if status := next(); status != http.StatusContinue {
		c.t.Fatalf("POST %s = %d before its body, want 100", path, status)
	}
	return func() int {
		fmt.Fprint(conn, body)
		return next()
	}
}

// Of one operation and subject only so many run at once, on all replicas
// together; a slot is free again soon after its request has ended, however that
// was.
func slots(t *testing.T, start func(*Caps) *Service) {
	s := start(&Caps{Slots: map[string]int{"departments.reorder_agents": 1, "agents.rollback": 2}})
	w := newWorld(t, s)
	const path = "/departments/Design/reorder-agents"
	order := obj{"agent_names": list{"Ann", "Bob"}}
	finish := w.hold(path, string(encode(t, order)))
	r := w.post(path, order).refused(429, 5002, "1 of departments.reorder_agents")
	if r.header.Get("Retry-After") != "1" {
		t.Errorf("Retry-After = %s, want 1", r.header.Get("Retry-After"))
	}
	w.post("/departments/Sales/reorder-agents", obj{"agent_names": list{"Carl"}}).refused(429, 5002)
	s.as(t, "editor").post(path, order).want(201) // another subject
	w.patch("/departments/Design", obj{"description": "x"}).want(200)
	if status := finish(); status != 201 {
		t.Errorf("the request that held the slot = %d, want 201", status)
	}
	free := func() bool { return w.post(path, order).is(201, 0) }
	eventually(t, "the slot is free", free)
	eventually(t, "the slot is free once more", func() bool { return w.post(path, "{").is(400, 2001) })
	eventually(t, "the slot is free after a bad request", free)

	rollback := "/agents/Ann/versions/rollback"
	first := w.hold(rollback, `{"target_version": 1}`)
	second := w.hold(rollback, `{"target_version": 9}`)
	w.post(rollback, obj{"target_version": 1}).refused(429, 5002)
	if a, b := first(), second(); a != 200 || b != 404 {
		t.Errorf("the requests that held the slots = %d and %d, want 200 and 404", a, b)
	}
	eventually(t, "a slot is free", func() bool { return w.post(rollback, obj{"target_version": 1}).is(200, 0) })
}

// A stream holds its slot for as long as it is open.
func streamSlots(t *testing.T, start func(*Caps) *Service) {
	s := start(&Caps{Slots: map[string]int{"activities.stream": 4}})
	s.URLs = s.URLs[:1]
	one, two := s.grant(t, Grant{Subject: "one", Role: "editor"}), s.grant(t, Grant{Subject: "two", Role: "editor"})
	var open []*stream
	for range 4 {
		open = append(open, one.follow(streamPath, ""))
	}
	for range 2 {
		one.get(streamPath).refused(429, 5002, "4 of activities.stream")
		one.send("HEAD", streamPath, nil).want(429)
		one.get("/company").want(200)
	}
	two.follow(streamPath, "")
	open[2].close()
	var again *stream
	eventually(t, "the slot is free", func() bool {
		again, _ = one.tryFollow(streamPath, open[2].last)
		return again != nil
	})
	one.get(streamPath).refused(429, 5002)
	one.get(streamPath+"?type=none").refused(429, 5002) // limits come first
	for _, st := range append(open, again) {
		if b, err := st.wait(0); err == nil || st != open[2] && !errors.Is(err, errQuiet) {
			t.Errorf("a stream beside refused ones has %+v, %v, want nothing", b, err)
		}
	}
}

// The headers tell what is left.
func rateLimitHeaders(t *testing.T, start func(*Caps) *Service) {
	s := start(&Caps{Address: hourly(100), Subject: hourly(50), Operations: map[string]Rate{"company.update": hourly(3)}})
	c := s.admin(t)
	form := regexp.MustCompile(`^"address";r=(\d+);t=(\d+), "subject";r=(\d+);t=(\d+), "company.update";r=(\d+);t=(\d+)$`)
	for left := 2; left >= 0; left-- {
		r := c.patch("/company", obj{})
		m := form.FindStringSubmatch(r.header.Get("RateLimit"))
		if m == nil || m[5] != fmt.Sprint(left) || m[3] != fmt.Sprint(47+left) {
			t.Errorf("RateLimit = %s, want %d left", r.header.Get("RateLimit"), left)
		}
	}
	r := c.patch("/company", obj{}).refused(429, 5001)
	if !strings.Contains(r.header.Get("RateLimit"), `"company.update";r=0;t=`) || !strings.Contains(r.header.Get("RateLimit"), `"subject";r=47`) {
		t.Errorf("RateLimit of a refusal = %s, want nothing left of the operation and the subject as before", r.header.Get("RateLimit"))
	}
}

// Limits come before everything that they protect.
func limitsComeFirst(t *testing.T, start func(*Caps) *Service) {
	s := start(&Caps{Subject: hourly(1), AuthFailures: hourly(1)})
	c := s.as(t, "agent")
	c.get("/company").want(200)
	for _, tt := range []struct{ method, path, body string }{
		{"GET", "/nowhere", ""}, {"PUT", "/company", "{}"}, {"PATCH", "/company", "{"}, {"GET", "/agents?limit=0", ""}, {"GET", "/audit", ""}, {"GET", "/agents//x", ""},
	} {
		var body any
		if tt.body != "" {
			body = tt.body
		}
		c.send(tt.method, tt.path, body).refused(429, 5000)
	}
	bad := s.bearer(t, "x")
	bad.get("/company").refused(401, 1000)
	bad.get("/company").refused(429, 5000)
	bad.get("/nowhere").refused(429, 5000)
}

// Without limits nothing is said about them.
func limitsOff(t *testing.T, start func(*Caps) *Service) {
	s := start(&Caps{})
	c := s.admin(t)
	for range 100 {
		if r := c.get("/company").want(200); r.header.Get("RateLimit") != "" || r.header.Get("RateLimit-Policy") != "" {
			t.Fatalf("headers = %v, want none about limits", r.header)
		}
	}
}
