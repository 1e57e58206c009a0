package client_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
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

// exampleAddr is where the service of the examples seems to be.
const exampleAddr = "127.0.0.1:8080"

func TestMain(m *testing.M) {
	code := m.Run()
	stopExamples()
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = max(code, 1)
	}
	os.Exit(code)
}

// service is the real service with an empty organization and without limits.
type service struct {
	url string
	cfg orgd.Config
}

// start serves a directory until stop is called.
func start(dir string) (s service, stop func() error, err error) {
	cfg := orgd.Default()
	cfg.SQLite.Dir = filepath.Join(dir, "data")
	cfg.Limits = limit.Off()
	cfg.HTTP.Addr = "127.0.0.1:0"
	app, closeStorage, err := orgd.Build(context.Background(), cfg, zap.NewNop())
	if err != nil {
		return s, nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	at, done := make(chan net.Addr, 1), make(chan error, 1)
	go func() { done <- app.Run(ctx, func(a net.Addr) { at <- a }) }()
	stop = sync.OnceValue(func() error {
		cancel()
		err := <-done
		closeStorage()
		return err
	})
	select {
	case a := <-at:
		return service{"http://" + a.String(), cfg}, stop, nil
	case err = <-done:
		done <- err
		return s, nil, errors.Join(err, stop())
	}
}

// serve starts a service for one test.
func serve(t *testing.T) service {
	t.Helper()
	s, stop, err := start(t.TempDir())
	if err != nil {
		t.Fatalf("start = %v", err)
	}
	t.Cleanup(func() {
		if err := stop(); err != nil {
			t.Errorf("Run = %v", err)
		}
	})
	return s
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

// stopExamples ends the service of the examples, if there is one.
var stopExamples = func() {}

// startExamples starts a service for the examples, which seems to be at
// exampleAddr for every client with the default transport. It is ready for a
// token in ORGD_TOKEN.
var startExamples = sync.OnceFunc(func() {
	dir, err := os.MkdirTemp("", "orgd-client-")
	if err != nil {
		panic(err)
	}
	s, stop, err := start(dir)
	if err != nil {
		panic(err)
	}
	token, err := s.token("ada@example.com", client.RoleAdmin)
	if err != nil {
		panic(err)
	}
	if err := os.Setenv("ORGD_TOKEN", token); err != nil {
		panic(err)
	}
	transport := http.DefaultTransport.(*http.Transport)
	dial := transport.DialContext
	transport.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
		if addr == exampleAddr {
			addr = s.url[len("http://"):]
		}
		return dial(ctx, network, addr)
	}
	stopExamples = func() {
		transport.CloseIdleConnections()
		if err := errors.Join(stop(), os.RemoveAll(dir)); err != nil {
			panic(err)
		}
	}
})
