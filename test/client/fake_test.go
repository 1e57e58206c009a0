package client_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/client"
	"orgd/domain/fault"
)

// script is a service whose answers are written down: the first one for the
// first request, the last one for all others too. It keeps the requests.
type script struct {
	answers []func(*http.Request) (*http.Response, error)

	mu       sync.Mutex
	requests []sent
}

// sent is one request and when it came.
type sent struct {
	*http.Request
	body string
	at   time.Time
}

func (s *script) RoundTrip(r *http.Request) (*http.Response, error) {
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, err
		}
	}
	s.mu.Lock()
	s.requests = append(s.requests, sent{r, string(body), time.Now()})
	answer := s.answers[min(len(s.requests), len(s.answers))-1]
	s.mu.Unlock()
	return answer(r)
}

// talk returns a client of a script, and the script.
func talk(t *testing.T, answers ...func(*http.Request) (*http.Response, error)) (*client.Client, *script) {
	t.Helper()
	s := &script{answers: answers}
	return connect(t, s.config()), s
}

func (s *script) config() client.Config {
	return client.Config{
		BaseURL: "http://orgd.test/prefix/", Token: client.StaticToken("secret"), HTTPClient: &http.Client{Transport: s},
	}
}

// answer is an answer with a body.
func answer(status int, contentType, body string, header ...string) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		h := http.Header{"Content-Type": {contentType}}
		for i := 0; i < len(header); i += 2 {
			h.Set(header[i], header[i+1])
		}
		return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body)), Request: r}, nil
	}
}

// data is a success.
func data(payload string, header ...string) func(*http.Request) (*http.Response, error) {
	return answer(200, "application/json", `{"data":`+payload+`,"error":null,"error_detail":null,"success":true}`, header...)
}

// broken is a connection that breaks.
func broken(*http.Request) (*http.Response, error) { return nil, io.ErrUnexpectedEOF }

// statuses are those that the interface gives the codes.
var statuses = map[fault.Code]int{
	1000: 401, 1001: 403, 1002: 401, 2000: 400, 2001: 400, 3000: 404, 3001: 404, 3002: 404, 4000: 409, 4001: 409, 4002: 409,
	5000: 429, 5001: 429, 5002: 429, 6000: 402, 7000: 502, 8000: 500, 8001: 503, 8002: 500,
}

// failure is an error answer. retryAfter may be 0 for null.
func failure(code fault.Code, retryAfter int) func(*http.Request) (*http.Response, error) {
	return func(r *http.Request) (*http.Response, error) {
		after := "null"
		if retryAfter > 0 {
			after = fmt.Sprint(retryAfter)
		}
		return answer(statuses[code], "application/json", fmt.Sprintf(`{"data":null,"error":"it is %d","success":false,"error_detail":{
			"type":"https://orgd.invalid/errors#%s","title":%q,"detail":"it is %[1]d","instance":"inst-%[1]d","error_code":%[1]d,
			"error_category":%[2]q,"retryable":%[4]t,"retry_after":%s}}`,
			code, code.Category().Name, code.Category().Title, code.Retryable(), after))(r)
	}
}

// records keeps what is logged.
type records struct {
	mu  sync.Mutex
	all []record
}

type record struct {
	level slog.Level
	attrs map[string]string
}

func (*records) Enabled(context.Context, slog.Level) bool { return true }
func (r *records) WithAttrs([]slog.Attr) slog.Handler     { return r }
func (r *records) WithGroup(string) slog.Handler          { return r }

func (r *records) Handle(_ context.Context, in slog.Record) error {
	out := record{in.Level, map[string]string{"msg": in.Message}}
	in.Attrs(func(a slog.Attr) bool { out.attrs[a.Key] = a.Value.String(); return true })
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = append(r.all, out)
	return nil
}

// final are the records of failures for good.
func (r *records) final() (all []record) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, x := range r.all {
		if x.level > slog.LevelDebug {
			all = append(all, x)
		}
	}
	return all
}
