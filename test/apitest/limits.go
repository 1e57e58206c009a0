package apitest

import (
	"fmt"
	"testing"
	"time"
)

// Rate is a cap on requests in any period of a length. Cap 0 is no limit.
type Rate struct {
	Cap    int
	Length time.Duration
}

// Caps are the limits of a service. The zero value limits nothing.
type Caps struct {
	Address, AuthFailures, Subject Rate
	Operations                     map[string]Rate
	Slots                          map[string]int
}

// StartLimited starts a service with these limits, or with the default ones if
// they are nil.
type StartLimited func(t *testing.T, caps *Caps) *Service

// RunLimits checks how the interface limits its callers.
func RunLimits(t *testing.T, start StartLimited) {
	docs := newDocuments()
	t.Cleanup(func() {
		docs.missed(t, func(status string) bool { return status == "429" })
	})
	for name, c := range map[string]func(*testing.T, func(*Caps) *Service){
		"Defaults":     defaultLimits,
		"Operations":   operationLimits,
		"Address":      addressLimit,
		"Everything":   everythingIsLimited,
		"AuthFailures": authFailureLimit,
		"GuessedLinks": guessedLinks,
		"Subject":      subjectLimit,
		"Sliding":      slidingWindow,
		"Slots":        slots,
		"Streams":      streamSlots,
		"Headers":      rateLimitHeaders,
		"Order":        limitsComeFirst,
		"Off":          limitsOff,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c(t, func(caps *Caps) *Service {
				s := start(t, caps)
				s.document = docs.of(t, s)
				return s
			})
		})
	}
}

// hourly is long enough that nothing of a window ends before a test does.
func hourly(n int) Rate { return Rate{n, time.Hour} }

// limitedOperations are the operations that have a cap of their own in 60 s and
// at the same time, by default.
var limitedOperations = map[string]struct{ window, slots int }{
	"agents.create": {60, 0}, "agents.update": {120, 0}, "agents.delete": {30, 0}, "agents.rollback": {30, 2}, "agents.restore": {30, 0},
	"departments.create": {30, 0}, "departments.update": {60, 0}, "departments.delete": {20, 0}, "departments.reorder_agents": {30, 1},
	"departments.update_ceremony_policy": {60, 0}, "departments.delete_ceremony_policy": {30, 0},
	"company.update": {60, 0}, "company.reorder_departments": {20, 1},
	"labels.move": {120, 0}, "projects.create": {60, 0}, "projects.update": {120, 0}, "projects.delete": {30, 0},
	"activities.ingest": {600, 8}, "auth.tokens": {30, 0}, "webhooks.write": {60, 0}, "webhooks.test": {10, 0},
	"organization.apply": {20, 1},
}

// limitOf is the name under which an operation is limited.
func limitOf(op operation) string {
	switch op.id {
	case "webhooks.create", "webhooks.update", "webhooks.delete", "webhooks.rotate_secret", "webhooks.redeliver":
		return "webhooks.write"
	case "labels.set", "labels.remove":
		return "labels.move"
	}
	return op.id
}

// Every operation tells its limits, and they are the promised ones.
func defaultLimits(t *testing.T, start func(*Caps) *Service) {
	s := start(nil)
	c := s.admin(t)
	for _, op := range s.document.operations {
		want := `"address";q=10000;w=60, "subject";q=6000;w=60`
		if l, ok := limitedOperations[limitOf(op)]; ok {
			want += fmt.Sprintf(`, "%s";q=%d;w=60`, limitOf(op), l.window)
		}
		if public[op.id] {
			want = `"address";q=10000;w=60`
		}
		if op.id == "healthz" || op.id == "readyz" {
			want = ""
		}
		if op.id == "auth.logout" {
			continue
		}
		if got := c.send(op.method, op.example, nil).header.Get("RateLimit-Policy"); got != want {
			t.Errorf("%s: RateLimit-Policy = %s, want %s", op.id, got, want)
		}
	}
	bad := s.bearer(t, "nonsense").get("/company").refused(401, 1000)
	if got, want := bad.header.Get("RateLimit-Policy"), `"address";q=10000;w=60, "auth-failures";q=30;w=60`; got != want {
		t.Errorf("with a bad token: RateLimit-Policy = %s, want %s", got, want)
	}
}

// Every operation can be limited for itself, for each subject. Requests that
// fail count, requests that are denied do not.
func operationLimits(t *testing.T, start func(*Caps) *Service) {
	caps := &Caps{Operations: map[string]Rate{}}
	for id := range limitedOperations {
		caps.Operations[id] = hourly(2)
	}
	s := start(caps)
	one, two := s.grant(t, Grant{Subject: "one", Role: "admin"}), s.grant(t, Grant{Subject: "two", Role: "editor"})
	tried := map[string]bool{}
	for _, op := range s.document.operations {
		name := limitOf(op)
		if _, limited := limitedOperations[name]; !limited || tried[name] {
			continue
		}
		tried[name] = true
		for range 2 {
			if r := one.send(op.method, op.example, "{"); r.status == 429 {
				t.Errorf("%s was refused too early", op.id)
			}
		}
		for range 3 {
			r := one.send(op.method, op.example, "{").refused(429, 5001, "2 of "+name, "3600 s")
			if after := retryAfter(r.header); after == nil || *after < 1 || *after > 3600 {
				t.Errorf("%s: Retry-After = %s", op.id, r.header.Get("Retry-After"))
			}
		}
		if r := two.send(op.method, op.example, "{"); r.status == 429 {
			t.Errorf("%s of another subject was refused", op.id)
		}
	}
	one.get("/company").want(200)
	s.grant(t, Grant{Subject: "one", Role: "admin"}).post("/projects", obj{"name": "x"}).refused(429, 5001) // another token, the same subject
}

// An address has so many requests, whatever they are.
func addressLimit(t *testing.T, start func(*Caps) *Service) {
	s := start(&Caps{Address: hourly(8)})
	c := s.admin(t) // the description was read once
	c.get("/company").want(200)
	c.get("/nowhere").refused(404, 3002)
	c.get("/agents/nobody").refused(404, 3000)
	s.anonymous(t).get("/company").refused(401, 1000)
	s.anonymous(t).get("/openapi.yaml").want(200)
	c.patch("/company", "{").refused(400, 2001)
	c.delete("/company").refused(405, 2001)
	for range 3 {
		c.get("/company").refused(429, 5000, "8 requests")
		s.anonymous(t).get("/openapi.yaml").refused(429, 5000)
		c.get("/nowhere").refused(429, 5000)
		s.anonymous(t).get("/healthz").want(200) // probes are not counted, nor refused
		s.anonymous(t).get("/readyz").want(200)
	}
	problem := c.with("Accept", "application/problem+json").get("/company").want(429)
	if problem.number("retry_after") < 1 || fmt.Sprint(problem.number("retry_after")) != problem.header.Get("Retry-After") {
		t.Errorf("problem = %s, Retry-After %s", problem.body, problem.header.Get("Retry-After"))
	}
	for _, forged := range []string{"10.9.8.7", "::1", "unknown"} {
		c.with("X-Forwarded-For", forged).with("X-Real-Ip", forged).with("Forwarded", "for="+forged).get("/company").refused(429, 5000)
	}
}

// Nothing but the probes is spared.
func everythingIsLimited(t *testing.T, start func(*Caps) *Service) {
	s := start(&Caps{Address: hourly(1)}) // the description was read once
	c := s.admin(t)
	for _, op := range s.document.operations {
		if op.id == "healthz" || op.id == "readyz" {
			c.send(op.method, op.example, nil).want(200)
			continue
		}
		c.send(op.method, op.example, nil).refused(429, 5000)
	}
}

// Guessing tokens ends soon; good tokens and none at all are not affected.
func authFailureLimit(t *testing.T, start func(*Caps) *Service) {
	s := start(&Caps{AuthFailures: hourly(3)})
	good := s.admin(t)
	for range 10 {
		s.anonymous(t).get("/company").refused(401, 1000)
	}
	for i := range 3 {
		s.bearer(t, fmt.Sprint("guess", i)).get("/company").refused(401, 1000)
	}
	for i := range 3 {
		s.bearer(t, fmt.Sprint("guess", i)).get("/company").refused(429, 5000)
		s.bearer(t, fmt.Sprint("guess", i)).get("/nowhere").refused(429, 5000)
		good.get("/company").want(200)
		s.anonymous(t).get("/company").refused(401, 1000)
		s.bearer(t, "guess").get("/openapi.yaml").want(200) // public: tokens are not looked at
		s.anonymous(t).post(redeemPath, obj{"code": "guess"}).refused(429, 5000)
	}
	code := good.post("/auth/links", nil).want(201).text("data.code")
	s.anonymous(t).post(redeemPath, obj{"code": code}).want(201)
}

// Guessed codes of links count as guessed tokens do.
func guessedLinks(t *testing.T, start func(*Caps) *Service) {
	s := start(&Caps{AuthFailures: hourly(3)})
	for range 3 {
		s.anonymous(t).post(redeemPath, obj{"code": "guess"}).refused(401, 1000)
	}
	s.anonymous(t).post(redeemPath, obj{"code": "guess"}).refused(429, 5000)
	s.bearer(t, "guess").get("/company").refused(429, 5000)
	s.admin(t).get("/company").want(200)
}

// A subject has so many requests, through all of its sessions.
func subjectLimit(t *testing.T, start func(*Caps) *Service) {
	s := start(&Caps{Subject: hourly(4)})
	one, two := s.grant(t, Grant{Subject: "kim", Role: "admin"}), s.grant(t, Grant{Subject: "kim", Role: "editor"})
	one.get("/company").want(200)
	two.get("/nowhere").refused(404, 3002)
	two.get("/audit").refused(403, 1001)
	one.patch("/company", "{").refused(400, 2001)
	one.get("/company").refused(429, 5000)
	two.get("/company").refused(429, 5000)
	s.grant(t, Grant{Subject: "lee", Role: "admin"}).get("/company").want(200)
	s.anonymous(t).get("/company").refused(401, 1000)
}

// Who waits as long as he is told is let in, and not before.
func slidingWindow(t *testing.T, start func(*Caps) *Service) {
	const window = 6 * time.Second // longer than three requests take on a busy machine
	s := start(&Caps{Operations: map[string]Rate{"company.update": {2, window}}})
	c := s.admin(t)
	change := func() *reply { return c.patch("/company", obj{}) }
	begun := time.Now()
	change().want(200)
	change().want(200)
	r := change()
	for r.status == 200 && time.Since(begun) >= window { // the machine is so busy that the window has moved on
		time.Sleep(window)
		begun = time.Now()
		change().want(200)
		change().want(200)
		r = change()
	}
	after := retryAfter(r.refused(429, 5001).header)
	told := time.Now()
	for {
		asked := time.Since(told)
		r := change()
		if r.status == 200 {
			break
		}
		r.refused(429, 5001)
		if asked > time.Duration(*after)*time.Second {
			t.Fatalf("refused after %v, told to wait %d s, the window is %v", asked, *after, window)
		}
		time.Sleep(20 * time.Millisecond)
	}
	if took := time.Since(begun); took < window {
		t.Errorf("let in after %v, the window is %v", took, window)
	}
}
