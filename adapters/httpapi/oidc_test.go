package httpapi

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"orgd/adapters/system"
	"orgd/app"
	"orgd/domain/limit"
	"orgd/domain/session"
	"orgd/ports"
)

// refusingProvider is an identity provider that refuses everybody, and counts whom.
type refusingProvider struct{ asked int }

func (*refusingProvider) Name() string { return "login.example.com" }

func (*refusingProvider) AuthURL(a session.Attempt) (string, error) {
	return "https://login.example.com/?state=" + a.State(), nil
}

func (p *refusingProvider) Redeem(context.Context, session.Attempt, ports.SignInAnswer) (session.Session, string, error) {
	p.asked++
	return session.Session{}, "", session.ErrProviderRefused
}

func (*refusingProvider) SignOutURL(session.Session) string { return "" }

// withProvider is a server where people sign in with a provider.
func withProvider(t *testing.T, caps limit.Caps, change func(*Config)) (*local, *refusingProvider) {
	t.Helper()
	p := &refusingProvider{}
	d := &local{t: t}
	d.fake = newFake(t, ok, func(c *Config, parts *Parts) {
		parts.SignIns = app.NewSignIns(system.Random{}, p, parts.Sessions)
		parts.Caps = caps
		change(c)
	})
	return d, p
}

// callback brings an answer of the provider, as the browser does that has begun the attempt.
func (d *local) callback(a session.Attempt, header ...string) int {
	d.t.Helper()
	path := "/api/v1/auth/oidc/callback?code=x&state=" + a.State()
	return d.ask(http.MethodGet, path, "", append(header, "Cookie", "orgd-sign-in-8080="+a.String())...).Code
}

// What calls the identity provider for strangers is bounded before the call: for each
// address, and for all of them together.
func TestSignInsAreLimited(t *testing.T) {
	hourly := func(n int) limit.Rate { return limit.Rate{Cap: n, Length: time.Hour} }
	d, p := withProvider(t, limit.Caps{SignIns: hourly(2), AllSignIns: hourly(5)}, func(*Config) {})
	for i, tt := range []struct {
		peer        string
		want, asked int
	}{
		{"203.0.113.1:1", 401, 1}, {"203.0.113.1:2", 401, 2}, {"203.0.113.1:3", 429, 2}, {"203.0.113.2:1", 401, 3},
		{"203.0.113.1:4", 429, 3}, {"203.0.113.2:2", 401, 4}, {"203.0.113.3:1", 401, 5}, {"203.0.113.3:2", 429, 5}, {"203.0.113.4:1", 429, 5},
	} {
		a := session.NewAttempt([32]byte{byte(i)}, nil)
		if got := d.callback(a, "Peer", tt.peer); got != tt.want || p.asked != tt.asked {
			t.Errorf("answer %d, to %s = %d after %d calls, want %d after %d", i, tt.peer, got, p.asked, tt.want, tt.asked)
		}
	}
	page := d.ask(http.MethodGet, "/api/v1/auth/oidc/callback?code=x", "", "Peer", "203.0.113.4:1", "Accept", "text/html",
		"Cookie", "orgd-sign-in-8080="+session.NewAttempt([32]byte{9}, nil).String())
	if page.Header().Get("Retry-After") == "" || !strings.Contains(page.Body.String(), "sign-ins are allowed") {
		t.Errorf("the browser is shown %d %s, want how many sign-ins there may be", page.Code, page.Body)
	}
}
