// Package load measures the service as its clients meet it: whole requests
// through its handler, the embedded store below, limits on. What is measured
// and what it has to reach stands in docs/performance.md.
package load

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
	"go.uber.org/zap"
	"golang.org/x/sys/unix"

	"orgd"
	"orgd/domain/limit"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(thinRole); dir != "" {
		fmt.Fprintln(os.Stderr, serveThin(dir))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}

// service is the whole service without a listener.
type service struct {
	testing.TB
	handler http.Handler
	token   string
}

// open starts a service on an empty directory, with limits that are on and never
// reached.
func open(tb testing.TB) *service {
	tb.Helper()
	s, stop := openIn(tb, filepath.Join(tb.TempDir(), "data"))
	tb.Cleanup(stop)
	return s
}

// openIn does the same in a directory, until stop is called.
func openIn(tb testing.TB, dir string) (s *service, stop func()) {
	tb.Helper()
	cfg := orgd.Default()
	cfg.SQLite.Dir = dir
	cfg.Limits = wide()
	app, stop, err := orgd.Build(context.Background(), cfg, zap.NewNop())
	if err != nil {
		tb.Fatal(err)
	}
	return &service{TB: tb, handler: app.Handler(), token: app.AdminToken()}, stop
}

func wide() limit.Caps {
	const much = 1_000_000_000
	caps := limit.Defaults()
	caps.Address.Cap, caps.Subject.Cap = much, much
	for op, r := range caps.Operations {
		r.Cap = much
		caps.Operations[op] = r
	}
	for op := range caps.Slots {
		caps.Slots[op] = 64
	}
	return caps
}

// do sends one request and returns what was answered.
func (s *service) do(method, path string, body []byte) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	s.handler.ServeHTTP(w, s.request(method, path, body))
	return w
}

func (s *service) request(method, path string, body []byte) *http.Request {
	r := httptest.NewRequest(method, "/api/v1"+path, bytes.NewReader(body))
	r.Header.Set("Authorization", "Bearer "+s.token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// must sends a request that has to succeed.
func (s *service) must(method, path string, body []byte) []byte {
	s.Helper()
	w := s.do(method, path, body)
	if w.Code/100 != 2 {
		s.Fatalf("%s %s = %d %s", method, path, w.Code, w.Body)
	}
	return w.Body.Bytes()
}

// staff makes a department with n agents and returns their ids.
func (s *service) staff(n int) []string {
	s.Helper()
	ids := make([]string, n)
	for i, a := range s.hire(n, func(i int) []byte {
		return fmt.Appendf(nil, `{"name":"agent-%05d","role":"Researcher","department":"Research","instructions":"Look closely."}`, i)
	}) {
		ids[i] = a.id
	}
	return ids
}

// hired is an agent as it was created.
type hired struct{ id, etag string }

// hire makes the department Research and n agents, each from a body.
func (s *service) hire(n int, body func(i int) []byte) []hired {
	s.Helper()
	s.must(http.MethodPost, "/departments", []byte(`{"name":"Research"}`))
	all := make([]hired, n)
	s.parallel(16, n, func(i int) error {
		w := s.do(http.MethodPost, "/agents", body(i))
		var a struct{ Data struct{ ID string } }
		if err := json.Unmarshal(w.Body.Bytes(), &a); err != nil || w.Code != http.StatusCreated {
			return fmt.Errorf("POST /agents = %d %s, %w", w.Code, w.Body, err)
		}
		all[i] = hired{a.Data.ID, w.Header().Get("ETag")}
		return nil
	})
	return all
}

// parallel calls do for 0 to n-1 from a number of goroutines.
func (s *service) parallel(goroutines, n int, do func(i int) error) {
	s.Helper()
	var next atomic.Int64
	var wg sync.WaitGroup
	for range goroutines {
		wg.Go(func() {
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				if err := do(int(i)); err != nil {
					s.Error(err)
					return
				}
			}
		})
	}
	wg.Wait()
	if s.Failed() {
		s.FailNow()
	}
}

// cpu returns the processor time that this process has used.
func cpu(tb testing.TB) time.Duration {
	tb.Helper()
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
