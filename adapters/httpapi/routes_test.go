package httpapi

import (
	"context"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/adapters/httpapi/apidoc"
	"orgd/adapters/system"
	"orgd/app"
	"orgd/domain/access"
	"orgd/domain/idempotency"
	"orgd/domain/name"
	"orgd/domain/session"
	"orgd/ports"
)

// The router answers what the description describes, and nothing else below
// the API's prefix.
func TestRoutesAreDescribed(t *testing.T) {
	var doc struct{ Paths map[string]map[string]any }
	if err := json.Unmarshal(apidoc.JSON(), &doc); err != nil {
		t.Fatal(err)
	}
	var described, routed []string
	for path, item := range doc.Paths {
		for method := range item {
			if method != "parameters" {
				described = append(described, strings.ToUpper(method)+" "+path)
			}
		}
	}
	for _, r := range newFake(t, ok).routes() {
		if !r.AtRoot {
			routed = append(routed, r.Method+" "+r.Pattern())
		}
	}
	slices.Sort(described)
	slices.Sort(routed)
	if diff := cmp.Diff(described, routed); diff != "" {
		t.Errorf("routes (-described +routed):\n%s", diff)
	}
}

// A name that ends as a path below a name does is given to nothing new: a proxy that decodes
// %2F would address that path.
func TestPathsBelowNames(t *testing.T) {
	below := regexp.MustCompile(`^/[a-z]+/\{(?:agent_name|agent_id|name)\}(/.+)$`)
	parameter := regexp.MustCompile(`\{[a-z_]+\}`)
	n := 0
	for _, r := range newFake(t, ok).routes() {
		match := below.FindStringSubmatch(r.Path)
		if match == nil {
			continue
		}
		n++
		text := "Eng" + parameter.ReplaceAllString(match[1], "7")
		parsed, err := name.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if parsed.CheckNew("name") == nil {
			t.Errorf("%s %s: the name %q may be given; add its path to domain/name/paths.go", r.Method, r.Path, text)
		}
	}
	if n < 10 {
		t.Errorf("only %d routes are below a name", n)
	}
}

// Every operation is one that the permission model knows.
func TestRoutesAndPermissions(t *testing.T) {
	for _, r := range newFake(t, ok).routes() {
		if !slices.Contains(access.Operations(), r.Op) {
			t.Errorf("%s %s: there is no operation %s", r.Method, r.Path, r.Op)
		}
		if r.Uncounted && !strings.HasPrefix(string(r.Op), "health.") {
			t.Errorf("%s %s: is not counted", r.Method, r.Path)
		}
	}
}

// lockedKeys has a lock of a running request on every key.
type lockedKeys struct{ ports.IdempotencyStore }

func (lockedKeys) Lock(context.Context, idempotency.Lock) (*idempotency.Record, error) {
	return nil, idempotency.ErrRunning
}

func TestKeyOfARunningRequest(t *testing.T) {
	f := newFake(t, ok, func(_ *Config, p *Parts) { p.Idempotency = lockedKeys{} })
	r := newRequest(t, "POST", "/api/v1/company/reorder-departments", "{}")
	r.Header.Set("Idempotency-Key", "k")
	w := f.send(r)
	if d := detailOf(t, w); w.Code != 429 || d.Code != 5002 || *d.RetryAfter != 1 || w.Header().Get("Retry-After") != "1" {
		t.Errorf("answer = %d %s, want 429/5002 after 1 s", w.Code, w.Body)
	}
}

// external accepts every token as one of another issuer.
type external struct{}

func (external) Authenticate(context.Context, string) (session.Session, error) {
	return session.Session{ID: "s", Issuer: "https://idp", Subject: "https://idp|kim", Role: access.Editor, ExpiresAt: time.Now().Add(time.Hour)}, nil
}

// A token of another issuer is renewed there.
func TestRenewExternal(t *testing.T) {
	f := newFake(t, ok, func(_ *Config, p *Parts) {
		p.Sessions = app.NewSessions(p.Clock, p.IDs, system.Random{}, external{}, nil, noSessions{}, nil)
	})
	if w := f.send(newRequest(t, http.MethodPost, "/api/v1/auth/renew", "")); w.Code != 403 || detailOf(t, w).Code != 1001 {
		t.Errorf("answer = %d %s, want 403/1001", w.Code, w.Body)
	}
	if w := f.send(newRequest(t, http.MethodGet, "/api/v1/auth/me", "")); w.Code != 200 || !strings.Contains(w.Body.String(), `"issuer":"https://idp"`) {
		t.Errorf("answer = %d %s, want 200 with the issuer", w.Code, w.Body)
	}
}
