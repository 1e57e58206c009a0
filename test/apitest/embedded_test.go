package apitest_test

import (
	"context"
	"net/http/httptest"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"orgd"
	"orgd/domain/access"
	"orgd/domain/limit"
	"orgd/domain/name"
	"orgd/test/apitest"
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
	s, stop := start(t, limit.Defaults())
	apitest.RunOutage(t, s, stop)
}

// embedded starts a service with these limits and stops it with the test.
func embedded(t *testing.T, caps limit.Caps) *apitest.Service {
	t.Helper()
	s, stop := start(t, caps)
	t.Cleanup(stop)
	return s
}

// start starts a service with these limits. The returned function closes its
// storage.
func start(t *testing.T, caps limit.Caps) (s *apitest.Service, stop func()) {
	t.Helper()
	cfg := orgd.Default()
	cfg.SQLite.Dir = filepath.Join(t.TempDir(), "data")
	cfg.Limits = caps
	app, stop, err := orgd.Build(context.Background(), cfg, zap.NewNop())
	if err != nil {
		t.Fatalf("Build = %v", err)
	}
	srv := httptest.NewServer(app.Handler())
	t.Cleanup(srv.Close)
	return &apitest.Service{URLs: []string{srv.URL}, Mint: minter(cfg)}, stop
}

// minter makes tokens as the command line does.
func minter(cfg orgd.Config) func(apitest.Grant) (string, error) {
	return func(g apitest.Grant) (string, error) {
		in := orgd.TokenRequest{Subject: g.Subject, Role: access.Role(g.Role), TTL: g.TTL}
		for _, d := range g.Departments {
			n, err := name.Parse(d)
			if err != nil {
				return "", err
			}
			in.Departments = append(in.Departments, n)
		}
		token, _, err := orgd.NewToken(cfg, in)
		return token, err
	}
}
