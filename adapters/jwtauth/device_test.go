package jwtauth_test

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"

	"orgd/adapters/jwtauth"
	"orgd/domain/fault"
	"orgd/domain/session"
)

// newDevices is an issuer that signs people in with another device. Its device endpoint
// answers said, and puts what it was asked into asked.
func newDevices(t *testing.T, status int, said map[string]any) (s *signing, asked *url.Values) {
	t.Helper()
	asked = new(url.Values)
	devices := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = r.ParseForm() // what is missing shows
		*asked = r.PostForm
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		answer(w, said)
	}))
	t.Cleanup(devices.Close)
	s = newSigning(t, map[string]any{"device_authorization_endpoint": devices.URL}, func(o *jwtauth.OIDC) { o.Scopes = []string{"openid", "email"} })
	return s.ready(), asked
}

func TestDevice(t *testing.T) {
	s, asked := newDevices(t, 200, map[string]any{"device_code": "d", "user_code": "u", "verification_uri": "https://go.example", "verification_uri_complete": "https://go.example?u", "interval": 7})
	got, err := s.provider.BeginDevice(t.Context())
	want := session.Device{Code: "d", UserCode: "u", Address: "https://go.example", Complete: "https://go.example?u", Interval: 7 * time.Second}
	if err != nil || got != want {
		t.Errorf("BeginDevice = %+v, %v, want %+v", got, err, want)
	}
	if asked.Get("client_id") != "orgd-console" || asked.Get("client_secret") != clientSecret || !asked.Has("scope") {
		t.Errorf("the device endpoint was asked %v", *asked)
	}
	s.idp.change(func(*idp) { s.claims = jwt.MapClaims{"nonce": nil} })
	who, called, err := s.provider.RedeemDevice(t.Context(), "d")
	if err != nil || who.Subject != session.Subject(s.idp.URL, "ann") || called != "ann@example.com" {
		t.Errorf("RedeemDevice = %+v, %q, %v, want ann", who, called, err)
	}
	if s.asked.Get("device_code") != "d" || s.asked.Get("grant_type") != "urn:ietf:params:oauth:grant-type:device_code" || s.asked.Has("code") || s.basic != url.QueryEscape(clientSecret) {
		t.Errorf("the token endpoint was asked %v, with the secret %q", s.asked, s.basic)
	}
	for name, claims := range map[string]jwt.MapClaims{
		"another client": {"nonce": nil, "aud": "other"}, "a nonce": {}, "expired": {"nonce": nil, "exp": noon.Add(-time.Hour).Unix()},
	} {
		s.idp.change(func(*idp) { s.claims = claims })
		if _, _, err := s.provider.RedeemDevice(t.Context(), "d"); fault.Of(err).Code != fault.Unauthorized {
			t.Errorf("%s: RedeemDevice = %v, want it refused", name, err)
		}
	}
}

func TestDeviceThatIsNotApproved(t *testing.T) {
	s, _ := newDevices(t, 200, nil)
	for said, want := range map[string]error{
		"authorization_pending": session.ErrPending, "slow_down": session.ErrPending,
		"access_denied": session.ErrProviderRefused, "expired_token": session.ErrProviderRefused, "invalid_grant": session.ErrProviderRefused,
		"unauthorized_client": session.ErrNoDevices, "invalid_client": session.ErrProvider, "": session.ErrProvider,
	} {
		s.idp.change(func(*idp) {
			s.answer = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(400)
				answer(w, map[string]string{"error": said})
			}
		})
		_, _, err := s.provider.RedeemDevice(t.Context(), "d")
		if !errors.Is(err, want) {
			t.Errorf("%q: RedeemDevice = %v, want %v", said, err, want)
		}
		if wait := fault.Of(err).RetryAfter; (wait > 5*time.Second) != (said == "slow_down") {
			t.Errorf("%q: RedeemDevice asks to wait %s", said, wait)
		}
	}
}

func TestDeviceThatDoesNotBegin(t *testing.T) {
	for name, tt := range map[string]struct {
		status int
		said   map[string]any
		want   error
	}{
		"refused":      {400, map[string]any{"error": "unauthorized_client"}, session.ErrNoDevices},
		"wrong secret": {401, map[string]any{"error": "invalid_client"}, session.ErrProvider},
		"no code":      {200, map[string]any{"user_code": "u", "verification_uri": "https://go.example"}, session.ErrProvider},
		"down":         {500, nil, session.ErrProvider},
	} {
		s, _ := newDevices(t, tt.status, tt.said)
		if got, err := s.provider.BeginDevice(t.Context()); !errors.Is(err, tt.want) {
			t.Errorf("%s: BeginDevice = %+v, %v, want %v", name, got, err, tt.want)
		}
	}
	for every, want := range map[int]time.Duration{0: 5 * time.Second, -1: 5 * time.Second, 1 << 40: time.Minute} {
		s, _ := newDevices(t, 200, map[string]any{"device_code": "d", "user_code": "u", "verification_uri": "https://go.example", "interval": every})
		if got, err := s.provider.BeginDevice(t.Context()); err != nil || got.Interval != want {
			t.Errorf("interval %d: BeginDevice = %+v, %v, want %s", every, got, err, want)
		}
	}
	s := newSigning(t, nil, nil).ready()
	if _, err := s.provider.BeginDevice(t.Context()); !errors.Is(err, session.ErrNoDevices) {
		t.Errorf("BeginDevice without an endpoint = %v, want ErrNoDevices", err)
	}
}
