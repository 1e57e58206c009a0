package client_test

import (
	"context"
	"net"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"

	"orgd"
	"orgd/client"
	"orgd/domain/access"
	"orgd/domain/limit"
	"orgd/domain/name"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// service is the real service with an empty organization and without limits.
type service struct {
	url string
	cfg orgd.Config
}

// serve starts a service for one test.
func serve(t *testing.T) service {
	t.Helper()
	cfg := orgd.Default()
	cfg.SQLite.Dir = filepath.Join(t.TempDir(), "data")
	cfg.Limits = limit.Off()
	cfg.HTTP.Addr = "127.0.0.1:0"
	app, closeStorage, err := orgd.Build(context.Background(), cfg, zap.NewNop())
	if err != nil {
		t.Fatalf("Build = %v", err)
	}
	t.Cleanup(closeStorage)
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
		return service{"http://" + a.String(), cfg}
	case err := <-done:
		cancel()
		t.Fatalf("Run = %v", err)
		return service{}
	}
}

// token makes a token of an hour as the command line does.
func (s service) token(subject string, role client.Role, departments ...string) (string, error) {
	in := orgd.TokenRequest{Subject: subject, Role: access.Role(role), TTL: time.Hour}
	for _, d := range departments {
		n, err := name.Parse(d)
		if err != nil {
			return "", err
		}
		in.Departments = append(in.Departments, n)
	}
	token, _, err := orgd.NewToken(s.cfg, in)
	return token, err
}

// as is a client of a role. around, if any, sees its requests.
func (s service) as(t *testing.T, role client.Role, around ...func(http.RoundTripper) http.RoundTripper) *client.Client {
	t.Helper()
	token, err := s.token(string(role), role)
	if err != nil {
		t.Fatalf("token = %v", err)
	}
	transport := &http.Transport{MaxIdleConnsPerHost: 8}
	t.Cleanup(transport.CloseIdleConnections)
	var via http.RoundTripper = transport
	for _, f := range around {
		via = f(via)
	}
	return connect(t, client.Config{
		BaseURL: s.url, Token: client.StaticToken(token), HTTPClient: &http.Client{Transport: via, Timeout: 20 * time.Second},
	})
}

func connect(t *testing.T, cfg client.Config) *client.Client {
	t.Helper()
	c, err := client.New(cfg)
	if err != nil {
		t.Fatalf("New = %v", err)
	}
	return c
}

// roundTrip is a function as a transport.
type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
