package apitest_test

import (
	"context"
	"net"
	"path/filepath"
	"sync"
	"testing"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"orgd"
	"orgd/domain/limit"
	"orgd/domain/webhook"
	"orgd/test/apitest"
	"orgd/test/tokens"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestEmbedded runs the suite on one process with its own storage.
func TestEmbedded(t *testing.T) {
	apitest.Run(t, func(t *testing.T) *apitest.Service { return embedded(t, limit.Off()) })
}

func TestEmbeddedLimits(t *testing.T) {
	apitest.RunLimits(t, func(t *testing.T, caps *apitest.Caps) *apitest.Service {
		if caps == nil {
			return embedded(t, limit.Defaults())
		}
		return embedded(t, limitsOf(*caps))
	})
}

func limitsOf(c apitest.Caps) limit.Caps {
	operations := map[string]limit.Rate{}
	for op, r := range c.Operations {
		operations[op] = limit.Rate(r)
	}
	return limit.Caps{
		Address: limit.Rate(c.Address), AuthFailures: limit.Rate(c.AuthFailures), Subject: limit.Rate(c.Subject),
		Operations: operations, Slots: c.Slots,
	}
}

func TestEmbeddedOutage(t *testing.T) {
	s, cut := start(t, limit.Defaults())
	apitest.RunOutage(t, s, cut)
}

func TestEmbeddedPublicWebhooks(t *testing.T) {
	s, _ := start(t, limit.Off(), func(c *orgd.Config) { c.Webhooks = orgd.Default().Webhooks })
	apitest.RunPublicWebhooks(t, s)
}

func embedded(t *testing.T, caps limit.Caps) *apitest.Service {
	t.Helper()
	s, _ := start(t, caps)
	return s
}

// start starts a service with these limits, which serves until the test ends.
// The returned function closes its storage early.
func start(t *testing.T, caps limit.Caps, change ...func(*orgd.Config)) (s *apitest.Service, cut func()) {
	t.Helper()
	cfg := orgd.Default()
	cfg.SQLite.Dir = filepath.Join(t.TempDir(), "data")
	cfg.Limits = caps
	cfg.HTTP.Addr = "127.0.0.1:0"
	cfg.Webhooks = webhook.Policy{AllowHTTP: true, AllowPrivate: true}
	for _, c := range change {
		c(&cfg)
	}
	app, stop, err := orgd.Build(context.Background(), cfg, zap.NewNop())
	if err != nil {
		t.Fatalf("Build = %v", err)
	}
	cut = sync.OnceFunc(stop)
	t.Cleanup(cut)
	return &apitest.Service{URLs: []string{"http://" + serve(t, app)}, Mint: tokens.Minter(cfg)}, cut
}

// serve runs app until the test ends and returns its address.
func serve(t *testing.T, app *orgd.App) string {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	at, done := make(chan net.Addr, 1), make(chan error, 1)
	go func() { done <- app.Run(ctx, func(a net.Addr) { at <- a }) }()
	select {
	case a := <-at:
		t.Cleanup(func() {
			cancel()
			if err := <-done; err != nil {
				t.Errorf("Run = %v", err)
			}
		})
		return a.String()
	case err := <-done:
		cancel()
		t.Fatalf("Run = %v", err)
		return ""
	}
}
