package jwtauth_test

import (
	"crypto"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orgd/adapters/jwtauth"
)

// try asks an issuer that answers as a test says.
func try(t *testing.T, answers func(p *idp, w http.ResponseWriter, r *http.Request) bool, change func(*jwtauth.OIDC)) ([]string, error) {
	t.Helper()
	p := newIDP(t, map[string]crypto.Signer{"k": edKey(t)})
	p.change(func(p *idp) {
		p.handler = func(w http.ResponseWriter, r *http.Request) {
			if answers != nil && answers(p, w, r) {
				return
			}
			switch r.URL.Path {
			case "/.well-known/openid-configuration":
				answer(w, map[string]any{
					"issuer": p.URL, "jwks_uri": p.URL + "/keys", "authorization_endpoint": p.URL + "/auth", "token_endpoint": p.URL + "/token",
					"claims_supported": []string{"sub", "role"},
				})
			case "/keys":
				answer(w, map[string]any{"keys": p.published()})
			case "/auth":
				http.Redirect(w, r, "/login", http.StatusFound)
			case "/token":
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(http.StatusBadRequest)
				answer(w, map[string]any{"error": "invalid_grant"})
			}
		}
	})
	secret := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(secret, []byte(clientSecret), 0o600); err != nil {
		t.Fatal(err)
	}
	cfg := jwtauth.Default()
	cfg.OIDC = []jwtauth.OIDC{p.config(func(o *jwtauth.OIDC) {
		o.ClientID, o.ClientSecretFile = "orgd-console", secret
		if change != nil {
			change(o)
		}
	})}
	return jwtauth.Try(t.Context(), cfg, "https://orgd.example.com")
}

func at(path string, serve func(w http.ResponseWriter)) func(*idp, http.ResponseWriter, *http.Request) bool {
	return func(_ *idp, w http.ResponseWriter, r *http.Request) bool {
		if r.URL.Path == path {
			serve(w)
		}
		return r.URL.Path == path
	}
}

func TestTry(t *testing.T) {
	refused := func(code string) func(http.ResponseWriter) {
		return func(w http.ResponseWriter) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			answer(w, map[string]any{"error": code})
		}
	}
	for what, tt := range map[string]struct {
		answers func(*idp, http.ResponseWriter, *http.Request) bool
		change  func(*jwtauth.OIDC)
		want    []string // in the error; none: there is none
	}{
		"all is well":         {nil, nil, nil},
		"tokens only":         {nil, func(o *jwtauth.OIDC) { o.ClientID, o.ClientSecretFile = "", "" }, nil},
		"no such issuer":      {nil, func(o *jwtauth.OIDC) { o.Issuer += "/realm" }, []string{"--oidc-issuer", "cannot be used", "JSON"}},
		"no keys":             {at("/keys", func(w http.ResponseWriter) { w.WriteHeader(500) }), nil, []string{"--oidc-issuer", "the keys of", "500"}},
		"no redirect address": {at("/auth", func(w http.ResponseWriter) { w.WriteHeader(400); answer(w, "<h1>Invalid\nredirect_uri</h1>") }), nil, []string{"--oidc-client-id", "https://orgd.example.com/api/v1/auth/oidc/callback registered", "Invalid"}},
		"refused by redirect": {at("/auth", func(w http.ResponseWriter) {
			w.Header().Set("Location", "https://x.example/?error=unauthorized_client")
			w.WriteHeader(302)
		}), nil, []string{"--oidc-client-id", "unauthorized_client"}},
		"wrong secret":        {at("/token", refused("invalid_client")), nil, []string{"--oidc-client-secret-file", "invalid_client"}},
		"no file with secret": {nil, func(o *jwtauth.OIDC) { o.ClientSecretFile = "/does/not/exist" }, []string{"--oidc-client-secret-file", "/does/not/exist"}},
		"an odd answer":       {at("/token", refused("server_error")), nil, nil},
		"the clock is off": {func(_ *idp, w http.ResponseWriter, _ *http.Request) bool {
			w.Header().Set("Date", time.Now().Add(-5*time.Minute).UTC().Format(http.TimeFormat))
			return false
		}, nil, []string{"--oidc-leeway", "differ by -5m0s"}},
		"everything at once": {
			func(_ *idp, w http.ResponseWriter, r *http.Request) bool {
				if r.URL.Path == "/auth" || r.URL.Path == "/token" {
					refused("invalid_client")(w)
					return true
				}
				return false
			}, nil, []string{"--oidc-client-id", "--oidc-client-secret-file"},
		},
	} {
		t.Run(what, func(t *testing.T) {
			notes, err := try(t, tt.answers, tt.change)
			if (err == nil) != (tt.want == nil) || len(notes) != 0 {
				t.Fatalf("Try = %q, %v, want %q", notes, err, tt.want)
			}
			for _, words := range tt.want {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("Try = %v, want %q in it", err, words)
				}
			}
			if err != nil && strings.Contains(err.Error(), clientSecret) {
				t.Errorf("Try = %v, which has the secret", err)
			}
		})
	}
}

func TestTryKnowsClaims(t *testing.T) {
	for claim, notes := range map[string]int{"role": 0, "role.orgd": 0, "groups": 1} {
		got, err := try(t, nil, func(o *jwtauth.OIDC) { o.RoleClaim = claim })
		if err != nil || len(got) != notes || notes > 0 && !strings.Contains(got[0], `"groups"`) {
			t.Errorf("claim %s: Try = %q, %v, want %d notes", claim, got, err, notes)
		}
	}
}
