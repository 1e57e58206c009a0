package httpapi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"orgd/domain/limit"
	"orgd/ports"
)

const canary = "s3cr3t-canary"

// publicMessages are the details of answers of status 5xx.
var publicMessages = map[int]string{
	8000: "an unexpected error occurred", 8001: "the service is temporarily unavailable", 8002: "the storage failed to do this",
}

// An internal error is answered without its cause and logged once, with the instance of
// the answer.
func TestServerErrors(t *testing.T) {
	type answer struct{ status, code, retryAfter int }
	for what, tt := range map[string]struct {
		do     func(context.Context) error
		want   answer
		logged string // what the log says of the cause
	}{
		"panic":               {func(context.Context) error { panic(canary) }, answer{500, 8000, 0}, "httpapi: panic: a value of type string"},
		"panic with an error": {func(context.Context) error { panic(errors.New(canary)) }, answer{500, 8000, 0}, "panic: a value of type *errors.errorString"},
		"runtime error": {func(context.Context) error {
			var m map[string]int
			//lint:ignore SA5000 it is to panic
			m["x"] = 1
			return nil
		}, answer{500, 8000, 0}, "assignment to entry in nil map"},
		"unknown error": {func(context.Context) error { return errors.New("the disk laughed") }, answer{500, 8000, 0}, "the disk laughed"},
		"storage failed": {func(context.Context) error {
			return fmt.Errorf("store: %w", ports.ErrStorage.Because(errors.New("disk full")))
		}, answer{500, 8002, 0}, "disk full"},
		"storage down": {func(context.Context) error { return ports.ErrUnavailable.Because(errors.New("no route")) }, answer{503, 8001, 1}, "no route"},
		"storage down, tells when": {func(context.Context) error {
			return ports.ErrUnavailable.After(2500 * time.Millisecond)
		}, answer{503, 8001, 3}, "unavailable"},
		"deadline": {func(ctx context.Context) error {
			<-ctx.Done()
			return fmt.Errorf("store: read: %w", ctx.Err())
		}, answer{503, 8001, 1}, "deadline exceeded"},
	} {
		t.Run(what, func(t *testing.T) {
			f := newFake(t, tt.do, func(c *Config, _ *Parts) {
				if what == "deadline" {
					c.RequestTimeout = 20 * time.Millisecond
				}
			})
			w := f.send(newRequest(t, "GET", "/api/v1/company", ""))
			d := detailOf(t, w)
			got := answer{w.Code, d.Code, 0}
			if d.RetryAfter != nil {
				got.retryAfter = *d.RetryAfter
			}
			if got != tt.want {
				t.Errorf("answer = %+v, want %+v", got, tt.want)
			}
			if d.Detail != publicMessages[d.Code] || d.Instance != w.Header().Get("X-Request-Id") || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("answer = %s, headers %v", w.Body, w.Header())
			}
			lines := f.logs.FilterMessage("request failed").FilterField(zap.String("instance", d.Instance)).All()
			if len(lines) != 1 || !strings.Contains(fmt.Sprint(lines[0].ContextMap()), tt.logged) {
				t.Errorf("log = %v, want one line with %q", lines, tt.logged)
			}
			if all := fmt.Sprint(f.logs.All(), w.Body, w.Header()); strings.Contains(all, canary) {
				t.Errorf("the canary got out: %s", all)
			}
		})
	}
}

// brokenLimiter cannot decide.
type brokenLimiter struct{}

func (brokenLimiter) Admit(context.Context, limit.Ask) (limit.Grant, error) {
	return limit.Grant{Release: func() {}}, errors.New("limiter lost")
}

func TestLimiterThatCannotDecide(t *testing.T) {
	f := newFake(t, func(context.Context) error { return nil }, func(_ *Config, p *Parts) { p.Limiter = brokenLimiter{} })
	if w := f.send(newRequest(t, "GET", "/api/v1/company", "")); w.Code != 503 || detailOf(t, w).Code != 8001 {
		t.Errorf("answer = %d %s, want 503/8001", w.Code, w.Body)
	}
	if w := f.send(newRequest(t, "GET", "/api/v1/healthz", "")); w.Code != 200 {
		t.Errorf("healthz = %d %s, want 200: it meets no limit", w.Code, w.Body)
	}
}

// If the issuer of a token cannot be reached, the answer is 503, and the router answers as
// always.
func TestIssuerUnavailable(t *testing.T) {
	f := newFake(t, func(context.Context) error { return nil })
	r := newRequest(t, "GET", "/api/v1/auth/me", "")
	r.Header.Set("Authorization", "Bearer later")
	if w := f.send(r); w.Code != 503 || *detailOf(t, w).RetryAfter != 3 || w.Header().Get("Retry-After") != "3" {
		t.Errorf("answer = %d %s, want 503 after 3 s", w.Code, w.Body)
	}
	r.URL.Path = "/api/v1/nowhere"
	if w := f.send(r); w.Code != 404 {
		t.Errorf("answer = %d %s, want 404", w.Code, w.Body)
	}
}

// A client that has left gets nothing, which is not a success either.
func TestClientLeaves(t *testing.T) {
	ctx, leave := context.WithCancel(t.Context())
	f := newFake(t, func(ctx context.Context) error {
		leave()
		<-ctx.Done()
		return ctx.Err()
	})
	defer func() {
		if v := recover(); v != http.ErrAbortHandler {
			t.Errorf("recover() = %v, want http.ErrAbortHandler", v)
		}
		if n := f.logs.FilterMessage("request failed").Len(); n != 0 {
			t.Errorf("%d errors are logged, want 0", n)
		}
		if n := f.logs.FilterMessage("request").FilterField(zap.Int("status", statusAbandoned)).Len(); n != 1 {
			t.Errorf("%d requests of status 499 are logged, want 1", n)
		}
	}()
	f.send(newRequest(t, "GET", "/api/v1/company", "").WithContext(ctx))
}

// A lock that cannot be released ends with its lease: the answer is the same.
func TestReleaseFails(t *testing.T) {
	f := newFake(t, func(context.Context) error { return nil }, func(_ *Config, p *Parts) {
		p.Idempotency = fakeKeys{release: func(context.Context) error { return errors.New("gone") }}
	})
	r := newRequest(t, "POST", "/api/v1/company/reorder-departments", "{")
	r.Header.Set("Idempotency-Key", "k")
	if w := f.send(r); w.Code != 400 {
		t.Errorf("answer = %d %s, want 400", w.Code, w.Body)
	}
	if n := f.logs.FilterMessageSnippet("not released").Len(); n != 1 {
		t.Errorf("%d warnings, want 1", n)
	}
}

// If the storage is lost, the answer does not wait for the lock to be released.
func TestReleaseHangs(t *testing.T) {
	released := make(chan error, 1)
	free := make(chan struct{})
	lost := func(context.Context) error { return ports.ErrUnavailable }
	f := newFake(t, lost, func(c *Config, p *Parts) {
		c.Addr = "127.0.0.1:0"
		p.Idempotency = fakeKeys{release: func(ctx context.Context) error {
			<-free
			released <- ctx.Err()
			return ctx.Err()
		}}
	})
	addr, stop := f.run(t)
	r := newRequest(t, "POST", "http://"+addr+"/api/v1/company/reorder-departments", `{"department_names":[]}`)
	r.RequestURI = ""
	r.Header.Set("Idempotency-Key", "k")
	c := newClient(t)
	c.Timeout = 5 * time.Second
	resp, err := c.Do(r)
	if err != nil {
		t.Fatalf("POST = %v, want an answer while the key is released", err)
	}
	body, err := io.ReadAll(resp.Body)
	resp.Body.Close()
	if resp.StatusCode != 503 || err != nil || !strings.Contains(string(body), "8001") {
		t.Errorf("answer = %d %s, %v, want 503/8001", resp.StatusCode, body, err)
	}
	if next := call(t, c, "GET", "http://"+addr+"/api/v1/healthz", ""); next.StatusCode != 200 {
		t.Errorf("the next answer = %d, want 200 while the key is released", next.StatusCode)
	}
	close(free)
	if err := <-released; err != nil {
		t.Errorf("the key was released with a context that is %v", err)
	}
	if err := stop(); err != nil {
		t.Errorf("Run = %v", err)
	}
}

func TestLongMethodIsCut(t *testing.T) {
	f := newFake(t, ok)
	r := newRequest(t, "GET", "/api/v1/company", "")
	r.Method = strings.Repeat("X", 50_000)
	w := f.send(r)
	if w.Code != 405 || w.Body.Len() > 1000 {
		t.Errorf("answer = %d with %d bytes, want 405 with a few hundred", w.Code, w.Body.Len())
	}
	if method := f.logs.FilterMessage("request").All()[0].ContextMap()["method"]; method != r.Method[:16] {
		t.Errorf("the log shows the method %.20q, want 16 characters of it", method)
	}
}

// Paths, queries, headers and bodies of requests are neither logged nor labels of metrics.
func TestRequestsAreNotLogged(t *testing.T) {
	for what, do := range map[string]func(context.Context) error{
		"refused": refusal,
		"failed":  func(context.Context) error { return errors.New("disk full") },
		"panic":   func(context.Context) error { panic(canary) },
	} {
		f := newFake(t, do)
		for _, path := range []string{"/api/v1/company", "/api/v1/agents/" + canary, "/api/v1/" + canary, "/" + canary + "/x"} {
			r := newRequest(t, "PATCH", path+"?q="+canary, `{"company_name":"`+canary+`"}`)
			for _, name := range []string{"Cookie", "User-Agent", "If-Match", "Change-Reason", "X-Forwarded-For", "Referer", "X-" + canary} {
				r.Header.Set(name, canary)
			}
			f.send(r)
			r.Header.Set("Authorization", "Bearer "+canary)
			f.send(r)
		}
		metrics := httptest.NewRecorder()
		f.parts.Metrics.Handler().ServeHTTP(metrics, httptest.NewRequest("GET", "/", nil))
		if all := fmt.Sprint(f.logs.All(), metrics.Body); strings.Contains(all, canary) {
			t.Errorf("%s: the canary got out: %s", what, all)
		}
	}
}
