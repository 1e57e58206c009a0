package client_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"time"

	"orgd/client"
	"orgd/domain/fault"
)

func TestNewReportsEveryMistake(t *testing.T) {
	_, err := client.New(client.Config{BaseURL: "localhost:8080", MaxAttempts: 4, MaxAnswer: -1, UserAgent: "a\nb"})
	for _, want := range []string{"BaseURL", "MaxAttempts", "MaxAnswer", "UserAgent"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("New = %v, want a word about %s", err, want)
		}
	}
	for _, url := range []string{"", "ftp://a", "http://", "http://a?b", "http://a#b", "http://u:secret@a"} {
		if _, err := client.New(client.Config{BaseURL: url}); err == nil || strings.Contains(err.Error(), "secret") {
			t.Errorf("New with %q = %v, want an error without secrets", url, err)
		}
	}
}

// TestNewLeavesTheHTTPClientAlone: it belongs to the caller.
func TestNewLeavesTheHTTPClientAlone(t *testing.T) {
	mine := &http.Client{Timeout: time.Second}
	connect(t, client.Config{BaseURL: "http://a", HTTPClient: mine})
	if mine.CheckRedirect != nil || mine.Timeout != time.Second {
		t.Errorf("New changed the caller's http.Client to %+v", mine)
	}
}

// TestCodes compares the codes with those of the service.
func TestCodes(t *testing.T) {
	for _, code := range fault.Codes() {
		if got, want := client.Code(code).String(), code.String(); !strings.HasSuffix(got, " "+want) {
			t.Errorf("Code(%d) = %s, want %s", code, got, want)
		}
	}
	if got := client.Code(9999).Error(); got != "9999" {
		t.Errorf("Code(9999) = %s", got)
	}
}

// TestOptionsThatDoNotFit shows that an option without effect is refused.
func TestOptionsThatDoNotFit(t *testing.T) {
	c, s := talk(t, data(`{}`, "ETag", `"a.1"`))
	ctx := t.Context()
	for name, call := range map[string]func() error{
		"IfMatch on a creation":     func() error { _, err := c.CreateAgent(ctx, client.AgentInput{}, client.IfMatch("*")); return err },
		"IdempotencyKey on a read":  func() error { _, err := c.Company(ctx, client.IdempotencyKey("k")); return err },
		"IfNoneMatch on a deletion": func() error { return c.DeleteAgent(ctx, "ada", client.IfNoneMatch("*")) },
		"ChangeReason on a webhook": func() error { _, err := c.PatchWebhook(ctx, "w", nil, client.ChangeReason("r")); return err },
		"an empty tag":              func() error { return c.DeleteAgent(ctx, "ada", client.IfMatch("")) },
		"a tag of another world":    func() error { return c.DeleteAgent(ctx, "ada", client.IfMatch("a\r\nb")) },
		"two keys":                  func() error { return c.Logout(ctx, client.IdempotencyKey("a"), client.IdempotencyKey("b")) },
		"IdempotencyKey on an update": func() error {
			_, err := c.PatchCompany(ctx, client.Object{"company_name": "x"}, client.IdempotencyKey("k"))
			return err
		},
	} {
		before := len(s.requests)
		if err := call(); err == nil || !strings.HasPrefix(err.Error(), "client: ") {
			t.Errorf("%s = %v, want an error", name, err)
		}
		for _, r := range s.requests[before:] {
			if r.Method != http.MethodGet {
				t.Errorf("%s: %s was sent", name, r.Method)
			}
		}
	}
}

func TestHeaders(t *testing.T) {
	s := &script{answers: []func(*http.Request) (*http.Response, error){data(`{"id":"0190","name":"Ada & Co 2"}`, "ETag", `"a.1"`)}}
	cfg := s.config()
	cfg.UserAgent = "console/1.0"
	a, err := connect(t, cfg).PatchAgent(t.Context(), "Ada & Co 2", client.Object{"description": "<b>"}, client.IfMatch(`"a.0"`), client.RequestID("r-1"))
	if err != nil || a.ETag != `"a.1"` {
		t.Fatalf("PatchAgent = %+v, %v", a, err)
	}
	r := s.requests[0]
	for name, want := range map[string]string{
		"Accept": "application/json", "Content-Type": "application/merge-patch+json", "User-Agent": "console/1.0 orgd-client",
		"If-Match": `"a.0"`, "X-Request-Id": "r-1",
	} {
		if got := r.Header.Get(name); got != want {
			t.Errorf("%s = %q, want %q", name, got, want)
		}
	}
	if got, want := r.URL.EscapedPath(), "/prefix/api/v1/agents/Ada%20&%20Co%202"; got != want || r.body != `{"description":"<b>"}` {
		t.Errorf("PATCH %s %s, want %s", got, r.body, want)
	}
}

// TestUnknownWordsAreKept: a newer service may have more of them.
func TestUnknownWordsAreKept(t *testing.T) {
	c, _ := talk(t, data(`{"id":"0190","name":"Ada","level":"legend","later":{"a":1},"tools":{"access_level":"godlike"},"ceremony":null}`))
	a, err := c.Agent(t.Context(), "ada")
	if err != nil || a.Level != "legend" || a.Tools.AccessLevel != "godlike" {
		t.Errorf("Agent = %+v, %v", a, err)
	}
	c, _ = talk(t, answer(418, "application/json", `{"data":null,"error":"e","success":false,"error_detail":{"error_code":9001,
		"error_category":"tea","detail":"e","instance":"i","retryable":false,"retry_after":null,"title":"T","type":"t"}}`))
	_, err = c.Agent(t.Context(), "ada")
	var e *client.Error
	if !errors.As(err, &e) || e.Code != 9001 || e.Category != "tea" || !errors.Is(err, client.Code(9001)) {
		t.Errorf("Agent = %v, want code 9001", err)
	}
}
