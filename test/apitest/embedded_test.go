package apitest_test

import (
	"net/http/httptest"
	"path/filepath"
	"testing"

	"go.uber.org/zap"
	"orgd"
	"orgd/domain/access"
	"orgd/domain/limit"
	"orgd/domain/name"
	"orgd/test/apitest"
)

// TestEmbedded runs the suite on one process with its own storage.
func TestEmbedded(t *testing.T) {
	apitest.Run(t, func(t *testing.T) *apitest.Service { return embedded(t, limit.Off()) })
}

func embedded(t *testing.T, caps limit.Caps) *apitest.Service {
	t.Helper()
	cfg := orgd.Default()
	cfg.SQLite.Dir = filepath.Join(t.TempDir(), "data")
	cfg.Limits = caps
	app, stop, err := orgd.Build(t.Context(), cfg, zap.NewNop())
	if err != nil {
		t.Fatalf("Build = %v", err)
	}
	t.Cleanup(stop)
	srv := httptest.NewServer(app.Handler())
	t.Cleanup(srv.Close)
	return &apitest.Service{
		URLs: []string{srv.URL},
		Mint: func(g apitest.Grant) (string, error) {
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
		},
	}
}
