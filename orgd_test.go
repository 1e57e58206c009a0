package orgd

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/zap"

	"orgd/adapters/sqlitestore"
	"orgd/adapters/telemetry"
	"orgd/domain/access"
	"orgd/domain/audit"
	"orgd/domain/idempotency"
	"orgd/domain/session"
	"orgd/domain/webhook"
	"orgd/ports"
)

// config is the default one on a new directory and a free port.
func config(t *testing.T) Config {
	t.Helper()
	c := Default()
	c.SQLite.Dir = filepath.Join(t.TempDir(), "data")
	c.HTTP.Addr = "127.0.0.1:0"
	return c
}

// build makes a service that is closed with the test.
func build(t *testing.T, c Config) *App {
	t.Helper()
	a, stop, err := Build(t.Context(), c, zap.NewNop())
	if err != nil {
		t.Fatalf("Build = %v", err)
	}
	t.Cleanup(stop)
	return a
}

func get(a *App, path, token string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodGet, path, nil)
	r.Header.Set("Authorization", "Bearer "+token)
	a.Handler().ServeHTTP(w, r)
	return w
}

func TestBuild(t *testing.T) {
	c := config(t)
	a := build(t, c)
	if w := get(a, "/api/v1/company", a.AdminToken()); w.Code != http.StatusOK {
		t.Errorf("GET /company with the first token = %d %s, want 200", w.Code, w.Body)
	}
	token, s, err := NewToken(c, TokenRequest{Subject: "ann", Role: access.Editor, TTL: session.DefaultTTL})
	if err != nil || s.Subject != "ann" {
		t.Fatalf("NewToken = %+v, %v, want a session of ann", s, err)
	}
	if w := get(a, "/api/v1/auth/me", token); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), s.ID) {
		t.Errorf("GET /auth/me with a new token = %d %s, want session %s", w.Code, w.Body, s.ID)
	}
}

func TestBuildRefuses(t *testing.T) {
	wrong := config(t)
	wrong.Storage = "postgres"
	if _, _, err := Build(t.Context(), wrong, zap.NewNop()); err == nil || !strings.Contains(err.Error(), "--storage") {
		t.Errorf("Build with an unknown storage = %v, want the mistake", err)
	}
	c := config(t)
	build(t, c)
	if _, _, err := Build(t.Context(), c, zap.NewNop()); !errors.Is(err, sqlitestore.ErrInUse) {
		t.Errorf("Build on a directory in use = %v, want ErrInUse", err)
	}
}

func TestAdminTokenOnlyOnce(t *testing.T) {
	c := config(t)
	for start, want := range []bool{true, false} {
		a, stop, err := Build(t.Context(), c, zap.NewNop())
		if err != nil {
			t.Fatalf("Build = %v", err)
		}
		if got := a.AdminToken() != ""; got != want {
			t.Errorf("start %d: AdminToken is there: %t, want %t", start, got, want)
		}
		stop()
	}
	// Without its key the directory accepts no token that exists.
	if err := os.Remove(filepath.Join(c.SQLite.Dir, signingKeyName)); err != nil {
		t.Fatal(err)
	}
	if build(t, c).AdminToken() == "" {
		t.Error("AdminToken after the key was lost = none, want one")
	}
}

func TestCursorKeyFile(t *testing.T) {
	for content, good := range map[string]bool{
		strings.Repeat("A", 43) + "=\n":  true,
		strings.Repeat("ab", 32):         true, // hex is also base64
		strings.Repeat("A", 42) + "==\n": false,
		"":                               false,
		"secret text":                    false,
	} {
		c := config(t)
		c.CursorKeyFile = filepath.Join(t.TempDir(), "key")
		if err := os.WriteFile(c.CursorKeyFile, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		_, stop, err := Build(t.Context(), c, zap.NewNop())
		if stop != nil {
			stop()
		}
		if (err == nil) != good || err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("Build with the cursor key %q = %v, want good: %t", content, err, good)
		}
	}
}

func TestRun(t *testing.T) {
	c := config(t)
	c.MetricsAddr = "127.0.0.1:0"
	a := build(t, c)
	ctx, stop := context.WithCancel(t.Context())
	var seen net.Addr
	ready := func(addr net.Addr) {
		seen = addr
		if got := shown(a.metrics); !strings.Contains(got, "\norgd_ready 1\n") {
			t.Errorf("the metrics do not show that the service is ready:\n%s", got)
		}
		stop()
	}
	if err := a.Run(ctx, ready); err != nil || seen == nil {
		t.Errorf("Run = %v with address %v, want nil and the address", err, seen)
	}
	if got := shown(a.metrics); !strings.Contains(got, "\norgd_ready 0\n") {
		t.Errorf("the metrics do not show that the service has stopped:\n%s", got)
	}
}

// A service that stops stores when sessions were used, which it does every five minutes
// otherwise.
func TestStopStoresUses(t *testing.T) {
	c := config(t)
	a := build(t, c)
	token, _, err := NewToken(c, TokenRequest{Subject: "ann", Role: access.Editor, Label: "nightly reports", TTL: session.DefaultTTL})
	if err != nil {
		t.Fatal(err)
	}
	want := func(when, last string) {
		t.Helper()
		if w := get(a, "/api/v1/auth/sessions", token); !strings.Contains(w.Body.String(), `"label":"nightly reports","kind":"token","last_used_at":`+last) {
			t.Errorf("sessions %s = %s, want the label, and last_used_at: %s", when, w.Body, last)
		}
	}
	ctx, stop := context.WithCancel(t.Context())
	if err := a.Run(ctx, func(net.Addr) { want("while it runs", "null"); stop() }); err != nil {
		t.Fatalf("Run = %v", err)
	}
	want("after it has stopped", `"20`)
}

func TestRunCannotListen(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	for name, change := range map[string]func(*Config){
		"--addr":         func(c *Config) { c.HTTP.Addr = taken.Addr().String() },
		"--metrics-addr": func(c *Config) { c.MetricsAddr = taken.Addr().String() },
	} {
		c := config(t)
		change(&c)
		ready := func(net.Addr) { t.Errorf("Run with a taken %s says that it is ready", name) }
		if err := build(t, c).Run(t.Context(), ready); err == nil || !strings.Contains(err.Error(), "address already in use") {
			t.Errorf("Run with a taken %s = %v, want the reason", name, err)
		}
	}
}

func TestVersion(t *testing.T) {
	if b := Version(); b.Version == "" || b.Commit == "" {
		t.Errorf("Version = %+v, want words for both", b)
	}
}

// shown is what the metrics show.
func shown(m *telemetry.Metrics) string {
	w := httptest.NewRecorder()
	m.Handler().ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/metrics", nil))
	return w.Body.String()
}

// upkeep is a storage with a number of steps to forget.
type upkeep struct {
	ports.Storage
	left  int
	asked []ports.Expiry
	err   error
}

func (u *upkeep) DeleteExpired(_ context.Context, e ports.Expiry) (bool, error) {
	u.asked = append(u.asked, e)
	u.left--
	return u.left > 0, u.err
}

// clock always tells the same time.
type clock time.Time

func (c clock) Now() time.Time { return time.Time(c) }

func TestExpire(t *testing.T) {
	noon := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		storage *upkeep
		steps   int
	}{
		"nothing to do": {&upkeep{left: 1}, 1},
		"some steps":    {&upkeep{left: 3}, 3},
		"too many":      {&upkeep{left: 10_000}, expireSteps},
		"failure":       {&upkeep{left: 3, err: broken}, 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			a := &App{storage: tc.storage, clock: clock(noon), cfg: Config{Retention: 24 * time.Hour}}
			if err := a.expire(t.Context()); !errors.Is(err, tc.storage.err) {
				t.Errorf("%s: expire = %v, want %v", name, err, tc.storage.err)
			}
			if len(tc.storage.asked) != tc.steps {
				t.Errorf("%s: expire makes %d steps, want %d", name, len(tc.storage.asked), tc.steps)
			}
			want := ports.Expiry{
				Events: noon.Add(-24 * time.Hour), Audit: noon.Add(-audit.Kept), Idempotency: noon.Add(-idempotency.Kept),
				Deliveries: noon.Add(-webhook.Kept), Now: noon,
			}
			if diff := cmp.Diff(want, tc.storage.asked[0]); diff != "" {
				t.Errorf("%s: Forget (-want +got):\n%s", name, diff)
			}
		})
	}
}

func TestEventsAreKeptForEver(t *testing.T) {
	a := &App{clock: clock(time.Now())}
	if e := a.expiry(); !e.Events.IsZero() {
		t.Errorf("expiry without retention = %+v, want no time for events", e)
	}
}
