package main

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"
)

// secrets that must never be in a log.
var jwtForm = regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.[\w-]+`)

// The first start without a terminal leaves a token in a file of its owner.
func TestFirstStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	s := serve(t, false, "--data-dir", dir)
	token := readSecret(t, filepath.Join(dir, "admin.token"))
	if status, body := call(t, "GET", s.url+"/api/v1/auth/me", token, ""); status != 200 || !strings.Contains(body, `"role":"admin"`) {
		t.Errorf("GET /auth/me = %d %s, want role admin", status, body)
	}
	readSecret(t, filepath.Join(dir, "signing.key"))
	readSecret(t, filepath.Join(dir, "cursor.key"))
	if jwtForm.MatchString(s.stderr.String()) {
		t.Errorf("the log holds the token:\n%s", s.stderr)
	}
	if code := s.stop(); code != exitOK {
		t.Errorf("orgd serve = %d, want 0", code)
	}
	if err := os.Remove(filepath.Join(dir, "admin.token")); err != nil {
		t.Fatal(err)
	}
	again := serve(t, false, "--data-dir", dir)
	if _, err := os.Stat(filepath.Join(dir, "admin.token")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the second start writes a token: %v", err)
	}
	if status, body := call(t, "GET", again.url+"/api/v1/auth/me", token, ""); status != 200 {
		t.Errorf("GET /auth/me after a restart = %d %s, want the token to work", status, body)
	}
}

// On a terminal the token is shown once, ready to paste, and kept nowhere.
func TestFirstStartOnTerminal(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, true, "--data-dir", dir)
	s.stop()
	shown := s.stderr.String()
	for _, want := range []string{s.url, s.url + "/console", dir, "First start", `curl -H "Authorization: Bearer eyJ`, "/api/v1/company"} {
		if !strings.Contains(shown, want) {
			t.Errorf("orgd serve does not show %q:\n%s", want, shown)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "admin.token")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a token that was shown is also in a file: %v", err)
	}
	again := serve(t, true, "--data-dir", dir, "--no-console")
	again.stop()
	if shown := again.stderr.String(); strings.Contains(shown, "/console") || !strings.Contains(shown, again.url+"/docs") {
		t.Errorf("without the console, orgd serve does not lead to /docs:\n%s", shown)
	}
	if jwtForm.MatchString(again.stderr.String()) {
		t.Errorf("the second start shows a token:\n%s", again.stderr)
	}
	if status, body := call(t, "GET", serve(t, true, "--data-dir", dir).url+"/api/v1/auth/me", jwtForm.FindString(shown), ""); status != 200 {
		t.Errorf("GET /auth/me = %d %s, want the shown token to work", status, body)
	}
}

// A first start that fails late still shows the token: there is only one.
func TestFirstStartOnTakenAddress(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	var stderr output
	code := run(t.Context(), []string{"serve", "--addr", taken.Addr().String(), "--data-dir", t.TempDir()},
		process{getenv: env(), stdout: &output{}, stderr: &stderr, terminal: true})
	if code != exitFailure || !jwtForm.MatchString(stderr.String()) || !strings.Contains(stderr.String(), "address already in use") {
		t.Errorf("orgd serve on a taken address = %d, want 1, the reason and the token:\n%s", code, &stderr)
	}
}

func TestTwoServicesOnOneDirectory(t *testing.T) {
	dir := t.TempDir()
	serve(t, false, "--data-dir", dir)
	for _, args := range [][]string{
		{"serve", "--addr", "127.0.0.1:0", "--data-dir", dir},
		{"migrate", "--data-dir", dir},
	} {
		r := command(t, nil, args...)
		if r.code != exitFailure || !strings.Contains(r.stderr, "the data directory is in use") {
			t.Errorf("orgd %s beside a service = %+v, want 1 and the reason", args, r)
		}
	}
}

func TestMetricsListener(t *testing.T) {
	addr := freeAddr(t)
	s := serve(t, false, "--data-dir", t.TempDir(), "--metrics-addr", addr)
	status, body := call(t, "GET", "http://"+addr+"/metrics", "", "")
	if status != 200 || !strings.Contains(body, "orgd_build_info{") {
		t.Errorf("GET /metrics = %d %s, want the metrics without a token", status, body)
	}
	if status, _ := call(t, "GET", "http://"+addr+"/api/v1/company", "", ""); status != 404 {
		t.Errorf("GET /api/v1/company at the metrics address = %d, want 404", status)
	}
	http.DefaultClient.CloseIdleConnections()
	s.stop()
	r := command(t, nil, "serve", "--addr", "127.0.0.1:0", "--data-dir", t.TempDir(), "--metrics-addr", "256.0.0.1:1")
	if r.code != exitFailure || !strings.Contains(r.stderr, "listen for metrics") {
		t.Errorf("orgd serve with an impossible metrics address = %+v, want 1", r)
	}
}

// freeAddr is an address that nobody listens on now.
func freeAddr(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// After SIGTERM readiness answers 503 while requests are still served, and the
// process exits with 0.
func TestSIGTERM(t *testing.T) {
	dir := t.TempDir()
	s, cmd := serveProgram(t, "--data-dir", dir, "--drain-delay", "4s")
	if status, body := call(t, "GET", s.url+"/api/v1/readyz", "", ""); status != 200 {
		t.Fatalf("GET /readyz = %d %s, want 200", status, body)
	}
	token := readSecret(t, filepath.Join(dir, "admin.token"))
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	draining := func() bool {
		status, _ := call(t, "GET", s.url+"/api/v1/readyz", "", "")
		return status == 503
	}
	for end := time.Now().Add(deadline); !draining(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("readiness never answers 503")
		}
	}
	if status, body := call(t, "GET", s.url+"/api/v1/company", token, ""); status != 200 {
		t.Errorf("GET /company while draining = %d %s, want 200", status, body)
	}
	http.DefaultClient.CloseIdleConnections()
	if code := exitCode(t, cmd.Wait()); code != exitOK {
		t.Errorf("orgd serve after SIGTERM = %d, want 0:\n%s", code, s.stderr)
	}
	s.stop = func() int { return exitOK } // it has ended
	if !strings.Contains(s.stderr.String(), `"message":"stopped"`) {
		t.Errorf("the log does not say that the service stopped:\n%s", s.stderr)
	}
}

// A start that is called off before it serves is no failure.
func TestStopBeforeStart(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stderr output
	if code := run(ctx, []string{"serve", "--addr", "127.0.0.1:0", "--data-dir", t.TempDir()},
		process{getenv: env(), stdout: &output{}, stderr: &stderr}); code != exitOK {
		t.Errorf("orgd serve that is called off = %d, want 0:\n%s", code, &stderr)
	}
}
