package httpapi

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"orgd/adapters/httpapi/apidoc"
	"orgd/adapters/httpapi/internal/request"
	"orgd/adapters/system"
	"orgd/app"
	"orgd/domain/access"
	"orgd/domain/idempotency"
	"orgd/domain/session"
	"orgd/ports"
)

// anybody accepts tokens that are ROLE:SUBJECT.
type anybody struct{}

func (anybody) Authenticate(_ context.Context, token string) (session.Session, error) {
	role, subject, _ := strings.Cut(token, ":")
	return session.Session{ID: token, Issuer: "orgd", Subject: subject, Role: access.Role(role), ExpiresAt: time.Now().Add(time.Hour), Kind: session.ByToken}, nil
}

func withAnybody(_ *Config, p *Parts) {
	p.Sessions = app.NewSessions(p.Clock, p.IDs, system.Random{}, anybody{}, nil, noSessions{}, nil)
	p.Idempotency = fakeKeys{release: ok}
}

// unread is a body that nobody may read.
type unread struct{ read bool }

func (u *unread) Read([]byte) (int, error) { u.read = true; return 0, errors.New("the body was read") }

// sendUnread sends a request with a body to a route, and reports whether it was read.
func (f fake) sendUnread(t *testing.T, rt request.Route, token string) (status int, read bool) {
	t.Helper()
	path := strings.NewReplacer("{project_id}", "proj-000000000000", "{id}", "0190b5a5-0000-7000-8000-000000000000", "{", "", "}", "").Replace(rt.Pattern())
	r := newRequest(t, rt.Method, path, "{}")
	body := &unread{}
	r.ContentLength, r.Body = -1, io.NopCloser(body)
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Idempotency-Key", "k")
	r.Host, r.RemoteAddr = "127.0.0.1:8080", "127.0.0.1:40000"
	return f.send(r).Code, body.read
}

// Routes that take no body read none, also with an Idempotency-Key, and they are those
// without a body in the description.
func TestRoutesWithoutABody(t *testing.T) {
	var doc struct {
		Paths map[string]map[string]json.RawMessage
	}
	if err := json.Unmarshal(apidoc.JSON(), &doc); err != nil {
		t.Fatal(err)
	}
	f := newFake(t, ok, withAnybody)
	for _, rt := range f.routes() {
		takes := rt.Spooled || rt.MaxBody > 0
		if described := strings.Contains(string(doc.Paths[rt.Pattern()][strings.ToLower(rt.Method)]), `"requestBody"`); takes != described {
			t.Errorf("%s %s: takes a body: %v, described: %v", rt.Method, rt.Path, takes, described)
		}
		if rt.Op == access.ActivitiesStream {
			continue
		}
		if status, read := f.sendUnread(t, rt, "admin:root"); read != takes {
			t.Errorf("%s %s = %d, body read: %v, want %v", rt.Method, rt.Path, status, read, takes)
		}
	}
}

// Nothing of a body is read before the role may do what is asked for.
func TestNoBodyBeforePermission(t *testing.T) {
	f, refused := newFake(t, ok, withAnybody), 0
	for _, rt := range f.routes() {
		for _, role := range access.Roles() {
			if rt.Op.Public() || access.Of(role, rt.Op) != access.Denied {
				continue
			}
			refused++
			if status, read := f.sendUnread(t, rt, string(role)+":kim"); status != http.StatusForbidden || read {
				t.Errorf("%s %s as %s = %d, body read: %v, want 403 without", rt.Method, rt.Path, role, status, read)
			}
		}
	}
	if refused < 20 {
		t.Errorf("%d requests were refused, want some for most routes", refused)
	}
}

// recorded has a record on every key.
type recorded struct{ ports.IdempotencyStore }

func (recorded) Lock(_ context.Context, l idempotency.Lock) (*idempotency.Record, error) {
	return &idempotency.Record{Key: l.Key, Fingerprint: l.Fingerprint, Reply: &idempotency.Reply{Status: 200, Body: []byte("{}")}}, nil
}

// Whatever becomes of a request, its body's memory is given back, and it is before the
// answer is sent, which may take as long as the client wants.
func TestBodyMemoryIsGivenBack(t *testing.T) {
	patch := `{"company_name":"` + strings.Repeat("x", 200) + `"}`
	large := patch + strings.Repeat(" ", 100<<10)
	for what, tt := range map[string]struct {
		do     func(context.Context) error
		body   string
		end    error // of the body, after its text
		keys   ports.IdempotencyStore
		status int
	}{
		"success":           {do: ok, body: patch, status: 200},
		"large":             {do: ok, body: large, status: 200},
		"wrong":             {do: ok, body: large + "x", status: 400},
		"too large":         {do: ok, body: strings.Repeat(" ", 2<<20), status: 400},
		"storage fails":     {do: func(context.Context) error { return errors.New("disk") }, body: large, status: 500},
		"panic":             {do: func(context.Context) error { panic("bug") }, body: large, status: 500},
		"cut":               {do: ok, body: large, end: io.ErrUnexpectedEOF, status: 400},
		"replay":            {do: ok, body: large, keys: recorded{}, status: 200},
		"first one running": {do: ok, body: large, keys: lockedKeys{}, status: 429},
	} {
		for how, length := range map[string]int64{"announced": int64(len(tt.body)), "in pieces": -1} {
			keyed := tt.keys != nil
			var f fake
			f = newFake(t, func(ctx context.Context) error {
				if !keyed && f.env.Bodies.Taken() < 2*int64(len(tt.body)) {
					t.Errorf("%s, %s: %d bytes are taken while a body of %d is dealt with", what, how, f.env.Bodies.Taken(), len(tt.body))
				}
				return tt.do(ctx)
			}, func(_ *Config, p *Parts) { p.Idempotency = tt.keys })
			method, path := "PATCH", "/api/v1/company"
			if keyed {
				method, path = "POST", "/api/v1/company/reorder-departments"
			}
			r := newRequest(t, method, path, "{}")
			var end io.Reader = strings.NewReader("")
			if tt.end != nil {
				end = bodyFunc(func([]byte) (int, error) { return 0, tt.end })
			}
			r.ContentLength, r.Body = length, io.NopCloser(io.MultiReader(strings.NewReader(tt.body), end))
			if keyed {
				r.Header.Set("Idempotency-Key", "k")
			}
			w := &watched{ResponseRecorder: httptest.NewRecorder(), taken: f.env.Bodies.Taken}
			f.Handler().ServeHTTP(w, r)
			if w.Code != tt.status || w.most != 0 || f.env.Bodies.Taken() != 0 {
				t.Errorf("%s, %s: answer = %d, %d bytes taken while it is sent and %d then, want %d and none",
					what, how, w.Code, w.most, f.env.Bodies.Taken(), tt.status)
			}
		}
	}
}

// watched looks at how much is taken while an answer is sent.
type watched struct {
	*httptest.ResponseRecorder
	taken func() int64
	most  int64
}

func (w *watched) Write(b []byte) (int, error) {
	w.most = max(w.most, w.taken())
	return w.ResponseRecorder.Write(b)
}

// Memory is taken as a body arrives. A subject that has its part waits, and is refused
// after a while; others do not wait.
func TestBodiesOfOneSubject(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, ok, withAnybody)
		var open []*io.PipeWriter
		ended := make(chan *httptest.ResponseRecorder)
		begin := func(token string, first int) {
			from, to := io.Pipe()
			r := newRequest(t, "POST", "/api/v1/activities", "{}")
			r.Header.Set("Authorization", "Bearer "+token)
			r.ContentLength, r.Body = 8<<20, from
			go func() { ended <- f.send(r) }()
			if _, err := to.Write([]byte(strings.Repeat(" ", first))); err != nil {
				t.Error(err)
			}
			open = append(open, to)
			synctest.Wait()
		}
		taken := func(least, most int64) {
			t.Helper()
			if got := f.env.Bodies.Taken(); got < least || got > most {
				t.Errorf("%d bytes are taken, want %d to %d", got, least, most)
			}
		}
		begin("agent:ann", 0)
		taken(0, 0)
		begin("agent:ann", 100)
		taken(200, 2048)
		begin("agent:ann", 20<<10)
		taken(16<<20, 17<<20)
		asked := time.Now()
		another := newRequest(t, "POST", "/api/v1/activities", strings.Repeat(" ", 8<<20))
		another.Header.Set("Authorization", "Bearer agent:ann")
		w := f.send(another)
		if d := detailOf(t, w); w.Code != 429 || d.Code != 5002 || w.Header().Get("Retry-After") != "1" || !d.Retryable || time.Since(asked) != 10*time.Second {
			t.Errorf("another large one = %d %s after %v, want 429/5002 after 10 s", w.Code, w.Body, time.Since(asked))
		}
		r := newRequest(t, "PATCH", "/api/v1/company", `{"company_name":"x"}`+strings.Repeat(" ", 100<<10))
		r.Header.Set("Authorization", "Bearer admin:root")
		if w := f.send(r); w.Code != 200 {
			t.Errorf("somebody else's = %d %s, want 200", w.Code, w.Body)
		}
		for _, to := range open {
			to.CloseWithError(io.ErrUnexpectedEOF)
		}
		for range open {
			<-ended
		}
		taken(0, 0)
	})
}

// A body that does not go on gives way to others, and its client is told so.
func TestSlowBodyGivesWay(t *testing.T) {
	f := newFake(t, ok, withAnybody, func(c *Config, _ *Parts) { c.Addr = "127.0.0.1:0" })
	addr, stop := f.run(t)
	defer stop()
	begin := func(subject string) net.Conn {
		conn, err := net.Dial("tcp", addr)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		if _, err := fmt.Fprintf(conn, "POST /api/v1/activities HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer agent:%s\r\n"+
			"Content-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", subject, 8<<20, strings.Repeat(" ", 100<<10)); err != nil {
			t.Fatal(err)
		}
		return conn
	}
	answers := make(chan string, 10)
	for i := range 2 {
		conn := begin(fmt.Sprint("greedy", i))
		go func() {
			resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
			if err != nil {
				answers <- err.Error()
				return
			}
			defer resp.Body.Close()
			text, err := io.ReadAll(resp.Body)
			answers <- fmt.Sprint(resp.StatusCode, " ", strings.Contains(string(text), `"error_code":5002`), " ", err)
		}()
	}
	for f.env.Bodies.Taken() < 32<<20 {
		time.Sleep(time.Millisecond)
	}
	body := `{"events":[{}]}`
	r, err := http.NewRequestWithContext(t.Context(), "POST", "http://"+addr+"/api/v1/activities", strings.NewReader(body+strings.Repeat(" ", 8<<20-len(body))))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer agent:honest")
	r.Header.Set("Content-Type", "application/json")
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	http.DefaultClient.CloseIdleConnections()
	if resp.StatusCode != http.StatusBadRequest { // it was read as a whole: the event has no type
		t.Errorf("an honest report = %s, want 400 of what is in it", resp.Status)
	}
	if got := <-answers; got != "429 true <nil>" {
		t.Errorf("a body that did not go on: %s, want 429 with code 5002", got)
	}
	if len(answers) > 0 {
		t.Errorf("another one gave way too: %s", <-answers)
	}
}
