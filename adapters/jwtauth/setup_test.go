package jwtauth_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/MicahParks/jwkset"
	"github.com/golang-jwt/jwt/v5"
	"go.uber.org/goleak"
	"go.uber.org/zap"

	"orgd/adapters/jwtauth"
	"orgd/domain/access"
	"orgd/domain/fault"
	"orgd/domain/name"
	"orgd/domain/session"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// size is short, or long if ORGD_LONG=1.
func size(short, long int) int {
	if os.Getenv("ORGD_LONG") == "1" {
		return long
	}
	return short
}

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: noon} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// idp is an OpenID Connect issuer on this host.
type idp struct {
	*httptest.Server

	mu      sync.Mutex
	keys    map[string]crypto.Signer // published, by kid
	extra   []string                 // further keys, as JSON
	handler http.HandlerFunc         // replaces the answers if set
	fetches int                      // of the key set
}

func newIDP(t *testing.T, keys map[string]crypto.Signer) *idp {
	t.Helper()
	p := &idp{keys: maps.Clone(keys)}
	p.Server = httptest.NewServer(http.HandlerFunc(p.serve))
	t.Cleanup(p.Close)
	return p
}

func (p *idp) serve(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if r.URL.Path == "/keys" {
		p.fetches++
	}
	switch {
	case p.handler != nil:
		p.handler(w, r)
	case r.URL.Path == "/.well-known/openid-configuration":
		answer(w, map[string]any{"issuer": p.URL, "jwks_uri": p.URL + "/keys"})
	case r.URL.Path == "/keys":
		answer(w, map[string]any{"keys": p.published()})
	default:
		http.NotFound(w, r)
	}
}

func answer(w http.ResponseWriter, doc any) {
	text, err := json.Marshal(doc)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	_, _ = w.Write(text) // the client has gone; nothing to do about it
}

func (p *idp) published() []json.RawMessage {
	keys := []json.RawMessage{}
	for kid, key := range p.keys {
		jwk, err := jwkset.NewJWKFromKey(key.Public(), jwkset.JWKOptions{
			Metadata: jwkset.JWKMetadataOptions{KID: kid, USE: jwkset.UseSig},
		})
		if err != nil {
			panic(err)
		}
		text, err := json.Marshal(jwk.Marshal())
		if err != nil {
			panic(err)
		}
		keys = append(keys, text)
	}
	for _, key := range p.extra {
		keys = append(keys, json.RawMessage(key))
	}
	return keys
}

func (p *idp) change(f func(*idp)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f(p)
}

func (p *idp) fetched() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.fetches
}

// config trusts the issuer.
func (p *idp) config(change func(*jwtauth.OIDC)) jwtauth.OIDC {
	o := jwtauth.DefaultOIDC()
	o.Issuer, o.Audience = p.URL, []string{"orgd-api"}
	if change != nil {
		change(&o)
	}
	return o
}

// claims are those of a good token of the issuer at noon.
func (p *idp) claims(change jwt.MapClaims) jwt.MapClaims {
	return changed(jwt.MapClaims{
		"iss": p.URL, "aud": "orgd-api", "sub": "ann", "role": "editor", "jti": "j1",
		"iat": noon.Unix(), "exp": noon.Add(time.Hour).Unix(),
	}, change)
}

// changed returns claims with some replaced; nil removes one.
func changed(claims, change jwt.MapClaims) jwt.MapClaims {
	claims = maps.Clone(claims)
	for k, v := range change {
		if claims[k] = v; v == nil {
			delete(claims, k)
		}
	}
	return claims
}

// sign makes a token; header replaces parts of its header, nil removes one.
func sign(t testing.TB, method jwt.SigningMethod, key any, claims jwt.MapClaims, header map[string]any) string {
	t.Helper()
	token := jwt.NewWithClaims(method, claims)
	token.Header = changed(token.Header, header)
	text, err := token.SignedString(key)
	if err != nil {
		t.Fatalf("sign: %v", err)
	}
	return text
}

func kid(id string) map[string]any { return map[string]any{"kid": id} }

func edKey(t testing.TB) ed25519.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func ecKey(t testing.TB, curve elliptic.Curve) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(curve, rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

func rsaKey(t testing.TB, bits int) *rsa.PrivateKey {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, bits)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// keyFile writes keys into a file and returns its name.
func keyFile(t testing.TB, keys ...ed25519.PrivateKey) string {
	t.Helper()
	var text strings.Builder
	for _, key := range keys {
		der, err := x509.MarshalPKCS8PrivateKey(key)
		if err != nil {
			t.Fatal(err)
		}
		if err := pem.Encode(&text, &pem.Block{Type: "PRIVATE KEY", Bytes: der}); err != nil {
			t.Fatal(err)
		}
	}
	path := filepath.Join(t.TempDir(), "signing.pem")
	if err := os.WriteFile(path, []byte(text.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// open starts an Auth and the issuer of its own tokens.
func open(t testing.TB, c *clock, path string, issuers ...jwtauth.OIDC) (*jwtauth.Auth, *jwtauth.Issuer) {
	t.Helper()
	cfg := jwtauth.Default()
	cfg.KeyFile, cfg.OIDC = path, issuers
	own, err := jwtauth.LoadIssuer(cfg)
	if err != nil {
		t.Fatalf("LoadIssuer = %v", err)
	}
	auth, stop, err := jwtauth.Open(cfg, own, c, zap.NewNop())
	if err != nil {
		t.Fatalf("Open = %v", err)
	}
	t.Cleanup(stop)
	return auth, own
}

// ownSession is a session of this service at noon.
func ownSession(t testing.TB, ttl time.Duration) session.Session {
	t.Helper()
	s, err := session.Issue(session.Grant{
		ID: "0190a5c4-0000-7000-8000-00000000000a", Issuer: "orgd", Subject: "ann", Role: access.DepartmentAdmin,
		Departments: []name.Name{{Text: "Design", Key: "design"}, {Text: "Sales & More", Key: "sales & more"}},
		At:          noon, TTL: ttl,
	})
	if err != nil {
		t.Fatalf("session.Issue = %v", err)
	}
	return s
}

func issue(t testing.TB, own *jwtauth.Issuer, s session.Session) string {
	t.Helper()
	token, err := own.Issue(s)
	if err != nil {
		t.Fatalf("Issue = %v", err)
	}
	return token
}

func wantAccepted(t testing.TB, auth *jwtauth.Auth, what, token string) session.Session {
	t.Helper()
	s, err := auth.Authenticate(t.Context(), token)
	if err != nil {
		t.Errorf("%s: Authenticate = %v, want a session", what, err)
	}
	return s
}

func wantRefused(t testing.TB, auth *jwtauth.Auth, what, token string) {
	t.Helper()
	s, err := auth.Authenticate(t.Context(), token)
	if !errors.Is(err, session.ErrUnauthorized) || fault.Of(err).Code != fault.Unauthorized {
		t.Errorf("%s: Authenticate = %+v, %v, want ErrUnauthorized", what, s, err)
	}
	if err != nil && len(token) > 20 && strings.Contains(err.Error(), token[:20]) {
		t.Errorf("%s: the error repeats the token: %v", what, err)
	}
}
