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
	"sync"
	"syscall"
	"testing"
	"time"

	"orgd/cmd/orgd/internal/terminal"
	"orgd/test/process"
)

// secrets that must never be in a log.
var jwtForm = regexp.MustCompile(`eyJ[\w-]+\.[\w-]+\.[\w-]+`)

// The first start leaves a token in a file of its owner.
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

// codeForm is a link that signs a browser in.
var codeForm = regexp.MustCompile(`http\S+/console#code=[\w-]{43}\n`)

// redeem trades the code of a link.
func redeem(t *testing.T, link string) (int, string) {
	t.Helper()
	server, code, _ := strings.Cut(strings.TrimSpace(link), "/console#code=")
	return call(t, "POST", server+"/api/v1/auth/links/redeem", "", `{"code":"`+code+`"}`)
}

// On a terminal the first start prints one link, which works once; the token is in
// its file and is never shown.
func TestFirstStartOnTerminal(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, true, "--data-dir", dir)
	s.saw(t, "orgd login --link")
	shown := s.stderr.String()
	link := codeForm.FindString(shown)
	for _, want := range []string{s.url + "/console#code=", dir, "admin.token", "works once, for five minutes, on this machine only"} {
		if !strings.Contains(shown, want) {
			t.Errorf("orgd serve does not show %q:\n%s", want, shown)
		}
	}
	if n := len(codeForm.FindAllString(shown, -1)); n != 1 || jwtForm.MatchString(shown) {
		t.Errorf("orgd serve shows %d links, want one, and no token:\n%s", n, shown)
	}
	if status, body := redeem(t, link); status != 201 || !jwtForm.MatchString(body) {
		t.Errorf("the link = %d %s, want a token", status, body)
	} else if status, body := call(t, "GET", s.url+"/api/v1/auth/me", jwtForm.FindString(body), ""); !strings.Contains(body, `"subject":"admin","role":"admin"`) {
		t.Errorf("GET /auth/me = %d %s, want the admin", status, body)
	}
	if status, body := redeem(t, link); status != 401 {
		t.Errorf("the link again = %d %s, want 401", status, body)
	}
	s.stop()
	if token := readSecret(t, filepath.Join(dir, "admin.token")); !jwtForm.MatchString(token) {
		t.Errorf("admin.token holds %q", token)
	}
	again := serve(t, true, "--data-dir", dir)
	again.saw(t, "orgd login --link signs a browser in")
	if shown := again.stderr.String(); codeForm.MatchString(shown) || jwtForm.MatchString(shown) {
		t.Errorf("the second start shows a link or a token:\n%s", shown)
	}
}

// saw waits until the service has said something.
func (s *service) saw(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(deadline); !strings.Contains(s.stderr.String(), text); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("orgd serve never says %q:\n%s", text, s.stderr)
		}
	}
}

// There is no link where nobody is to see it, or where it would not work.
func TestFirstStartWithoutLink(t *testing.T) {
	for name, tt := range map[string]struct {
		terminal bool
		args     []string
	}{
		"no terminal": {false, nil},
		"no console":  {true, []string{"--no-console"}},
		"everywhere":  {true, []string{"--console", "--addr", "0.0.0.0:0"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := serve(t, tt.terminal, append([]string{"--data-dir", dir}, tt.args...)...)
			s.saw(t, "admin.token")
			s.stop()
			if shown := s.stderr.String(); strings.Contains(shown, "code=") || jwtForm.MatchString(shown) {
				t.Errorf("orgd serve shows a link or a token:\n%s", shown)
			}
			readSecret(t, filepath.Join(dir, "admin.token"))
		})
	}
}

// A first start that fails late has written the token: there is only one.
func TestFirstStartOnTakenAddress(t *testing.T) {
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	var stderr output
	dir := t.TempDir()
	code := run(t.Context(), []string{"serve", "--addr", taken.Addr().String(), "--data-dir", dir},
		terminal.Terminal{Getenv: env(), Stdout: &output{}, Stderr: &stderr, StderrIsTerminal: true})
	if code != exitFailure || !strings.Contains(stderr.String(), "address already in use") || strings.Contains(stderr.String(), "code=") {
		t.Errorf("orgd serve on a taken address = %d, want 1 and the reason:\n%s", code, &stderr)
	}
	readSecret(t, filepath.Join(dir, "admin.token"))
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
	addr := process.FreeAddr(t)
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
		terminal.Terminal{Getenv: env(), Stdout: &output{}, Stderr: &stderr}); code != exitOK {
		t.Errorf("orgd serve that is called off = %d, want 0:\n%s", code, &stderr)
	}
}

// With --audit-log - standard output has the audit entries and nothing else, all of them when
// the service has stopped.
func TestAuditLogOnStandardOutput(t *testing.T) {
	dir := t.TempDir()
	var stdout, stderr output
	s := &service{stderr: &stderr}
	ctx, cancel := context.WithCancel(t.Context())
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, serveArgs([]string{"--data-dir", dir, "--audit-log", "-"}), terminal.Terminal{Getenv: env(), Stdout: &stdout, Stderr: &stderr})
	}()
	s.stop = sync.OnceValue(func() int { cancel(); return <-code })
	s.await(t)
	token := readSecret(t, filepath.Join(dir, "admin.token"))
	if status, body := call(t, "POST", s.url+"/api/v1/departments", token, `{"name":"Sales"}`); status != 201 {
		t.Fatalf("POST /departments = %d %s", status, body)
	}
	if got := s.stop(); got != exitOK {
		t.Errorf("orgd serve = %d, want 0", got)
	}
	line := regexp.MustCompile(`^\{"id":"[^"]+",[^\n]*"action":"department.created","route":"POST /api/v1/departments"[^\n]*\}\n$`)
	if !line.MatchString(stdout.String()) {
		t.Errorf("standard output is %q, want one entry", &stdout)
	}
}

// An audit log is standard output and no file.
func TestAuditLogIsNoFile(t *testing.T) {
	var stderr output
	code := run(t.Context(), []string{"serve", "--addr", "127.0.0.1:0", "--data-dir", t.TempDir(), "--audit-log", "audit.log"},
		terminal.Terminal{Getenv: env(), Stdout: &output{}, Stderr: &stderr})
	if code != exitUsage || !strings.Contains(stderr.String(), "--audit-log: must be -, which is standard output") {
		t.Errorf("orgd serve with a file as audit log = %d, want 2 and the reason:\n%s", code, &stderr)
	}
}
