package jwtauth_test

import (
	"crypto"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"

	"orgd/adapters/jwtauth"
	"orgd/domain/access"
	"orgd/domain/session"
	"orgd/ports"
)

// signing is an issuer that signs people in, as a test says.
type signing struct {
	*testing.T
	idp      *idp
	clock    *clock
	auth     *jwtauth.Auth
	provider *jwtauth.Provider
	attempt  session.Attempt

	key       crypto.Signer
	discovery map[string]any   // members of the discovery document that differ
	claims    jwt.MapClaims    // of the ID token that differ
	answer    http.HandlerFunc // of the token endpoint instead
	asked     url.Values       // what the token endpoint was asked
	basic     string           // the secret that it was given in the header
}

const clientSecret = "s3cret /+"

func newSigning(t *testing.T, discovery map[string]any, change func(*jwtauth.OIDC)) *signing {
	t.Helper()
	key := edKey(t)
	s := &signing{T: t, idp: newIDP(t, map[string]crypto.Signer{"k": key}), clock: newClock(), key: key, discovery: discovery}
	s.idp.change(func(p *idp) { p.handler = s.serve })
	file := filepath.Join(t.TempDir(), "secret")
	if err := os.WriteFile(file, []byte(clientSecret+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.auth, _ = open(t, s.clock, keyFile(t, edKey(t)), s.idp.config(func(o *jwtauth.OIDC) {
		o.ClientID, o.ClientSecretFile = "orgd-console", file
		if change != nil {
			change(o)
		}
	}))
	s.provider = jwtauth.NewProvider(s.auth, "https://orgd.example.com/", zap.NewNop())
	s.attempt = session.NewAttempt([32]byte{1}, nil)
	return s
}

// ready waits until the issuer was asked what it is.
func (s *signing) ready() *signing {
	s.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if _, err := s.provider.AuthURL(s.attempt); err == nil {
			return s
		}
	}
	s.Fatal("the issuer is not known after 10 s")
	return nil
}

// serve answers for the issuer. The lock of the idp is held.
func (s *signing) serve(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/.well-known/openid-configuration":
		doc := map[string]any{
			"issuer": s.idp.URL, "jwks_uri": s.idp.URL + "/keys", "authorization_endpoint": s.idp.URL + "/auth?tenant=1",
			"token_endpoint": s.idp.URL + "/token", "end_session_endpoint": s.idp.URL + "/end",
		}
		for name, value := range s.discovery {
			doc[name] = value
		}
		answer(w, doc)
	case "/keys":
		answer(w, map[string]any{"keys": s.idp.published()})
	case "/token":
		_ = r.ParseForm() // what is missing shows
		s.asked = r.PostForm
		_, s.basic, _ = r.BasicAuth()
		if s.answer != nil {
			s.answer(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		answer(w, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": s.idToken()})
	default:
		http.NotFound(w, r)
	}
}

func (s *signing) idToken() string {
	claims := changed(jwt.MapClaims{
		"iss": s.idp.URL, "aud": "orgd-console", "sub": "ann", "role": "editor", "sid": "login-1", "nonce": s.attempt.Nonce(),
		"email": "ann@example.com", "iat": s.clock.Now().Unix(), "exp": s.clock.Now().Add(5 * time.Minute).Unix(),
	}, s.claims)
	return sign(s, jwt.SigningMethodEdDSA, s.key, claims, kid("k"))
}

func (s *signing) redeem(change func(*ports.SignInAnswer)) (session.Session, string, error) {
	a := ports.SignInAnswer{Code: "code-1", State: s.attempt.State()}
	if change != nil {
		change(&a)
	}
	return s.provider.Redeem(s.Context(), s.attempt, a)
}

func TestSignIn(t *testing.T) {
	s := newSigning(t, nil, func(o *jwtauth.OIDC) { o.Scopes = []string{"openid", "email", "groups"} }).ready()
	where, err := s.provider.AuthURL(s.attempt)
	if err != nil {
		t.Fatal(err)
	}
	u, err := url.Parse(where)
	if err != nil || !strings.HasPrefix(where, s.idp.URL+"/auth?") {
		t.Fatalf("AuthURL = %s, want one of the issuer", where)
	}
	for name, want := range map[string]string{
		"tenant": "1", "response_type": "code", "client_id": "orgd-console", "redirect_uri": "https://orgd.example.com/api/v1/auth/oidc/callback",
		"scope": "openid email groups", "state": s.attempt.State(), "nonce": s.attempt.Nonce(),
		"code_challenge": session.Challenge(s.attempt.Verifier()), "code_challenge_method": "S256",
	} {
		if got := u.Query().Get(name); got != want {
			t.Errorf("AuthURL has %s=%q, want %q", name, got, want)
		}
	}
	got, called, err := s.redeem(nil)
	if err != nil {
		t.Fatal(err)
	}
	if got.Subject != session.Subject(s.idp.URL, "ann") || got.Role != access.Editor || got.Kind != session.External || called != "ann@example.com" {
		t.Errorf("Redeem = %+v, %q, want ann, an editor", got, called)
	}
	if s.asked.Get("code") != "code-1" || s.asked.Get("code_verifier") != s.attempt.Verifier() || s.asked.Get("redirect_uri") != u.Query().Get("redirect_uri") {
		t.Errorf("the token endpoint was asked %v", s.asked)
	}
	if s.basic != url.QueryEscape(clientSecret) || s.asked.Has("client_secret") {
		t.Errorf("the client says the secret %q, and in the body %v", s.basic, s.asked)
	}
	if s.provider.Name() != "127.0.0.1" {
		t.Errorf("Name = %q, want the host", s.provider.Name())
	}
}

func TestClientsAuthenticate(t *testing.T) {
	for what, tt := range map[string]struct {
		methods   []string
		public    bool
		basic, in string // the secret in the header and in the body
	}{
		"nothing said": {nil, false, url.QueryEscape(clientSecret), ""},
		"both":         {[]string{"client_secret_post", "client_secret_basic"}, false, url.QueryEscape(clientSecret), ""},
		"post":         {[]string{"client_secret_post"}, false, "", clientSecret},
		"public":       {[]string{"client_secret_basic"}, true, "", ""},
	} {
		t.Run(what, func(t *testing.T) {
			s := newSigning(t, map[string]any{"token_endpoint_auth_methods_supported": tt.methods}, func(o *jwtauth.OIDC) {
				if tt.public {
					o.ClientSecretFile = ""
				}
			}).ready()
			if _, _, err := s.redeem(nil); err != nil {
				t.Fatal(err)
			}
			if s.basic != tt.basic || s.asked.Get("client_secret") != tt.in || s.basic == "" && s.asked.Get("client_id") != "orgd-console" {
				t.Errorf("the secret is %q in the header and %q in the body", s.basic, s.asked.Get("client_secret"))
			}
		})
	}
}

// What RFC 9700 and OpenID Connect Core warn of.
func TestSignInRefuses(t *testing.T) {
	other := session.NewAttempt([32]byte{2}, nil)
	for what, tt := range map[string]struct {
		claims jwt.MapClaims
		answer func(*ports.SignInAnswer)
		want   error
		text   string
	}{
		"no state":                     {answer: func(a *ports.SignInAnswer) { a.State = "" }, want: session.ErrAttempt},
		"the state of another":         {answer: func(a *ports.SignInAnswer) { a.State = other.State() }, want: session.ErrAttempt},
		"another issuer":               {answer: func(a *ports.SignInAnswer) { a.Issuer = "https://evil.example" }, want: session.ErrProviderRefused},
		"an error":                     {answer: func(a *ports.SignInAnswer) { a.Code, a.Err = "", "access_denied" }, want: session.ErrProviderRefused, text: "access_denied"},
		"neither code nor error":       {answer: func(a *ports.SignInAnswer) { a.Code = "" }, want: session.ErrProviderRefused},
		"the nonce of another":         {claims: jwt.MapClaims{"nonce": other.Nonce()}, want: session.ErrAttempt},
		"no nonce":                     {claims: jwt.MapClaims{"nonce": nil}, want: session.ErrAttempt},
		"made for the API":             {claims: jwt.MapClaims{"aud": "orgd-api"}, want: session.ErrProviderRefused, text: "not meant for this service"},
		"made for another client":      {claims: jwt.MapClaims{"aud": []string{"orgd-console", "x"}, "azp": "x"}, want: session.ErrProviderRefused, text: "another client"},
		"of another issuer":            {claims: jwt.MapClaims{"iss": "https://evil.example"}, want: session.ErrProviderRefused},
		"of this service":              {claims: jwt.MapClaims{"iss": "orgd"}, want: session.ErrProviderRefused},
		"expired":                      {claims: jwt.MapClaims{"exp": noon.Add(-time.Minute).Unix()}, want: session.ErrProviderRefused, text: "expired"},
		"issued in the future":         {claims: jwt.MapClaims{"iat": noon.Add(5 * time.Minute).Unix()}, want: session.ErrProviderRefused, text: "not valid yet"},
		"no subject":                   {claims: jwt.MapClaims{"sub": nil}, want: session.ErrProviderRefused},
		"no claim with a role":         {claims: jwt.MapClaims{"role": nil}, want: session.ErrNoRole, text: `no claim "role" with one. It has the claims aud, email, exp`},
		"an empty claim with a role":   {claims: jwt.MapClaims{"role": []string{}}, want: session.ErrNoRole, text: `no claim "role"`},
		"a role that nobody knows":     {claims: jwt.MapClaims{"role": []string{"boss"}}, want: session.ErrNoRole, text: `"role" of its ID token says ["boss"]`},
		"an agent that is not named":   {claims: jwt.MapClaims{"role": "agent", "sub": "x", "agent": nil}, want: nil},
		"the same issuer, named":       {answer: nil, want: nil},
		"two audiences and its own":    {claims: jwt.MapClaims{"aud": []string{"x", "orgd-console"}, "azp": "orgd-console"}, want: nil},
		"times a little in the future": {claims: jwt.MapClaims{"iat": noon.Add(20 * time.Second).Unix()}, want: nil},
	} {
		t.Run(what, func(t *testing.T) {
			s := newSigning(t, nil, nil).ready()
			s.idp.change(func(*idp) { s.claims = tt.claims })
			got, _, err := s.redeem(tt.answer)
			switch {
			case tt.want == nil && err != nil, tt.want != nil && !errors.Is(err, tt.want):
				t.Fatalf("Redeem = %+v, %v, want %v", got, err, tt.want)
			case err != nil && !strings.Contains(err.Error(), tt.text):
				t.Errorf("Redeem = %v, want %q in it", err, tt.text)
			}
			if answered := tt.answer == nil; answered != (s.asked != nil) {
				t.Errorf("the token endpoint was asked %v", s.asked)
			}
		})
	}
}

// An issuer that names itself in answers (RFC 9207) does so in each.
func TestMixUp(t *testing.T) {
	s := newSigning(t, map[string]any{"authorization_response_iss_parameter_supported": true}, nil).ready()
	for issuer, ok := range map[string]bool{"": false, s.idp.URL: true, s.idp.URL + "/": false} {
		_, _, err := s.redeem(func(a *ports.SignInAnswer) { a.Issuer = issuer })
		if ok != (err == nil) || !ok && !errors.Is(err, session.ErrProviderRefused) {
			t.Errorf("the issuer %q: Redeem = %v, want ok %t", issuer, err, ok)
		}
	}
}

func TestTokenEndpointFails(t *testing.T) {
	for what, tt := range map[string]struct {
		status int
		body   string
		want   error
		text   string
	}{
		"used twice":       {400, `{"error":"invalid_grant","error_description":"Code not valid <b>"}`, session.ErrProviderRefused, "any more"},
		"wrong secret":     {401, `{"error":"invalid_client"}`, session.ErrProvider, "invalid_client"},
		"no redirect":      {302, ``, session.ErrProvider, "302"},
		"broken":           {500, `oops`, session.ErrProvider, "500"},
		"no ID token":      {200, `{"access_token":"x","token_type":"Bearer"}`, session.ErrProviderRefused, "it has no ID token: an operator has to look whether the scopes include openid"},
		"not signed":       {200, `{"access_token":"x","token_type":"Bearer","id_token":"eyJhbGciOiJub25lIn0.eyJzdWIiOiJhbm4ifQ."}`, session.ErrProviderRefused, "signature"},
		"not a token":      {200, `{"access_token":"x","token_type":"Bearer","id_token":"a b"}`, session.ErrProviderRefused, "malformed"},
		"too many groups":  {200, `{"access_token":"x","token_type":"Bearer","id_token":"` + strings.Repeat("x", 8193) + `"}`, session.ErrProviderRefused, "the ID token has 8193 bytes, and may have at most 8192: an operator has to let the provider put fewer groups into it"},
		"no token at all":  {200, `{}`, session.ErrProvider, ""},
		"nothing but HTML": {200, `<html>`, session.ErrProvider, ""},
	} {
		t.Run(what, func(t *testing.T) {
			s := newSigning(t, nil, nil).ready()
			s.idp.change(func(*idp) {
				s.answer = func(w http.ResponseWriter, _ *http.Request) {
					w.Header().Set("Content-Type", "application/json")
					w.Header().Set("Location", "/elsewhere")
					w.WriteHeader(tt.status)
					_, _ = w.Write([]byte(tt.body)) // the client has gone; nothing to do about it
				}
			})
			_, _, err := s.redeem(nil)
			if !errors.Is(err, tt.want) || !strings.Contains(err.Error(), tt.text) {
				t.Errorf("Redeem = %v, want %v with %q", err, tt.want, tt.text)
			}
			if strings.Contains(err.Error(), "<b>") || strings.Contains(err.Error(), clientSecret) {
				t.Errorf("Redeem = %v, which repeats what it must not", err)
			}
		})
	}
}

// Who begins while the issuer is away is told so, and who has begun can go on with its keys.
func TestIssuerIsAway(t *testing.T) {
	s := newSigning(t, nil, nil).ready()
	s.idp.Close()
	if _, err := s.provider.AuthURL(s.attempt); err != nil {
		t.Errorf("AuthURL = %v, want where the issuer was", err)
	}
	if _, _, err := s.redeem(nil); !errors.Is(err, session.ErrProvider) || !strings.Contains(err.Error(), "does not answer") {
		t.Errorf("Redeem = %v, want ErrProvider", err)
	}

	p := newIDP(t, nil)
	p.Close()
	auth, _ := open(t, newClock(), keyFile(t, edKey(t)), p.config(func(o *jwtauth.OIDC) { o.ClientID = "x" }))
	never := jwtauth.NewProvider(auth, "https://orgd.example.com", zap.NewNop())
	if _, err := never.AuthURL(s.attempt); !errors.Is(err, session.ErrProvider) || !strings.Contains(err.Error(), "has not answered yet") {
		t.Errorf("AuthURL = %v, want ErrProvider", err)
	}
}

// An issuer that answers, and is not the one that was configured, will not be it in a minute.
func TestIssuerIsAnother(t *testing.T) {
	for what, tt := range map[string]struct {
		discovery map[string]any
		config    func(*jwtauth.OIDC)
		want      string
	}{
		"a slash less":     {nil, func(o *jwtauth.OIDC) { o.Issuer += "/" }, `the discovery document is of the issuer "http://127.0.0.1:`},
		"a wrong path":     {nil, func(o *jwtauth.OIDC) { o.Issuer += "/realm" }, `/realm/.well-known/openid-configuration answered 404`},
		"a place in vain":  {map[string]any{"token_endpoint": "nowhere"}, nil, "token_endpoint: "},
		"another document": {map[string]any{"issuer": 7}, nil, "the discovery document is not JSON"},
	} {
		s := newSigning(t, tt.discovery, tt.config)
		var err error
		for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
			if _, err = s.provider.AuthURL(s.attempt); err != nil && !strings.Contains(err.Error(), "has not answered yet") {
				break
			}
		}
		if !errors.Is(err, session.ErrProvider) || !strings.Contains(err.Error(), "127.0.0.1 is not the issuer that is configured: ") || !strings.Contains(err.Error(), tt.want) ||
			!strings.HasSuffix(err.Error(), ": an operator has to look at --oidc-issuer") {
			t.Errorf("%s: AuthURL = %v, want the cause with %q", what, err, tt.want)
		}
	}
}

// Keys that the issuer has rotated are read when a token needs them.
func TestSignInAfterRotation(t *testing.T) {
	s := newSigning(t, nil, nil).ready()
	next := edKey(t)
	s.idp.change(func(p *idp) { p.keys = map[string]crypto.Signer{"k2": next} })
	good := func() string {
		claims := s.idp.claims(jwt.MapClaims{"aud": "orgd-console", "nonce": s.attempt.Nonce()})
		return sign(t, jwt.SigningMethodEdDSA, next, claims, kid("k2"))
	}()
	s.idp.change(func(*idp) {
		s.answer = func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			answer(w, map[string]any{"access_token": "x", "token_type": "Bearer", "id_token": good})
		}
	})
	if _, _, err := s.redeem(nil); err != nil {
		t.Errorf("Redeem with the next key = %v", err)
	}
}

func TestNoProvider(t *testing.T) {
	auth, _ := open(t, newClock(), keyFile(t, edKey(t)))
	p := jwtauth.NewProvider(auth, "", zap.NewNop())
	_, err := p.AuthURL(session.Attempt{})
	_, _, redeem := p.Redeem(t.Context(), session.Attempt{}, ports.SignInAnswer{})
	if p.Name() != "" || !errors.Is(err, session.ErrNoProvider) || !errors.Is(redeem, session.ErrNoProvider) || p.SignOutURL(session.Session{}) != "" {
		t.Errorf("without a provider: Name %q, AuthURL %v, Redeem %v", p.Name(), err, redeem)
	}
}

func TestSignOutURL(t *testing.T) {
	s := newSigning(t, nil, nil).ready()
	ann := session.Session{Kind: session.BySignIn, Subject: session.Subject(s.idp.URL, "ann")}
	want := s.idp.URL + "/end?" + url.Values{"client_id": {"orgd-console"}, "post_logout_redirect_uri": {"https://orgd.example.com/console"}}.Encode()
	if got := s.provider.SignOutURL(ann); got != want {
		t.Errorf("SignOutURL = %q, want %q", got, want)
	}
	token := ann
	token.Kind = session.External
	for _, other := range []session.Session{token, {Kind: session.BySignIn, Subject: "ann"}} {
		if got := s.provider.SignOutURL(other); got != "" {
			t.Errorf("SignOutURL(%s %s) = %q, want none", other.Kind, other.Subject, got)
		}
	}
	if got := newSigning(t, map[string]any{"end_session_endpoint": nil}, nil).ready().provider.SignOutURL(ann); got != "" {
		t.Errorf("SignOutURL of an issuer without one = %q", got)
	}
}

// The addresses that an issuer names must be such as an operator could have configured.
func TestDiscoveredPlaces(t *testing.T) {
	for _, member := range []string{"authorization_endpoint", "token_endpoint", "end_session_endpoint"} {
		for _, place := range []string{"http://elsewhere.example/x", "javascript:alert(1)", "/relative", "https://u:p@idp.example/"} {
			p := newIDP(t, nil)
			core, logs := observer.New(zap.WarnLevel)
			p.change(func(p *idp) {
				p.handler = func(w http.ResponseWriter, _ *http.Request) {
					answer(w, changed(jwt.MapClaims{
						"issuer": p.URL, "jwks_uri": p.URL, "authorization_endpoint": p.URL, "token_endpoint": p.URL, "end_session_endpoint": p.URL,
					}, jwt.MapClaims{member: place}))
				}
			})
			provider := openProvider(t, zap.New(core), p.config(func(o *jwtauth.OIDC) { o.ClientID = "x" }))
			for end := time.Now().Add(20 * time.Second); logs.Len() == 0 && time.Now().Before(end); time.Sleep(time.Millisecond) {
			}
			if where, err := provider.AuthURL(session.Attempt{}); !errors.Is(err, session.ErrProvider) {
				t.Errorf("%s %s: AuthURL = %q, %v, want ErrProvider", member, place, where, err)
			}
			if all := logs.All(); len(all) != 1 || !strings.Contains(fmt.Sprint(all[0].ContextMap()["error"]), member) {
				t.Errorf("%s %s: the log says %v", member, place, all)
			}
		}
	}
}

// openProvider is the provider of an issuer.
func openProvider(t *testing.T, log *zap.Logger, o jwtauth.OIDC) *jwtauth.Provider {
	t.Helper()
	cfg := jwtauth.Default()
	cfg.KeyFile, cfg.OIDC = keyFile(t, edKey(t)), []jwtauth.OIDC{o}
	own, err := jwtauth.LoadIssuer(cfg)
	if err != nil {
		t.Fatal(err)
	}
	auth, stop, err := jwtauth.Open(cfg, own, newClock(), log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return jwtauth.NewProvider(auth, "https://orgd.example.com", log)
}

// An issuer without an audience signs people in, and its tokens are nothing for the API.
func TestSignInOnly(t *testing.T) {
	s := newSigning(t, nil, func(o *jwtauth.OIDC) { o.Audience = nil }).ready()
	if _, _, err := s.redeem(nil); err != nil {
		t.Errorf("Redeem = %v", err)
	}
	for _, aud := range []any{nil, "", "orgd-api", "orgd-console"} {
		token := sign(t, jwt.SigningMethodEdDSA, s.key, s.idp.claims(jwt.MapClaims{"aud": aud}), kid("k"))
		wantRefused(t, s.auth, fmt.Sprintf("a token for %q", aud), token)
	}
}
