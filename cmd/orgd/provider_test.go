package main

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"orgd/domain/session"
	"orgd/test/process"
)

// provider is an OpenID provider where one person is always signed in.
type provider struct {
	*httptest.Server
	key ed25519.PrivateKey

	mu     sync.Mutex
	claims jwt.MapClaims         // of the person
	grants map[string]url.Values // by code: what the authorization asked for
}

func newProvider(t *testing.T, claims jwt.MapClaims) *provider {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	p := &provider{key: key, claims: claims, grants: map[string]url.Values{}}
	mux := http.NewServeMux()
	p.Server = httptest.NewServer(mux)
	t.Cleanup(p.Close)
	mux.HandleFunc("/.well-known/openid-configuration", p.discovery)
	mux.HandleFunc("/keys", func(w http.ResponseWriter, _ *http.Request) {
		x := base64.RawURLEncoding.EncodeToString(key.Public().(ed25519.PublicKey))
		sendJSON(w, 200, map[string]any{"keys": []any{map[string]string{"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": "k", "x": x}}})
	})
	mux.HandleFunc("/authorize", p.authorize)
	mux.HandleFunc("/token", p.token)
	return p
}

func (p *provider) discovery(w http.ResponseWriter, _ *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	says := map[string]any{
		"issuer": p.URL, "jwks_uri": p.URL + "/keys",
		"authorization_endpoint": p.URL + "/authorize", "token_endpoint": p.URL + "/token",
	}
	sendJSON(w, 200, says)
}

func (p *provider) authorize(w http.ResponseWriter, r *http.Request) {
	q := r.URL.Query()
	code := rand.Text()
	p.mu.Lock()
	p.grants[code] = q
	p.mu.Unlock()
	http.Redirect(w, r, q.Get("redirect_uri")+"?"+url.Values{"code": {code}, "state": {q.Get("state")}}.Encode(), http.StatusFound)
}

func (p *provider) token(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	code := r.FormValue("code")
	asked, ok := p.grants[code]
	delete(p.grants, code)
	if !ok || asked.Get("code_challenge") != session.Challenge(r.FormValue("code_verifier")) {
		sendJSON(w, 400, map[string]any{"error": "invalid_grant"})
		return
	}
	p.sendToken(w, jwt.MapClaims{"nonce": asked.Get("nonce")})
}

func (p *provider) sendToken(w http.ResponseWriter, more jwt.MapClaims) {
	claims := jwt.MapClaims{"iss": p.URL, "aud": "web", "jti": rand.Text(), "iat": time.Now().Unix(), "exp": time.Now().Add(time.Hour).Unix()}
	maps.Copy(claims, p.claims)
	maps.Copy(claims, more)
	token := jwt.NewWithClaims(jwt.SigningMethodEdDSA, claims)
	token.Header["kid"] = "k"
	text, err := token.SignedString(p.key)
	if err != nil {
		http.Error(w, err.Error(), 500)
		return
	}
	sendJSON(w, 200, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": text})
}

func sendJSON(w http.ResponseWriter, status int, doc any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(doc) // the client has gone; nothing to do about it
}

// serveWith runs the service with the provider.
func serveWith(t *testing.T, p *provider) *service {
	t.Helper()
	addr := process.FreeAddr(t)
	s := serve(t, false, "--data-dir", t.TempDir(), "--addr", addr, "--public-url", "http://"+addr,
		"--oidc-issuer", p.URL, "--oidc-audience", "api", "--oidc-client-id", "web")
	for end := time.Now().Add(deadline); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if page := (browser{t, newBrowser(t)}).get(s.url + "/api/v1/auth/oidc/start"); page.status == 200 || page.status == 401 {
			return s // the provider has been found
		}
	}
	t.Fatalf("the service does not find the provider:\n%s", s.stderr)
	return nil
}

// browser plays the browser of a person.
type browser struct {
	*testing.T
	client *http.Client
}

type page struct {
	status int
	header http.Header
	text   string
}

func newBrowser(t *testing.T) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Jar: jar, Timeout: deadline}
}

func (b browser) get(address string) page {
	b.Helper()
	res, err := b.client.Get(address)
	if err != nil {
		b.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		b.Fatal(err)
	}
	return page{res.StatusCode, res.Header, string(text)}
}

var (
	// startForm is the address that orgd login prints.
	startForm = regexp.MustCompile(`http\S+/api/v1/auth/oidc/start\?\S+`)
	backForm  = regexp.MustCompile(`href="(http://127\.0\.0\.1:\d+/\?[^"]+)"`)
)

// signsIn opens the address that a command has printed, and returns where the page of the service
// leads back to.
func (b browser) signsIn(r *running) *url.URL {
	b.Helper()
	r.shows(r.stderr, "auth/oidc/start?")
	page := b.get(startForm.FindString(r.stderr.String()))
	found := backForm.FindStringSubmatch(page.text)
	if page.status != 200 || found == nil {
		b.Fatalf("the browser is shown %d %s, want the way back to the command line", page.status, page.text)
	}
	back, err := url.Parse(strings.ReplaceAll(found[1], "&amp;", "&"))
	if err != nil {
		b.Fatal(err)
	}
	return back
}
