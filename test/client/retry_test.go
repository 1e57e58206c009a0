package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/client"
	"orgd/domain/fault"
)

// calls are operations of every method.
var calls = map[string]func(context.Context, *client.Client) error{
	"GET": func(ctx context.Context, c *client.Client) error { _, err := c.Agent(ctx, "ada"); return err },
	"POST": func(ctx context.Context, c *client.Client) error {
		_, err := c.CreateAgent(ctx, client.AgentInput{Name: "ada"})
		return err
	},
	"PATCH": func(ctx context.Context, c *client.Client) error {
		_, err := c.PatchAgent(ctx, "ada", client.Object{"role": "x"})
		return err
	},
	"PUT": func(ctx context.Context, c *client.Client) error {
		_, err := c.SetCeremonyPolicy(ctx, "design", client.CeremonyPolicy{})
		return err
	},
	"DELETE": func(ctx context.Context, c *client.Client) error { return c.DeleteAgent(ctx, "ada") },
}

// TestRetryRules answers every code of the interface to every method.
func TestRetryRules(t *testing.T) {
	for _, code := range fault.Codes() {
		for method, call := range calls {
			for _, after := range []int{0, 7} {
				t.Run(fmt.Sprintf("%d/%s/%d", code, method, after), func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) { checkRetries(t, code, after, call) })
				})
			}
		}
	}
}

func checkRetries(t *testing.T, code fault.Code, after int, call func(context.Context, *client.Client) error) {
	s, logged := &script{answers: []func(*http.Request) (*http.Response, error){failure(code, after)}}, &records{}
	cfg := s.config()
	cfg.Logger = slog.New(logged)
	c := connect(t, cfg)
	begin := time.Now()
	err := call(t.Context(), c)
	took := time.Since(begin)

	attempts, least, most := 1, time.Duration(0), time.Duration(0)
	if code.Retryable() {
		attempts, least, most = 3, 3*time.Second, 4500*time.Millisecond // 1 s and 2 s, and up to half of it more
		if after > 0 {
			least, most = 2*time.Duration(after)*time.Second, 2*time.Duration(after)*time.Second
		}
	}
	if len(s.requests) != attempts || took < least || took > most {
		t.Errorf("%d attempts in %s, want %d in %s to %s", len(s.requests), took, attempts, least, most)
	}
	var e *client.Error
	if !errors.As(err, &e) || !errors.Is(err, client.Code(code)) {
		t.Fatalf("error = %v, want code %d", err, code)
	}
	want := client.Error{
		Code: client.Code(code), Category: client.Category(code.Category().Name), Type: "https://orgd.invalid/errors#" + code.Category().Name,
		Title: code.Category().Title, Detail: fmt.Sprintf("it is %d", code), Status: statuses[code], Instance: fmt.Sprintf("inst-%d", code),
		Retryable: code.Retryable(), RetryAfter: time.Duration(after) * time.Second,
		Method: s.requests[0].Method, Path: strings.TrimPrefix(s.requests[0].URL.Path, "/prefix/api/v1"), Attempts: attempts, Uncertain: statuses[code] >= 500,
	}
	if diff := cmp.Diff(want, *e); diff != "" {
		t.Errorf("error (-want +got):\n%s", diff)
	}
	checkSame(t, s.requests)
	level := slog.LevelInfo
	if code.Retryable() || statuses[code] >= 500 {
		level = slog.LevelError
	}
	if all := logged.final(); len(all) != 1 || all[0].level != level || all[0].attrs["instance"] != want.Instance {
		t.Errorf("logged %+v, want one record on %s with the instance", all, level)
	}
}

// checkSame compares the attempts of one call: they must be the same request.
func checkSame(t *testing.T, attempts []sent) {
	t.Helper()
	first := attempts[0]
	if key := first.Header.Get("Idempotency-Key"); (key != "") != (first.Method == "POST") || key != "" && len(key) < 16 {
		t.Errorf("Idempotency-Key of %s = %q", first.Method, key)
	}
	if first.Header.Get("Authorization") != "Bearer secret" || first.Header.Get("X-Request-Id") == "" {
		t.Errorf("headers = %v", first.Header)
	}
	for i, a := range attempts {
		if !cmp.Equal(a.Header, first.Header) || a.body != first.body || a.URL.String() != first.URL.String() {
			t.Errorf("attempt %d is another request: %v %q", i+1, a.Header, a.body)
		}
	}
}

func TestRetrySucceeds(t *testing.T) {
	for name, first := range map[string]func(*http.Request) (*http.Response, error){
		"unavailable":  failure(fault.Unavailable, 1),
		"broken":       broken,
		"cut":          cut,
		"no gateway":   answer(502, "text/html", "<h1>Bad Gateway</h1>"),
		"late gateway": answer(504, "text/html", ""),
		"no backend":   answer(503, "text/plain", "no healthy upstream"),
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, s := talk(t, first, data(`{"name":"Ada"}`))
				a, err := c.CreateAgent(t.Context(), client.AgentInput{Name: "Ada"})
				if err != nil || a.Name != "Ada" || len(s.requests) != 2 {
					t.Errorf("CreateAgent = %+v, %v after %d attempts", a, err, len(s.requests))
				}
				checkSame(t, s.requests)
			})
		})
	}
}

// cut is an answer that breaks off.
func cut(r *http.Request) (*http.Response, error) {
	res, err := data(`{"name":"Ada"}`)(r)
	res.Body = io.NopCloser(io.MultiReader(io.LimitReader(res.Body, 10), badReader{}))
	return res, err
}

type badReader struct{}

func (badReader) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

func TestCallsHaveKeysOfTheirOwn(t *testing.T) {
	c, s := talk(t, data(`{}`))
	for range 2 {
		if _, err := c.CreateAgent(t.Context(), client.AgentInput{}); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"Idempotency-Key", "X-Request-Id"} {
		if s.requests[0].Header.Get(name) == s.requests[1].Header.Get(name) {
			t.Errorf("two calls have the same %s", name)
		}
	}
}

// TestNetworkErrors breaks every connection of every method.
func TestNetworkErrors(t *testing.T) {
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for method, call := range calls {
		synctest.Test(t, func(t *testing.T) {
			logged := &records{}
			s := &script{answers: []func(*http.Request) (*http.Response, error){func(*http.Request) (*http.Response, error) { return nil, refused }}}
			cfg := s.config()
			cfg.Logger = slog.New(logged)
			err := call(t.Context(), connect(t, cfg))
			if !errors.Is(err, refused) || len(s.requests) != 3 || !strings.Contains(err.Error(), "3 attempts") {
				t.Errorf("%s = %v after %d attempts, want the cause after 3", method, err, len(s.requests))
			}
			if all := logged.final(); len(all) != 1 || all[0].attrs["instance"] != s.requests[0].Header.Get("X-Request-Id") {
				t.Errorf("%s: logged %+v, want the id of the request", method, all)
			}
		})
	}
}

func TestDeadlineIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c, s := talk(t, failure(fault.OperationLimited, 10))
		ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
		defer cancel()
		begin := time.Now()
		_, err := c.Agent(ctx, "ada")
		if took := time.Since(begin); took != 10*time.Second || len(s.requests) != 2 || !errors.Is(err, client.ErrOperationLimited) || !strings.Contains(err.Error(), "deadline") {
			t.Errorf("Agent = %v after %s and %d attempts, want the second answer after 10 s", err, took, len(s.requests))
		}
	})
}

func TestCancelWhileWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		logged := &records{}
		s := &script{answers: []func(*http.Request) (*http.Response, error){failure(fault.Unavailable, 10)}}
		cfg := s.config()
		cfg.Logger = slog.New(logged)
		c := connect(t, cfg)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(3*time.Second, cancel)
		begin := time.Now()
		_, err := c.Agent(ctx, "ada")
		if took := time.Since(begin); took != 3*time.Second || !errors.Is(err, context.Canceled) || !errors.Is(err, client.ErrUnavailable) {
			t.Errorf("Agent = %v after %s, want both reasons after 3 s", err, took)
		}
		if all := logged.final(); len(all) != 0 {
			t.Errorf("logged %+v: to call off a request is no failure", all)
		}
	})
}

// TestUncertainEnds loses the answer to a request that ends something. That it is
// gone when the client asks again is what was wanted.
func TestUncertainEnds(t *testing.T) {
	logout := func(ctx context.Context, c *client.Client) error { return c.Logout(ctx) }
	for _, tt := range []struct {
		name    string
		answers []func(*http.Request) (*http.Response, error)
		call    func(context.Context, *client.Client) error
		want    error
	}{
		{"deleted", []func(*http.Request) (*http.Response, error){broken, failure(fault.NotFound, 0)}, calls["DELETE"], nil},
		{"deleted, then 503", []func(*http.Request) (*http.Response, error){failure(fault.Unavailable, 0), failure(fault.NotFound, 0)}, calls["DELETE"], nil},
		{"never there", []func(*http.Request) (*http.Response, error){failure(fault.NotFound, 0)}, calls["DELETE"], client.ErrNotFound},
		{"never sent", []func(*http.Request) (*http.Response, error){undialled, failure(fault.NotFound, 0)}, calls["DELETE"], client.ErrNotFound},
		{"limited first", []func(*http.Request) (*http.Response, error){failure(fault.RateLimited, 1), failure(fault.NotFound, 0)}, calls["DELETE"], client.ErrNotFound},
		{"logged out", []func(*http.Request) (*http.Response, error){broken, failure(fault.SessionRevoked, 0)}, logout, nil},
		{"revoked before", []func(*http.Request) (*http.Response, error){failure(fault.SessionRevoked, 0)}, logout, client.ErrSessionRevoked},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c, _ := talk(t, tt.answers...)
				if err := tt.call(t.Context(), c); !errors.Is(err, tt.want) {
					t.Errorf("error = %v, want %v", err, tt.want)
				}
			})
		})
	}
}

func undialled(*http.Request) (*http.Response, error) {
	return nil, &net.OpError{Op: "dial", Err: errors.New("no route to host")}
}

// TestStrangeAnswers are those that the service never gives.
func TestStrangeAnswers(t *testing.T) {
	for name, tt := range map[string]struct {
		answer func(*http.Request) (*http.Response, error)
		status int // of the *client.Error; 0 for another error
	}{
		"page":         {answer(404, "text/html", "<h1>Not Found</h1>"), 404},
		"redirect":     {answer(302, "text/html", "", "Location", "http://elsewhere.test/"), 302},
		"other JSON":   {answer(400, "application/json", `{"message":"no"}`), 400},
		"unasked 304":  {answer(304, "", ""), 304},
		"not JSON":     {answer(200, "text/html", "<h1>Welcome</h1>"), 0},
		"other shape":  {data(`{"name":7}`), 0},
		"too long":     {data(`{"name":"` + strings.Repeat("x", 2000) + `"}`), 0},
		"not a number": {data(`{"personality":{"openness":"1"}}`), 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := &script{answers: []func(*http.Request) (*http.Response, error){tt.answer}}
			cfg := s.config()
			cfg.MaxAnswer = 1000
			_, err := connect(t, cfg).Agent(t.Context(), "ada")
			var e *client.Error
			if errors.As(err, &e) != (tt.status != 0) || err == nil || !strings.Contains(err.Error(), "GET /agents/ada") || len(s.requests) != 1 {
				t.Fatalf("Agent = %v after %d attempts", err, len(s.requests))
			}
			if e != nil && (e.Status != tt.status || e.Code != 0 || e.Instance != s.requests[0].Header.Get("X-Request-Id")) {
				t.Errorf("error = %+v", e)
			}
		})
	}
}

func TestMaxAttempts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []func(*http.Request) (*http.Response, error){failure(fault.Unavailable, 1)}}
		cfg := s.config()
		cfg.MaxAttempts = 1
		_, err := connect(t, cfg).Readiness(t.Context())
		if !errors.Is(err, client.ErrUnavailable) || len(s.requests) != 1 || s.requests[0].Header.Get("Authorization") != "" {
			t.Errorf("Readiness = %v after %d attempts, want one without a token", err, len(s.requests))
		}
	})
}

// TestTokenSource asks for a token before every attempt, and its error is the
// error.
func TestTokenSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{answers: []func(*http.Request) (*http.Response, error){failure(fault.Unavailable, 1), data(`{"name":"Ada"}`)}}
		cfg := s.config()
		tokens := []string{"one", "two"}
		cfg.Token = func(context.Context) (string, error) {
			token := tokens[0]
			tokens = tokens[1:]
			return token, nil
		}
		if _, err := connect(t, cfg).Agent(t.Context(), "ada"); err != nil || s.requests[1].Header.Get("Authorization") != "Bearer two" {
			t.Errorf("Agent = %v with %v", err, s.requests[1].Header)
		}
		locked := errors.New("the safe is locked")
		cfg.Token = func(context.Context) (string, error) { return "", locked }
		if _, err := connect(t, cfg).Agent(t.Context(), "ada"); !errors.Is(err, locked) || len(s.requests) != 2 {
			t.Errorf("Agent = %v, want the error of the source and no request", err)
		}
		cfg.Token = client.StaticToken("two\nlines")
		if _, err := connect(t, cfg).Agent(t.Context(), "ada"); err == nil || strings.Contains(err.Error(), "lines") || len(s.requests) != 2 {
			t.Errorf("Agent = %v, want an error that does not show the token", err)
		}
	})
}
