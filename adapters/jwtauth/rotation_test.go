package jwtauth_test

import (
	"context"
	"crypto"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"orgd/adapters/jwtauth"
	"orgd/domain/fault"
	"orgd/domain/session"
)

func wantUnavailable(t *testing.T, auth *jwtauth.Auth, what, token string) {
	t.Helper()
	s, err := auth.Authenticate(t.Context(), token)
	if f := fault.Of(err); !errors.Is(err, session.ErrIssuerUnavailable) || f.Code != fault.Unavailable || f.RetryAfter <= 0 {
		t.Errorf("%s: Authenticate = %+v, %v, want ErrIssuerUnavailable with a time to wait", what, s, err)
	}
}

func TestUnknownKidsAskOnceAMinute(t *testing.T) {
	c, key := newClock(), edKey(t)
	p := newIDP(t, map[string]crypto.Signer{"k": key})
	auth, _ := open(t, c, keyFile(t, edKey(t)), p.config(nil))
	wantAccepted(t, auth, "good", sign(t, jwt.SigningMethodEdDSA, key, p.claims(nil), kid("k")))
	var all sync.WaitGroup
	n := size(100, 1250)
	for worker := range 8 {
		all.Go(func() {
			for i := range n {
				id := fmt.Sprintf("%d-%d", worker, i)
				wantRefused(t, auth, id, sign(t, jwt.SigningMethodEdDSA, key, p.claims(nil), kid(id)))
			}
		})
	}
	all.Wait()
	asked := p.fetched()
	if asked > 2 { // the first load, and one because of the first unknown key
		t.Errorf("the issuer was asked %d times within a minute, want at most 2", asked)
	}
	c.advance(time.Minute)
	for i := range 10 {
		wantRefused(t, auth, "next minute", sign(t, jwt.SigningMethodEdDSA, key, p.claims(nil), kid(fmt.Sprint("n", i))))
	}
	if n := p.fetched() - asked; n != 1 {
		t.Errorf("the issuer was asked %d times in the next minute, want once", n)
	}
	t.Logf("R17: %d tokens with unknown keys refused, the issuer was asked %d times within the minute, the first load included", 8*n, asked)
}

func TestExternalKeysRotate(t *testing.T) {
	c, first, second := newClock(), edKey(t), edKey(t)
	p := newIDP(t, map[string]crypto.Signer{"1": first})
	auth, _ := open(t, c, keyFile(t, edKey(t)), p.config(nil))
	old := sign(t, jwt.SigningMethodEdDSA, first, p.claims(nil), kid("1"))
	wantAccepted(t, auth, "first key", old)

	p.change(func(p *idp) { p.keys["2"] = second })
	fresh := sign(t, jwt.SigningMethodEdDSA, second, p.claims(nil), kid("2"))
	wantAccepted(t, auth, "second key, fetched because it is unknown", fresh)
	wantAccepted(t, auth, "first key, still published", old)

	p.change(func(p *idp) { delete(p.keys, "1") })
	c.advance(time.Minute)
	wantRefused(t, auth, "a kid that causes a fetch", sign(t, jwt.SigningMethodEdDSA, second, p.claims(nil), kid("3")))
	wantRefused(t, auth, "withdrawn key, although cached", old)
	wantAccepted(t, auth, "second key", fresh)

	p.change(func(p *idp) { p.keys = map[string]crypto.Signer{"2": first} })
	c.advance(time.Minute)
	wantRefused(t, auth, "a kid that causes a fetch", sign(t, jwt.SigningMethodEdDSA, second, p.claims(nil), kid("4")))
	wantRefused(t, auth, "key replaced under its kid, although cached", fresh)

	p.change(func(p *idp) { p.keys = nil })
	c.advance(time.Minute)
	again := sign(t, jwt.SigningMethodEdDSA, first, p.claims(nil), kid("2"))
	wantAccepted(t, auth, "the key that took the kid", again)
	wantRefused(t, auth, "a kid that causes a fetch", sign(t, jwt.SigningMethodEdDSA, second, p.claims(nil), kid("5")))
	wantRefused(t, auth, "everything withdrawn", again)
}

func TestIssuerOutage(t *testing.T) {
	c, key := newClock(), edKey(t)
	p := newIDP(t, map[string]crypto.Signer{"k": key})
	down := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) }
	p.handler = down
	auth, own := open(t, c, keyFile(t, edKey(t)), p.config(nil))
	token := sign(t, jwt.SigningMethodEdDSA, key, p.claims(nil), kid("k"))
	wantUnavailable(t, auth, "down from the start", token)
	wantUnavailable(t, auth, "again", token)
	if auth.External() {
		t.Error("External = true without keys, want false")
	}
	wantAccepted(t, auth, "own token meanwhile", issue(t, own, ownSession(t, time.Hour)))
	wantRefused(t, auth, "forged own token meanwhile", sign(t, jwt.SigningMethodEdDSA, key, ownClaims(nil), kid("k")))

	p.change(func(p *idp) { p.handler = nil })
	c.advance(time.Minute)
	wantAccepted(t, auth, "up again", token)
	if !auth.External() {
		t.Error("External = false with keys, want true")
	}

	p.change(func(p *idp) { p.handler = down })
	c.advance(time.Minute)
	unknown := sign(t, jwt.SigningMethodEdDSA, key, p.claims(nil), kid("k2"))
	wantUnavailable(t, auth, "a key that may be new", unknown)
	wantAccepted(t, auth, "a known key", sign(t, jwt.SigningMethodEdDSA, key, p.claims(jwt.MapClaims{"jti": "j2"}), kid("k")))
	wantRefused(t, auth, "a known key that did not sign", sign(t, jwt.SigningMethodEdDSA, edKey(t), p.claims(nil), kid("k")))
}

func TestIssuerMisbehaves(t *testing.T) {
	key := edKey(t)
	for what, answers := range map[string]func(p *idp) http.HandlerFunc{
		"discovery of another issuer": func(p *idp) http.HandlerFunc {
			return discovery(map[string]any{"issuer": "https://evil.example", "jwks_uri": p.URL + "/keys"}, p)
		},
		"keys over plain HTTP elsewhere": func(p *idp) http.HandlerFunc {
			return discovery(map[string]any{"issuer": p.URL, "jwks_uri": "http://evil.example/keys"}, p)
		},
		"keys in a file": func(p *idp) http.HandlerFunc {
			return discovery(map[string]any{"issuer": p.URL, "jwks_uri": "file:///etc/passwd"}, p)
		},
		"no place for keys": func(p *idp) http.HandlerFunc {
			return discovery(map[string]any{"issuer": p.URL}, p)
		},
		"redirect": func(p *idp) http.HandlerFunc {
			return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, p.URL+"/keys", http.StatusFound) }
		},
		"not JSON": func(*idp) http.HandlerFunc {
			return func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) }
		},
		"more than 1 MiB": func(p *idp) http.HandlerFunc {
			return discovery(map[string]any{"issuer": p.URL, "jwks_uri": p.URL + "/keys", "x": strings.Repeat("x", 1<<20)}, p)
		},
		"more than 100 keys": func(p *idp) http.HandlerFunc {
			p.extra = make([]string, 101)
			for i := range p.extra {
				p.extra[i] = "{}"
			}
			return nil
		},
	} {
		t.Run(what, func(t *testing.T) {
			p := newIDP(t, map[string]crypto.Signer{"k": key})
			p.handler = answers(p)
			auth, _ := open(t, newClock(), keyFile(t, edKey(t)), p.config(nil))
			wantUnavailable(t, auth, what, sign(t, jwt.SigningMethodEdDSA, key, p.claims(nil), kid("k")))
		})
	}
}

// discovery answers with doc, and with the keys everywhere else.
func discovery(doc map[string]any, p *idp) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "openid-configuration") {
			answer(w, doc)
			return
		}
		answer(w, map[string]any{"keys": p.published()})
	}
}

// A caller who gives up is not kept by an issuer that does not answer.
func TestCallerGivesUp(t *testing.T) {
	key := edKey(t)
	p := newIDP(t, map[string]crypto.Signer{"k": key})
	asked, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	p.handler = func(_ http.ResponseWriter, r *http.Request) {
		once.Do(func() { close(asked) })
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}
	t.Cleanup(func() { close(release) })
	auth, own := open(t, newClock(), keyFile(t, edKey(t)), p.config(nil))
	<-asked
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	_, err := auth.Authenticate(ctx, sign(t, jwt.SigningMethodEdDSA, key, p.claims(nil), kid("k")))
	if !errors.Is(err, session.ErrIssuerUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Authenticate = %v, want ErrIssuerUnavailable because of the deadline", err)
	}
	wantAccepted(t, auth, "own token meanwhile", issue(t, own, ownSession(t, time.Hour)))
}
