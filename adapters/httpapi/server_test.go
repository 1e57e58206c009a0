package httpapi

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/company"
	"orgd/ports"
)

func ok(context.Context) error { return nil }

// refusal is an answer of a rule, unless there is no time left for one.
func refusal(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	return company.ErrCurrency
}

// run serves f on a free port until stop is called, which returns what Run did.
func (f fake) run(t *testing.T) (addr string, stop func() error) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	at, done := make(chan net.Addr, 1), make(chan error, 1)
	go func() { done <- f.Run(ctx, func(a net.Addr) { at <- a }) }()
	select {
	case a := <-at:
		return a.String(), func() error { cancel(); return <-done }
	case err := <-done:
		cancel()
		t.Fatalf("Run = %v", err)
		return "", nil
	}
}

// call sends a request over the network and returns the answer without its body.
func call(t *testing.T, c *http.Client, method, url, body string) *http.Response {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer good")
	if body != "" {
		r.Header.Set("Content-Type", protocol.JSON)
	}
	resp, err := c.Do(r)
	if err != nil {
		t.Fatalf("%s %s: %v", method, url, err)
	}
	if _, err := io.Copy(io.Discard, resp.Body); err != nil {
		t.Errorf("%s %s: read: %v", method, url, err)
	}
	resp.Body.Close()
	return resp
}

func newClient(t *testing.T) *http.Client {
	c := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(c.CloseIdleConnections)
	return c
}

// While it drains, the server says that it is not ready, ends connections
// gently and lets running requests end.
func TestRunDrains(t *testing.T) {
	begun, finish := make(chan struct{}), make(chan struct{})
	f := newFake(t, func(ctx context.Context) error {
		close(begun)
		<-finish
		return refusal(ctx)
	}, func(c *Config, p *Parts) {
		c.Addr, c.DrainDelay = "127.0.0.1:0", 3*time.Second // time for two requests on a busy machine
		p.Storage = fakeStorage{ping: ok}
	})
	addr, stop := f.run(t)
	c := newClient(t)
	if resp := call(t, c, "GET", "http://"+addr+"/api/v1/readyz", ""); resp.StatusCode != 200 || resp.Close {
		t.Errorf("readyz = %d, close %v, want 200 on a lasting connection", resp.StatusCode, resp.Close)
	}
	slow := make(chan *http.Response, 1)
	go func() { slow <- call(t, newClient(t), "GET", "http://"+addr+"/api/v1/company", "") }()
	<-begun
	stopped := make(chan error, 1)
	go func() { stopped <- stop() }()
	for !f.env.Draining.Load() {
		time.Sleep(time.Millisecond)
	}
	if resp := call(t, c, "GET", "http://"+addr+"/api/v1/readyz", ""); resp.StatusCode != 503 || !resp.Close {
		t.Errorf("readyz = %d, close %v, want 503 and the end of the connection", resp.StatusCode, resp.Close)
	}
	if resp := call(t, c, "GET", "http://"+addr+"/api/v1/auth/me", ""); resp.StatusCode != 200 {
		t.Errorf("auth/me while draining = %d, want 200", resp.StatusCode)
	}
	close(finish)
	if resp := <-slow; resp.StatusCode != 409 {
		t.Errorf("the running request got %d, want 409", resp.StatusCode)
	}
	if err := <-stopped; err != nil {
		t.Errorf("Run = %v, want nil", err)
	}
}

// A drain does not wait for ever.
func TestRunGivesUp(t *testing.T) {
	begun := make(chan struct{})
	f := newFake(t, func(ctx context.Context) error {
		close(begun)
		<-ctx.Done()
		return ctx.Err()
	}, func(c *Config, _ *Parts) { c.Addr, c.ShutdownTimeout = "127.0.0.1:0", 20*time.Millisecond })
	addr, stop := f.run(t)
	cut := make(chan error, 1)
	go func() {
		r, err := http.NewRequestWithContext(t.Context(), "GET", "http://"+addr+"/api/v1/company", nil)
		if err == nil {
			r.Header.Set("Authorization", "Bearer good")
			var resp *http.Response
			if resp, err = newClient(t).Do(r); err == nil {
				err = resp.Body.Close()
			}
		}
		cut <- err
	}()
	<-begun
	if err := stop(); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Run = %v, want DeadlineExceeded", err)
	}
	if err := <-cut; err == nil {
		t.Error("the request that was cut got an answer")
	}
}

func TestRunCannotListen(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	f := newFake(t, ok, func(c *Config, _ *Parts) { c.Addr = l.Addr().String() })
	if err := f.Run(t.Context(), func(net.Addr) { t.Error("ready was called") }); err == nil {
		t.Error("Run on a taken port = nil")
	}
}

func TestReady(t *testing.T) {
	down := errors.New("no such host")
	for what, tt := range map[string]struct {
		err    error
		status int
	}{
		"up": {nil, 200}, "down": {ports.ErrUnavailable.Because(down), 503}, "broken": {down, 503}, "failed": {ports.ErrStorage, 503},
	} {
		f := newFake(t, func(context.Context) error { return tt.err })
		w := f.send(httptest.NewRequestWithContext(t.Context(), "GET", "/api/v1/readyz", nil))
		if w.Code != tt.status || w.Header().Get("RateLimit") != "" || strings.Contains(w.Body.String(), "host") {
			t.Errorf("%s: readyz = %d %s, want %d", what, w.Code, w.Body, tt.status)
		}
		want := map[bool]string{true: "1", false: "0"}[tt.err == nil]
		for _, metric := range []string{"orgd_ready", `orgd_dependency_up{dependency="storage"}`} {
			if got := f.metric(t, metric); got != want {
				t.Errorf("%s: %s = %s, want %s", what, metric, got, want)
			}
		}
	}
	f := newFake(t, ok)
	f.env.Draining.Store(true)
	w := f.send(httptest.NewRequestWithContext(t.Context(), "GET", "/api/v1/readyz", nil))
	if w.Code != 503 || detailOf(t, w).Code != 8001 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("draining: readyz = %d %s, want 503/8001 after 1 s", w.Code, w.Body)
	}
}

// Concurrent requests for readiness share one check of the storage, also if one of their
// clients leaves.
func TestReadyAsksOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked atomic.Int32
		answer := make(chan struct{})
		f := newFake(t, func(ctx context.Context) error {
			asked.Add(1)
			select {
			case <-answer:
			case <-ctx.Done():
			}
			return ctx.Err()
		})
		leave, cancel := context.WithCancel(t.Context())
		var all sync.WaitGroup
		ask := func(ctx context.Context) {
			all.Go(func() {
				w := f.send(httptest.NewRequestWithContext(ctx, "GET", "/api/v1/readyz", nil))
				if w.Code != 200 {
					t.Errorf("readyz = %d %s, want 200", w.Code, w.Body)
				}
			})
			synctest.Wait()
		}
		ask(leave)
		for range 20 {
			ask(t.Context())
		}
		cancel()
		synctest.Wait()
		close(answer)
		all.Wait()
		if n := asked.Load(); n != 1 {
			t.Errorf("the storage was asked %d times", n)
		}
		ask(t.Context())
		if n := asked.Load(); n != 2 {
			t.Errorf("the storage was asked %d times in all, want once more", n)
		}
		all.Wait()
	})
}

// metric is the value of a metric.
func (f fake) metric(t *testing.T, name string) string {
	t.Helper()
	w := httptest.NewRecorder()
	f.parts.Metrics.Handler().ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), "GET", "/metrics", nil))
	for line := range strings.Lines(w.Body.String()) {
		if value, ok := strings.CutPrefix(line, name+" "); ok {
			return strings.TrimSpace(value)
		}
	}
	return "not there"
}

// deadlines is an answer that remembers the read deadlines of its connection.
type deadlines struct {
	*httptest.ResponseRecorder
	set []time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error {
	d.set = append(d.set, t)
	return nil
}

// bodyFunc is a body that a function reads.
type bodyFunc func([]byte) (int, error)

func (f bodyFunc) Read(p []byte) (int, error) { return f(p) }
func (bodyFunc) Close() error                 { return nil }

func TestBodyArrivesLate(t *testing.T) {
	for what, tt := range map[string]struct {
		err  error
		says string
	}{
		"too late":   {os.ErrDeadlineExceeded, "did not arrive within 15 seconds"},
		"cut":        {io.ErrUnexpectedEOF, "ended early"},
		"bad chunks": {errors.New("malformed chunked encoding"), "ended early"},
	} {
		f := newFake(t, ok)
		r := newRequest(t, "PATCH", "/api/v1/company", "{}")
		r.ContentLength, r.Body = -1, bodyFunc(func([]byte) (int, error) { return 0, tt.err })
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		f.Handler().ServeHTTP(w, r)
		if d := detailOf(t, w.ResponseRecorder); w.Code != 400 || d.Code != 2001 || !strings.Contains(d.Detail, tt.says) {
			t.Errorf("%s: answer = %d %s, want 400/2001 %q", what, w.Code, w.Body, tt.says)
		}
		if len(w.set) != 1 || time.Until(w.set[0]) > request.BodyTimeout || time.Until(w.set[0]) < request.BodyTimeout-time.Minute/10 {
			t.Errorf("%s: read deadlines = %v, want one in %v", what, w.set, request.BodyTimeout)
		}
	}
}

// Over a real connection net/http takes a body that cannot be read for a client
// that has left.
func TestCutBodyIsAnswered(t *testing.T) {
	addr, stop := newFake(t, ok, func(c *Config, _ *Parts) { c.Addr = "127.0.0.1:0" }).run(t)
	defer stop()
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const cut = "PATCH /api/v1/company HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer good\r\n" +
		"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
	if _, err := io.WriteString(conn, cut); err != nil {
		t.Fatal(err)
	}
	if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(conn)
	if got := string(answer); err != nil || !strings.HasPrefix(got, "HTTP/1.1 400 ") || !strings.Contains(got, "ended early") {
		t.Errorf("a cut body is answered %q, %v, want 400 and that it ended early", got, err)
	}
}

// The timeout of the work starts when the body is complete, and the read deadline of the
// connection is removed.
func TestSlowBodyLeavesTimeForWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(t, refusal, func(c *Config, _ *Parts) { c.RequestTimeout = 40 * time.Millisecond })
		r := newRequest(t, "PATCH", "/api/v1/company", "{}")
		body := r.Body
		r.Body = bodyFunc(func(p []byte) (int, error) {
			time.Sleep(50 * time.Millisecond)
			return body.Read(p)
		})
		w := &deadlines{ResponseRecorder: httptest.NewRecorder()}
		f.Handler().ServeHTTP(w, r)
		if w.Code != 409 {
			t.Errorf("answer = %d %s, want 409: there is time left for the work", w.Code, w.Body)
		}
		if len(w.set) != 2 || !w.set[1].IsZero() {
			t.Errorf("read deadlines = %v, want one that is lifted", w.set)
		}
	})
}

// A body is not read before the limits and permission have passed, nor if it
// announces too much.
func TestBodyIsNotReadTooEarly(t *testing.T) {
	for what, change := range map[string]func(*http.Request){
		"no token":    func(r *http.Request) { r.Header.Del("Authorization") },
		"bad token":   func(r *http.Request) { r.Header.Set("Authorization", "Bearer bad") },
		"no route":    func(r *http.Request) { r.URL.Path = "/api/v1/nowhere" },
		"no method":   func(r *http.Request) { r.Method = "PUT" },
		"too large":   func(r *http.Request) { r.ContentLength = request.DefaultMaxBody + 1 },
		"wrong type":  func(r *http.Request) { r.Header.Set("Content-Type", "text/plain") },
		"compression": func(r *http.Request) { r.Header.Set("Content-Encoding", "gzip") },
	} {
		f := newFake(t, ok)
		r := newRequest(t, "PATCH", "/api/v1/company", "{}")
		r.Body = bodyFunc(func([]byte) (int, error) {
			t.Errorf("%s: the body was read", what)
			return 0, io.EOF
		})
		change(r)
		if w := f.send(r); w.Code < 400 || w.Code >= 500 {
			t.Errorf("%s: answer = %d %s", what, w.Code, w.Body)
		}
	}
}

// A body without announced size is cut off at the limit.
func TestEndlessBody(t *testing.T) {
	f := newFake(t, ok)
	r := newRequest(t, "PATCH", "/api/v1/company", "{}")
	total := 0
	r.ContentLength, r.Body = -1, bodyFunc(func(p []byte) (int, error) {
		total += len(p)
		return len(p), nil
	})
	if w := f.send(r); w.Code != 400 || !strings.Contains(w.Body.String(), "larger than 1048576 bytes") || total > 2*request.DefaultMaxBody+(16<<10) {
		t.Errorf("answer = %d %s after %d bytes, want 400 near %d", w.Code, w.Body, total, request.DefaultMaxBody)
	}
}

// A reorder of all that its body may name takes longer than other changes.
func TestReordersHaveTime(t *testing.T) {
	cfg := Default()
	left := map[string]time.Duration{}
	var call string
	look := func(ctx context.Context) error {
		until, _ := ctx.Deadline()
		left[call] = time.Until(until)
		return refusal(ctx)
	}
	f := newFake(t, look, func(_ *Config, p *Parts) {
		p.Departments = app.NewDepartments(p.Clock, p.IDs, fakeDepartments{do: look}, nil, nil)
	})
	srv := httptest.NewServer(f.Handler())
	t.Cleanup(srv.Close)
	for path, body := range map[string]string{
		"/company/reorder-departments":      `{"department_names":["a"]}`,
		"/departments/sales/reorder-agents": `{"agent_names":["a"]}`,
	} {
		call = path
		r := newRequest(t, "POST", srv.URL+"/api/v1"+path, body)
		r.RequestURI = ""
		resp, err := srv.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if left[path] <= cfg.RequestTimeout || left[path] > cfg.OrganizationTimeout {
			t.Errorf("POST %s = %d, it has %v for its work, want more than %v and at most %v",
				path, resp.StatusCode, left[path], cfg.RequestTimeout, cfg.OrganizationTimeout)
		}
	}
}
