package jwtauth

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/zap"
)

// script answers fetches and notes when they happened.
type script struct {
	mu    sync.Mutex
	began time.Time
	at    []time.Duration
	keys  []string // kids to publish; nil fails
}

func (s *script) get(context.Context, string) ([]byte, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = append(s.at, time.Since(s.began))
	if s.keys == nil {
		return nil, errors.New("down")
	}
	text := `{"keys":[`
	for i, kid := range s.keys {
		if i > 0 {
			text += ","
		}
		x := base64.RawURLEncoding.EncodeToString(make([]byte, ed25519.PublicKeySize))
		text += `{"kty":"OKP","crv":"Ed25519","kid":"` + kid + `","x":"` + x + `"}`
	}
	return []byte(text + "]}"), nil
}

func (s *script) set(keys ...string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.keys = keys
}

func (s *script) fetches() []time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.at)
}

// running starts a remote inside a synctest bubble.
func running(t *testing.T, s *script) *remote {
	s.began = time.Now()
	r := newRemote(OIDC{Issuer: "https://idp", JWKSURI: "https://idp/keys"}, s.get, time.Now, zap.NewNop())
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(func() { cancel(); synctest.Wait() })
	go r.run(ctx)
	synctest.Wait()
	return r
}

func TestRemoteRefreshes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{keys: []string{"a", "b"}}
		r := running(t, s)
		if _, ok := r.find("a", "EdDSA"); !ok || !r.loaded() || r.epoch() != 0 {
			t.Fatalf("after the start: key found %t, epoch %d, want true, 0", ok, r.epoch())
		}
		s.set("b", "c", "a")
		time.Sleep(refreshEvery)
		synctest.Wait()
		if _, ok := r.find("c", "EdDSA"); !ok || r.epoch() != 0 {
			t.Errorf("after an addition: key found %t, epoch %d, want true, 0", ok, r.epoch())
		}
		s.set("c")
		time.Sleep(refreshEvery)
		synctest.Wait()
		if _, ok := r.find("a", "EdDSA"); ok || r.epoch() != 1 {
			t.Errorf("after a withdrawal: key found %t, epoch %d, want false, 1", ok, r.epoch())
		}
		if want := []time.Duration{0, refreshEvery, 2 * refreshEvery}; !slices.Equal(s.fetches(), want) {
			t.Errorf("fetches at %v, want %v", s.fetches(), want)
		}
	})
}

func TestRemoteBacksOff(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{}
		r := running(t, s)
		time.Sleep(4 * time.Minute)
		seconds := func(n ...int) (at []time.Duration) {
			for _, n := range n {
				at = append(at, time.Duration(n)*time.Second)
			}
			return at
		}
		if want := seconds(0, 5, 15, 35, 75, 135, 195); !slices.Equal(s.fetches(), want) {
			t.Errorf("fetches at %v, want %v", s.fetches(), want)
		}
		if r.loaded() || !r.failing.Load() {
			t.Errorf("loaded %t, failing %t, want false, true", r.loaded(), r.failing.Load())
		}
		a := &Auth{remotes: []*remote{r}}
		if external, answer := a.Issuers(); !external || answer {
			t.Errorf("Issuers = %t, %t, want one that does not answer", external, answer)
		}
		s.set("a")
		time.Sleep(time.Minute)
		synctest.Wait()
		if !r.loaded() || r.failing.Load() {
			t.Errorf("loaded %t, failing %t, want true, false", r.loaded(), r.failing.Load())
		}
		if external, answer := a.Issuers(); !external || !answer {
			t.Errorf("Issuers = %t, %t, want one that answers", external, answer)
		}
	})
}

func TestRemoteKeepsKeysThroughAnOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{keys: []string{"a"}}
		r := running(t, s)
		s.set()
		time.Sleep(time.Hour)
		synctest.Wait()
		if _, ok := r.find("a", "EdDSA"); !ok || r.epoch() != 0 {
			t.Errorf("key found %t, epoch %d, want true, 0", ok, r.epoch())
		}
	})
}

func TestRemoteStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := &script{keys: []string{"a"}}
		r := newRemote(OIDC{JWKSURI: "https://idp/keys"}, s.get, time.Now, zap.NewNop())
		ctx, cancel := context.WithCancel(t.Context())
		go r.run(ctx)
		synctest.Wait()
		cancel()
		synctest.Wait()
		if _, err := r.key(t.Context(), "b", "EdDSA"); !errors.Is(err, errUnavailable) {
			t.Errorf("key after the stop = %v, want unavailable", err)
		}
		if _, err := r.key(t.Context(), "a", "EdDSA"); err != nil {
			t.Errorf("known key after the stop = %v, want it", err)
		}
	})
}
