package main

import (
	"bytes"
	"context"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"orgd/cmd/orgd/internal/terminal"
)

// asProgram makes the test binary behave as the program.
const asProgram = "ORGD_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	switch os.Getenv(asProgram) {
	case "":
	case "asked": // as on a terminal
		os.Exit(run(context.Background(), os.Args[1:], terminal.Terminal{Getenv: os.Getenv, Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Interactive: true, UserDir: os.Getenv("HOME")}))
	default:
		main()
	}
	goleak.VerifyTestMain(m)
}

// output collects what a command writes while others read it.
type output struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.String()
}

// result is what a command left behind.
type result struct {
	code           int
	stdout, stderr string
}

// env makes a getenv of NAME=VALUE texts.
func env(vars ...string) func(string) string {
	return func(name string) string {
		for _, v := range vars {
			if n, value, _ := strings.Cut(v, "="); n == name {
				return value
			}
		}
		return ""
	}
}

// command runs a command line to its end.
func command(t *testing.T, vars []string, args ...string) result {
	t.Helper()
	var stdout, stderr output
	code := run(t.Context(), args, terminal.Terminal{Getenv: env(vars...), Stdout: &stdout, Stderr: &stderr})
	return result{code, stdout.String(), stderr.String()}
}

// must runs a command that has to succeed and returns its standard output.
func must(t *testing.T, vars []string, args ...string) string {
	t.Helper()
	r := command(t, vars, args...)
	if r.code != exitOK {
		t.Fatalf("orgd %s = %d:\n%s", strings.Join(args, " "), r.code, r.stderr)
	}
	return r.stdout
}

// service is a running orgd serve.
type service struct {
	url    string
	stderr *output
	// stop asks it to end and returns its exit code.
	stop func() int
}

// deadline bounds what a test waits for.
const deadline = 20 * time.Second

// listens is how the log says that the service can be reached.
var listens = regexp.MustCompile(`"url": ?"(http[^"]+)"`)

// serve runs the service inside the test, on a terminal if asked.
func serve(t *testing.T, onTerminal bool, args ...string) *service {
	t.Helper()
	s := &service{stderr: &output{}}
	ctx, cancel := context.WithCancel(t.Context())
	code := make(chan int, 1)
	go func() {
		code <- run(ctx, serveArgs(args), terminal.Terminal{Getenv: env(), Stdout: io.Discard, Stderr: s.stderr, StderrIsTerminal: onTerminal})
	}()
	s.stop = sync.OnceValue(func() int { cancel(); return <-code })
	s.await(t)
	return s
}

// serveProgram runs the service as a process of its own.
func serveProgram(t *testing.T, args ...string) (*service, *exec.Cmd) {
	t.Helper()
	s := &service{stderr: &output{}}
	cmd := program(t, serveArgs(args)...)
	cmd.Stderr = s.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s.stop = sync.OnceValue(func() int {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Errorf("Signal = %v", err)
		}
		return exitCode(t, cmd.Wait())
	})
	s.await(t)
	return s, cmd
}

func serveArgs(args []string) []string {
	return append([]string{"serve", "--addr", "127.0.0.1:0"}, args...)
}

// program is the program as a command that ends with the test.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self, args...)
	cmd.Env = []string{asProgram + "=1"}
	return cmd
}

func exitCode(t *testing.T, err error) int {
	t.Helper()
	if err == nil {
		return 0
	}
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	}
	t.Fatalf("the program did not run: %v", err)
	return -1
}

// await waits until the service can be reached and stops it with the test.
func (s *service) await(t *testing.T) {
	t.Helper()
	t.Cleanup(func() {
		if code := s.stop(); code != exitOK {
			t.Errorf("orgd serve = %d:\n%s", code, s.stderr)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	for end := time.Now().Add(deadline); time.Now().Before(end); time.Sleep(2 * time.Millisecond) {
		if m := listens.FindStringSubmatch(s.stderr.String()); m != nil {
			s.url = m[1]
			return
		}
	}
	t.Fatalf("orgd serve does not listen after %s:\n%s", deadline, s.stderr)
}

// call sends one request and returns status and body; 0 if there was no answer.
func call(t *testing.T, method, url, token, body string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(text)
}

// readSecret returns the content of a file that only its owner may read.
func readSecret(t *testing.T, path string) string {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if mode := info.Mode().Perm(); mode != 0o600 {
		t.Errorf("%s has mode %04o, want 0600", path, mode)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(content))
}
