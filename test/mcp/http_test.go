package mcp

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"
)

// send sends a message, or several, and returns the answer.
func (s *service) send(t *testing.T, method, body string, headers ...string) (*http.Response, string) {
	t.Helper()
	r := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), method, s.URL+"/mcp", strings.NewReader(body)))
	r.Header.Set("Content-Type", "application/json")
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	via := &http.Transport{}
	defer via.CloseIdleConnections()
	res := must[*http.Response](t)(via.RoundTrip(r))
	defer res.Body.Close()
	return res, string(must[[]byte](t)(io.ReadAll(res.Body)))
}

// call is a message that calls a tool.
func call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, arguments)
}

// TestHTTP sends what no client of the protocol does.
func TestHTTP(t *testing.T) {
	s := serve(t)
	s.staff(t)
	token := "Bearer " + s.token(t, "viewer", "vic")
	page := call(1, "find_agents", `{"limit":1}`)
	for name, tt := range map[string]struct {
		method, body string
		headers      []string
		status       int
		has          string // the answer
	}{
		"one call, nothing before it": {"POST", page, []string{"Authorization", token}, 200, `\"name\":\"Ada\"`},
		"a replica's session":         {"POST", page, []string{"Authorization", token, "Mcp-Session-Id", "other"}, 200, `\"name\":\"Ada\"`},
		"a page of another origin":    {"POST", page, []string{"Authorization", token, "Origin", "https://evil.example"}, 200, `\"name\":\"Ada\"`},
		"no token":                    {"POST", page, nil, 401, `"error_code":1000`},
		"a wrong token":               {"POST", page, []string{"Authorization", "Bearer x"}, 401, `"error_code":1000`},
		"a cookie":                    {"POST", page, []string{"Cookie", "orgd_session=" + token[7:], "Orgd-Console", "1"}, 401, `"error_code":1000`},
		"a secure cookie":             {"POST", page, []string{"Cookie", "__Host-orgd_session=" + token[7:], "Orgd-Console", "1"}, 401, `"error_code":1000`},
		"GET":                         {"GET", "", []string{"Authorization", token, "Accept", "text/event-stream"}, 405, `"error_code"`},
		"DELETE":                      {"DELETE", "", []string{"Authorization", token}, 405, `"error_code"`},
		"no JSON":                     {"POST", "{", []string{"Authorization", token}, 400, ""},
		"another type":                {"POST", page, []string{"Authorization", token, "Content-Type", "text/plain"}, 415, ""},
		"an unknown version":          {"POST", page, []string{"Authorization", token, "Mcp-Protocol-Version", "1999-01-01"}, 400, ""},
		"too much":                    {"POST", strings.Repeat(" ", 2<<20), []string{"Authorization", token}, 400, `"error_code":2001`},
	} {
		t.Run(name, func(t *testing.T) {
			res, text := s.send(t, tt.method, tt.body, tt.headers...)
			if res.StatusCode != tt.status || !strings.Contains(text, tt.has) {
				t.Errorf("answer = %d %s, want %d with %s", res.StatusCode, text, tt.status, tt.has)
			}
			if res.StatusCode == 401 && res.Header.Get("WWW-Authenticate") == "" {
				t.Error("the answer has no WWW-Authenticate")
			}
			if res.StatusCode == 405 && res.Header.Get("Allow") != "OPTIONS, POST" && res.Header.Get("Allow") != "POST" {
				t.Errorf("Allow = %s, want POST", res.Header.Get("Allow"))
			}
		})
	}
	log := s.Log()
	for _, route := range []string{"POST /mcp", "GET /api/v1/agents"} {
		if !regexp.MustCompile(`"route":"` + route + `","status":200.*"subject":"vic"`).MatchString(log) {
			t.Errorf("the log has no request %s of vic", route)
		}
	}
}

// TestLimitsOverHTTP counts a call as one request, and those that it makes.
func TestLimitsOverHTTP(t *testing.T) {
	s := serve(t, "--limit", "subject=5/60s")
	token := "Bearer " + s.token(t, "viewer", "vic")
	for i, tt := range []struct {
		status int
		has    string
	}{
		{200, `\"agents\"`}, {200, `\"agents\"`}, {200, ` seconds"}],"isError":true`}, {429, `"error_code":5000`},
	} {
		if res, text := s.send(t, "POST", call(1, "find_agents", "{}"), "Authorization", token); res.StatusCode != tt.status || !strings.Contains(text, tt.has) {
			t.Errorf("call %d = %d %s, want %d with %s", i+1, res.StatusCode, text, tt.status, tt.has)
		}
	}
}

// TestLeaving leaves in the middle of calls: nothing of them stays in the service. What the first calls have
// started for good is there before the others.
func TestLeaving(t *testing.T) {
	s := serve(t)
	s.staff(t)
	token := s.token(t, "admin", "root")
	s.leave(t, token)
	before := s.goroutines(t, token)
	for same := 0; same < 5; time.Sleep(50 * time.Millisecond) {
		if n := s.goroutines(t, token); n == before {
			same++
		} else {
			before, same = n, 0
		}
	}
	s.leave(t, token)
	var after int
	for range 100 {
		if after = s.goroutines(t, token); after <= before {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("the service has %d goroutines, %d before", after, before)
}

// leave begins 200 calls, and leaves each after another while.
func (s *service) leave(t *testing.T, token string) {
	t.Helper()
	via := &http.Transport{}
	defer via.CloseIdleConnections()
	for i := range 200 {
		ctx, leave := context.WithTimeout(t.Context(), time.Duration(i%10)*500*time.Microsecond)
		r := must[*http.Request](t)(http.NewRequestWithContext(ctx, "POST", s.URL+"/mcp", strings.NewReader(call(1, "company_overview", "{}"))))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Authorization", "Bearer "+token)
		if res, err := via.RoundTrip(r); err == nil {
			_ = res.Body.Close()
		}
		leave()
	}
}

// goroutines returns how many the service has.
func (s *service) goroutines(t *testing.T, token string) (n int) {
	t.Helper()
	r := must[*http.Request](t)(http.NewRequestWithContext(t.Context(), "GET", s.URL+"/api/v1/metrics", nil))
	r.Header.Set("Authorization", "Bearer "+token)
	r.Close = true
	res := must[*http.Response](t)(http.DefaultTransport.RoundTrip(r))
	defer res.Body.Close()
	text := must[[]byte](t)(io.ReadAll(res.Body))
	must[int](t)(fmt.Sscanf(regexp.MustCompile(`(?m)^go_goroutines \d+`).FindString(string(text)), "go_goroutines %d", &n))
	return n
}
