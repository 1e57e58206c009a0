package jwtauth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha512"
	"encoding/base64"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"github.com/google/go-cmp/cmp"

	"orgd/adapters/jwtauth"
	"orgd/domain/access"
	"orgd/domain/name"
	"orgd/domain/session"
)

func TestExternalAlgorithms(t *testing.T) {
	rsa, p256, p384, p521, ed := rsaKey(t, 2048), ecKey(t, elliptic.P256()), ecKey(t, elliptic.P384()), ecKey(t, elliptic.P521()), edKey(t)
	keys := map[string]crypto.Signer{"rsa": rsa, "p256": p256, "p384": p384, "p521": p521, "ed": ed}
	p := newIDP(t, keys)
	auth, _ := open(t, newClock(), keyFile(t, edKey(t)), p.config(nil))

	fits := map[string][]jwt.SigningMethod{
		"rsa": {
			jwt.SigningMethodRS256, jwt.SigningMethodRS384, jwt.SigningMethodRS512,
			jwt.SigningMethodPS256, jwt.SigningMethodPS384, jwt.SigningMethodPS512,
		},
		"p256": {jwt.SigningMethodES256},
		"p384": {jwt.SigningMethodES384},
		"p521": {jwt.SigningMethodES512},
		"ed":   {jwt.SigningMethodEdDSA},
	}
	for id, methods := range fits {
		for _, method := range methods {
			token := sign(t, method, keys[id], p.claims(nil), kid(id))
			wantAccepted(t, auth, method.Alg(), token)
			for other := range keys {
				if other != id {
					wantRefused(t, auth, method.Alg()+" with the kid of "+other, sign(t, method, keys[id], p.claims(nil), kid(other)))
				}
			}
		}
	}
	wantRefused(t, auth, "ES384 by a P-256 key", signES384(t, p256, p.claims(nil), "p256"))
	if n := p.fetched(); n > 2 {
		t.Errorf("the issuer was asked %d times, want at most 2", n)
	}
}

// signES384 signs with a key of another curve, which the library refuses to do.
func signES384(t *testing.T, key *ecdsa.PrivateKey, claims jwt.MapClaims, id string) string {
	t.Helper()
	token := jwt.NewWithClaims(jwt.SigningMethodES384, claims)
	token.Header["kid"] = id
	text, err := token.SigningString()
	if err != nil {
		t.Fatal(err)
	}
	digest := sha512.Sum384([]byte(text))
	r, s, err := ecdsa.Sign(rand.Reader, key, digest[:])
	if err != nil {
		t.Fatal(err)
	}
	signature := append(r.FillBytes(make([]byte, 48)), s.FillBytes(make([]byte, 48))...)
	return text + "." + base64.RawURLEncoding.EncodeToString(signature)
}

func TestExternalSession(t *testing.T) {
	key := edKey(t)
	p := newIDP(t, map[string]crypto.Signer{"k": key})
	const agent = "0190a5c4-0000-7000-8000-000000000001"
	base := session.Session{
		Issuer: p.URL, Subject: p.URL + "|ann", Role: access.Editor,
		ID:       session.ExternalID(p.URL, "ann", "jti:j1"),
		IssuedAt: noon, ExpiresAt: noon.Add(time.Hour), Kind: session.External,
	}
	tests := map[string]struct {
		config func(*jwtauth.OIDC)
		claims jwt.MapClaims
		want   func(*session.Session)
	}{
		"plain": {nil, nil, func(*session.Session) {}},
		"sid": {nil, jwt.MapClaims{"sid": "sso-1"}, func(s *session.Session) {
			s.ID = session.ExternalID(p.URL, "ann", "sid:sso-1")
		}},
		"without jti": {nil, jwt.MapClaims{"jti": nil}, func(s *session.Session) {
			s.ID = session.ExternalID(p.URL, "ann", fmt.Sprintf("iat:%d", noon.Unix()))
		}},
		"without iat": {nil, jwt.MapClaims{"iat": nil}, func(*session.Session) {}},
		"most powerful of several roles": {nil, jwt.MapClaims{"role": []string{"agent", "admin", "x", "editor"}}, func(s *session.Session) {
			s.Role = access.Admin
		}},
		"nested claims": {
			func(o *jwtauth.OIDC) { o.RoleClaim, o.DepartmentsClaim = "realm_access.roles", "org.units" },
			jwt.MapClaims{
				"realm_access": map[string]any{"roles": []string{"department_admin"}},
				"org":          map[string]any{"units": []string{"Design", "", "..", "Sales"}}, "role": "admin",
			},
			func(s *session.Session) {
				s.Role = access.DepartmentAdmin
				s.Departments = []name.Name{{Text: "Design", Key: "design"}, {Text: "Sales", Key: "sales"}}
			},
		},
		"claims named by URLs": {
			func(o *jwtauth.OIDC) { o.RoleClaim = "https://example.com/role" },
			jwt.MapClaims{"https://example.com/role": "agent", "sub": agent},
			func(s *session.Session) {
				s.Role, s.Agent, s.Subject = access.Agent, agent, p.URL+"|"+agent
				s.ID = session.ExternalID(p.URL, agent, "jti:j1")
			},
		},
		"mapped roles": {
			func(o *jwtauth.OIDC) {
				o.Roles = map[string]string{"org-writers": "editor", "org-heads": "department_admin"}
			},
			jwt.MapClaims{"role": []string{"admin", "org-heads", "org-writers"}},
			func(*session.Session) {},
		},
		"agent id of its own": {
			func(o *jwtauth.OIDC) { o.AgentClaim = "agent_id" },
			jwt.MapClaims{"role": "agent", "agent_id": agent},
			func(s *session.Session) { s.Role, s.Agent = access.Agent, agent },
		},
		"subject with a bar": {nil, jwt.MapClaims{"sub": "auth0|ann", "sid": "s"}, func(s *session.Session) {
			s.Subject, s.ID = p.URL+"|auth0|ann", session.ExternalID(p.URL, "auth0|ann", "sid:s")
		}},
	}
	for what, tt := range tests {
		t.Run(what, func(t *testing.T) {
			auth, _ := open(t, newClock(), keyFile(t, edKey(t)), p.config(tt.config))
			want := base
			tt.want(&want)
			got := wantAccepted(t, auth, what, sign(t, jwt.SigningMethodEdDSA, key, p.claims(tt.claims), kid("k")))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("Authenticate (-want +got):\n%s", diff)
			}
		})
	}
}

// The sid of an issuer's token never names a session of ours or of another
// issuer.
func TestExternalSidIsItsOwn(t *testing.T) {
	key := edKey(t)
	p, q := newIDP(t, map[string]crypto.Signer{"k": key}), newIDP(t, map[string]crypto.Signer{"k": key})
	auth, own := open(t, newClock(), keyFile(t, edKey(t)), p.config(nil), q.config(nil))
	ours := ownSession(t, time.Hour)
	if got := wantAccepted(t, auth, "own", issue(t, own, ours)); got.ID != ours.ID {
		t.Errorf("own session = %q, want %q", got.ID, ours.ID)
	}
	sid := jwt.MapClaims{"sid": ours.ID}
	theirs := wantAccepted(t, auth, "foreign", sign(t, jwt.SigningMethodEdDSA, key, p.claims(sid), kid("k")))
	named := wantAccepted(t, auth, "foreign", sign(t, jwt.SigningMethodEdDSA, key, q.claims(jwt.MapClaims{"sid": theirs.ID}), kid("k")))
	same := wantAccepted(t, auth, "foreign", sign(t, jwt.SigningMethodEdDSA, key, q.claims(sid), kid("k")))
	if theirs.ID == ours.ID || named.ID == theirs.ID || same.ID == theirs.ID {
		t.Errorf("sessions of two issuers = %q, %q, %q, and %q of ours", theirs.ID, named.ID, same.ID, ours.ID)
	}
	again := jwt.MapClaims{"sid": ours.ID, "jti": "another"}
	if got := wantAccepted(t, auth, "renewed", sign(t, jwt.SigningMethodEdDSA, key, p.claims(again), kid("k"))); got.ID != theirs.ID {
		t.Errorf("session of a renewed token = %q, want %q", got.ID, theirs.ID)
	}
}

func TestExternalRefused(t *testing.T) {
	key, foreign := rsaKey(t, 2048), rsaKey(t, 2048)
	p := newIDP(t, map[string]crypto.Signer{"k": key})
	other := newIDP(t, map[string]crypto.Signer{"k": foreign})
	auth, _ := open(t, newClock(), keyFile(t, edKey(t)), p.config(func(o *jwtauth.OIDC) {
		o.Roles = map[string]string{"writers": "editor"}
	}), other.config(nil))
	good := func(change jwt.MapClaims) jwt.MapClaims {
		return changed(p.claims(jwt.MapClaims{"role": "writers"}), change)
	}
	wantAccepted(t, auth, "good", sign(t, jwt.SigningMethodRS256, key, good(nil), kid("k")))
	for what, change := range map[string]jwt.MapClaims{
		"another service's audience": {"aud": "billing"},
		"no audience":                {"aud": nil},
		"empty audience":             {"aud": ""},
		"no exp":                     {"exp": nil},
		"expired beyond the leeway":  {"exp": noon.Unix() - 30},
		"nbf beyond the leeway":      {"nbf": noon.Unix() + 31},
		"iat beyond the leeway":      {"iat": noon.Unix() + 31},
		"issuer with a slash":        {"iss": p.URL + "/"},
		"issuer of other keys":       {"iss": other.URL},
		"unknown issuer":             {"iss": "https://evil.example"},
		"the service itself":         {"iss": "orgd", "aud": "orgd", "sid": "s", "nbf": 1, "role": "admin"},
		"no role":                    {"role": nil},
		"role that is not mapped":    {"role": "admin"},
		"role is an object":          {"role": map[string]any{"writers": true}},
		"no subject":                 {"sub": nil},
		"subject is a number":        {"sub": 7},
		"subject breaks the line":    {"sub": "a\nb"},
		"neither sid, jti nor iat":   {"jti": nil, "iat": nil},
		"iat before time":            {"iat": -1e15},
	} {
		wantRefused(t, auth, what, sign(t, jwt.SigningMethodRS256, key, good(change), kid("k")))
	}
	modulus := base64.RawURLEncoding.EncodeToString(key.N.Bytes())
	for what, token := range map[string]string{
		"signed by another key":      sign(t, jwt.SigningMethodRS256, foreign, good(nil), kid("k")),
		"HS256 with the modulus":     sign(t, jwt.SigningMethodHS256, key.N.Bytes(), good(nil), kid("k")),
		"HS256 with the JWK's text":  sign(t, jwt.SigningMethodHS256, []byte(modulus), good(nil), kid("k")),
		"jku of the attacker":        sign(t, jwt.SigningMethodRS256, foreign, good(nil), map[string]any{"kid": "k", "jku": other.URL + "/keys"}),
		"jku without kid":            sign(t, jwt.SigningMethodRS256, foreign, good(nil), map[string]any{"jku": other.URL + "/keys"}),
		"kid as a URL":               sign(t, jwt.SigningMethodRS256, foreign, good(nil), kid(other.URL+"/keys")),
		"unknown kid":                sign(t, jwt.SigningMethodRS256, key, good(nil), kid("k2")),
		"kid in another letter case": sign(t, jwt.SigningMethodRS256, key, good(nil), kid("K")),
	} {
		wantRefused(t, auth, what, token)
	}
}

func TestExternalLeeway(t *testing.T) {
	key := edKey(t)
	p := newIDP(t, map[string]crypto.Signer{"k": key})
	auth, _ := open(t, newClock(), keyFile(t, edKey(t)), p.config(nil))
	for what, change := range map[string]jwt.MapClaims{
		"just expired": {"exp": noon.Unix() - 29},
		"nearly valid": {"nbf": noon.Unix() + 30},
		"just issued":  {"iat": noon.Unix() + 30},
	} {
		token := sign(t, jwt.SigningMethodEdDSA, key, p.claims(change), kid("k"))
		for range 2 {
			wantAccepted(t, auth, what, token)
		}
	}
}

func TestExternalAgentWithoutID(t *testing.T) {
	key := edKey(t)
	p := newIDP(t, map[string]crypto.Signer{"k": key})
	auth, _ := open(t, newClock(), keyFile(t, edKey(t)), p.config(func(o *jwtauth.OIDC) { o.AgentClaim = "agent_id" }))
	wantRefused(t, auth, "agent", sign(t, jwt.SigningMethodEdDSA, key, p.claims(jwt.MapClaims{"role": "agent"}), kid("k")))
}

// Keys that are weak, symmetric or published for another purpose verify nothing.
func TestPublishedKeysThatDoNotCount(t *testing.T) {
	weak, key := rsaKey(t, 1024), rsaKey(t, 2048)
	p := newIDP(t, map[string]crypto.Signer{"weak": weak})
	n := base64.RawURLEncoding.EncodeToString(key.N.Bytes())
	p.extra = []string{
		`{"kty":"RSA","kid":"enc","use":"enc","n":"` + n + `","e":"AQAB"}`,
		`{"kty":"RSA","kid":"ops","key_ops":["encrypt"],"n":"` + n + `","e":"AQAB"}`,
		`{"kty":"RSA","kid":"alg","alg":"RS512","n":"` + n + `","e":"AQAB"}`,
		`{"kty":"RSA","kid":"even","n":"` + n + `","e":"Ag"}`,
		`{"kty":"oct","kid":"oct","k":"c2VjcmV0"}`,
		`{"kty":"EC","kid":"curve","crv":"P-256","x":"AQ","y":"AQ"}`,
		`{"kty":"OKP","kid":"short","crv":"Ed25519","x":"AQ"}`,
		`{"kty":"new","kid":"new"}`, `{"kid":7}`, `7`, `null`,
		`{"kty":"RSA","kid":"good","n":"` + n + `","e":"AQAB","x5c":["junk"],"x5u":"http://127.0.0.1:1/"}`,
	}
	auth, _ := open(t, newClock(), keyFile(t, edKey(t)), p.config(nil))
	wantAccepted(t, auth, "good", sign(t, jwt.SigningMethodRS256, key, p.claims(nil), kid("good")))
	for _, id := range []string{"enc", "ops", "alg", "even", "none"} {
		wantRefused(t, auth, id, sign(t, jwt.SigningMethodRS256, key, p.claims(nil), kid(id)))
	}
	wantRefused(t, auth, "weak", sign(t, jwt.SigningMethodRS256, weak, p.claims(nil), kid("weak")))
	wantRefused(t, auth, "oct", sign(t, jwt.SigningMethodHS256, []byte("secret"), p.claims(nil), kid("oct")))
	wantAccepted(t, auth, "RS512 as published", sign(t, jwt.SigningMethodRS512, key, p.claims(nil), kid("alg")))
}

func TestOnlyKeyNeedsNoKid(t *testing.T) {
	key := rsaKey(t, 2048)
	p := newIDP(t, map[string]crypto.Signer{"k": key, "ed": edKey(t)})
	auth, _ := open(t, newClock(), keyFile(t, edKey(t)), p.config(nil))
	wantAccepted(t, auth, "no kid", sign(t, jwt.SigningMethodRS256, key, p.claims(nil), nil))
}

func TestJWKSURIWithoutDiscovery(t *testing.T) {
	key := edKey(t)
	p := newIDP(t, map[string]crypto.Signer{"k": key})
	p.handler = func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/keys" {
			t.Errorf("asked for %s, want only /keys", r.URL.Path)
		}
		answer(w, map[string]any{"keys": p.published()})
	}
	auth, _ := open(t, newClock(), keyFile(t, edKey(t)), p.config(func(o *jwtauth.OIDC) { o.JWKSURI = o.Issuer + "/keys" }))
	wantAccepted(t, auth, "good", sign(t, jwt.SigningMethodEdDSA, key, p.claims(nil), kid("k")))
}
