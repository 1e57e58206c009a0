package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"orgd/cmd/orgd/internal/remote"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/test/golden"
	"orgd/test/process"
)

// listen is a server that takes connections and does with them what it is told.
func listen(t *testing.T, do func(net.Conn)) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { c.Close() })
			do(c)
		}
	}()
	return "http://" + l.Addr().String()
}

// A service that does not answer is one sentence at once, whatever the command.
func TestNoAnswer(t *testing.T) {
	down := "http://" + process.FreeAddr(t)
	silent := listen(t, func(net.Conn) {})
	broken := listen(t, func(c net.Conn) { c.Close() })
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { fmt.Fprint(w, "<h1>Hello</h1>") }))
	gateway := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { w.WriteHeader(http.StatusBadGateway) }))
	tls := httptest.NewTLSServer(web.Config.Handler)
	for _, s := range []*httptest.Server{web, gateway, tls} {
		s.Config.ErrorLog = log.New(io.Discard, "", 0)
		t.Cleanup(s.Close)
	}
	document := filepath.Join(t.TempDir(), "org.yaml")
	if err := os.WriteFile(document, []byte("format: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	serve := `; start one with "orgd serve", or check `
	for _, tt := range []struct{ line, server, want string }{
		{"whoami", down, "no service answers at " + down + " (ORGD_SERVER)" + serve + "ORGD_SERVER"},
		{"get agents --watch", down, "no service answers at " + down + " (ORGD_SERVER)" + serve + "ORGD_SERVER"},
		{"plan -f " + document, down, "no service answers at " + down + " (ORGD_SERVER)" + serve + "ORGD_SERVER"},
		{"login --token-file " + document, down, "nothing is stored: no service answers at " + down + " (ORGD_SERVER)" + serve + "ORGD_SERVER"},
		{"healthcheck --addr " + strings.TrimPrefix(down, "http://"), "", "no service answers at " + down + " (--addr)" + serve + "--addr"},
		{"whoami", silent, "no service answers at " + silent + " (ORGD_SERVER): it takes the connection, but is silent for 10s" + serve + "ORGD_SERVER"},
		{"get activities --watch", silent, "no service answers at " + silent + " (ORGD_SERVER): it takes the connection, but is silent for 10s" + serve + "ORGD_SERVER"},
		{"whoami", broken, "no service answers at " + broken + " (ORGD_SERVER): the connection breaks" + serve + "ORGD_SERVER"},
		{"whoami", gateway.URL, "no service answers at " + gateway.URL + " (ORGD_SERVER): a gateway answers that it does not reach it" + serve + "ORGD_SERVER"},
		{"whoami", web.URL, "what answers at " + web.URL + " (ORGD_SERVER) is not orgd" + serve + "ORGD_SERVER"},
		{"whoami", tls.URL, "no service answers at " + tls.URL + " (ORGD_SERVER): its certificate is not accepted, certificate signed by unknown authority" + serve + "ORGD_SERVER"},
		{"whoami", strings.Replace(web.URL, "http", "https", 1), "no service answers at https" + strings.TrimPrefix(web.URL, "http") + " (ORGD_SERVER): it does not speak HTTPS" + serve + "ORGD_SERVER"},
		{"whoami --server http://nobody.invalid", "", `no service answers at http://nobody.invalid (--server): there is no host "nobody.invalid"; check --server`},
	} {
		t.Run(tt.line+" "+tt.server, func(t *testing.T) {
			p := terminal.Terminal{Getenv: env("ORGD_SERVER="+tt.server, "ORGD_TOKEN=x"), UserDir: t.TempDir()}
			waiting, verbosity := "", []string{"", " -v"}
			if strings.Contains(tt.want, "silent") {
				t.Parallel() // it waits as long as a user does
				p.ConnectTimeout, verbosity = remote.ConnectTimeout, verbosity[:1]
				waiting = "orgd: " + tt.server + " (ORGD_SERVER) is silent; waiting up to 10s\n"
			}
			for _, more := range verbosity {
				var stdout, stderr output
				p.Stdout, p.Stderr = &stdout, &stderr
				code := run(t.Context(), strings.Fields(tt.line+more), p)
				said := stderr.String()
				if code != exitFailure || stdout.String() != "" || more == "" && said != waiting+"orgd: "+tt.want+"\n" {
					t.Errorf("orgd %s = %d:\n%swant 1 and\n%s", tt.line, code, said, tt.want)
				}
				if more != "" && (!strings.Contains(said, "orgd: service: http") || !strings.Contains(said, tt.want) || !strings.Contains(said, "orgd: in detail: ")) {
					t.Errorf("orgd %s -v says:\n%s", tt.line, said)
				}
			}
		})
	}
}

// The token of the directory is taken if nobody else could have put it there, and
// sent to this machine only.
func TestFoundToken(t *testing.T) {
	home := t.TempDir()
	t.Chdir(home)
	s := serve(t, false, "--data-dir", "data")
	token := readSecret(t, "data/admin.token")
	u := user{vars: []string{"ORGD_SERVER=" + s.url}, dir: t.TempDir()}
	if r := u.types(t, "", "whoami", "-v"); r.code != exitOK || r.stderr != "orgd: service: "+s.url+" (ORGD_SERVER)\norgd: token: of data/admin.token\n" {
		t.Errorf("orgd whoami -v = %+v, want what was found", r)
	}
	u.vars = nil
	if r := u.types(t, "", "whoami", "-v"); r.code != exitOK || r.stderr != "orgd: service: "+s.url+" (the directory data)\norgd: token: of data/admin.token\n" {
		t.Errorf("orgd whoami -v without ORGD_SERVER = %+v, want the service of the directory", r)
	}
	u.vars = []string{"ORGD_SERVER=" + s.url}
	put := func(path, text string, mode os.FileMode) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	put("open/admin.token", token, 0o644)
	put("empty/admin.token", "\n", 0o600)
	put("old/admin.token", "nonsense\n", 0o600)
	if err := os.MkdirAll("pipe", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo("pipe/admin.token", 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll("link", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(home, "data/admin.token"), "link/admin.token"); err != nil {
		t.Fatal(err)
	}
	for dir, url := range map[string]string{
		"open": s.url, "link": s.url, "pipe": s.url, "empty": s.url, "old": s.url, "elsewhere": "http://127.0.0.1:1",
	} {
		put(filepath.Join(dir, "other"), "", 0o600)
		f, err := remote.MarkServed(dir, url)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
	}
	put("elsewhere/admin.token", token, 0o600)
	put("killed/admin.token", token, 0o600)
	put("killed/"+remote.ServedFile, s.url, 0o600)
	elsewhere := "http://orgd.invalid"
	for name, tt := range map[string]struct {
		vars []string
		args []string
		code int
		want string
	}{
		"others may read it": {[]string{"ORGD_DATA_DIR=open"}, nil, exitUsage, ": others may use open/admin.token (chmod 600 open/admin.token)"},
		"a link":             {[]string{"ORGD_DATA_DIR=link"}, nil, exitUsage, ": link/admin.token is a link"},
		"a pipe":             {[]string{"ORGD_DATA_DIR=pipe"}, nil, exitUsage, ": pipe/admin.token is not a file"},
		"empty":              {[]string{"ORGD_DATA_DIR=empty"}, nil, exitUsage, ": empty/admin.token is empty"},
		"none":               {[]string{"ORGD_DATA_DIR=none"}, nil, exitUsage, `: the service there does not use the directory none; call this in the directory of "orgd serve", or store a token with "orgd login"`},
		"served elsewhere":   {[]string{"ORGD_DATA_DIR=elsewhere"}, nil, exitUsage, "the service there does not use the directory elsewhere"},
		"killed":             {[]string{"ORGD_DATA_DIR=killed"}, nil, exitUsage, "the service there does not use the directory killed"},
		"not accepted":       {[]string{"ORGD_DATA_DIR=old"}, nil, exitFailure, "does not accept the token of old/admin.token: the token is malformed; take a new one with: orgd token create --data-dir old --role admin"},
		"another machine":    {nil, []string{"--server", elsewhere}, exitFailure, "no service answers at " + elsewhere},
		"a named profile":    {nil, []string{"--profile", "p", "--server", s.url}, exitUsage, "there is no profile"},
	} {
		t.Run(name, func(t *testing.T) {
			u := user{vars: append([]string{"ORGD_SERVER=" + s.url}, tt.vars...), dir: u.dir}
			r := u.types(t, "", append([]string{"whoami"}, tt.args...)...)
			if r.code != tt.code || !strings.Contains(r.stderr, tt.want) || strings.Count(r.stderr, "\n") != 1 {
				t.Errorf("orgd whoami = %+v, want %d and %q", r, tt.code, tt.want)
			}
		})
	}

	// The demo's is taken if it is that which is served, and the profile stands above both.
	if err := os.Remove("data/" + remote.ServedFile); err != nil {
		t.Fatal(err)
	}
	put("demo/admin.token", token, 0o600)
	demo, err := remote.MarkServed("demo", s.url)
	if err != nil {
		t.Fatal(err)
	}
	defer demo.Close()
	if r := u.types(t, "", "whoami", "-v"); r.code != exitOK || !strings.Contains(r.stderr, "token: of demo/admin.token") {
		t.Errorf("orgd whoami -v = %+v, want the token of the demo", r)
	}
	if r := u.types(t, newToken(t, "data", "ann"), "login"); r.code != exitOK {
		t.Fatalf("orgd login = %+v", r)
	}
	if r := u.types(t, "", "whoami", "-v"); r.code != exitOK || !strings.Contains(r.stderr, `token: of profile "default"`) {
		t.Errorf("orgd whoami -v = %+v, want the token of the profile", r)
	}
	if r := u.types(t, "", "whoami", "-v", "--token", token); r.code != exitOK || !strings.Contains(r.stderr, "token: of --token") {
		t.Errorf("orgd whoami -v --token = %+v, want that token", r)
	}
}

// What is not orgd gets to see no token that nobody has meant for it.
func TestFoundTokenIsKept(t *testing.T) {
	data := t.TempDir()
	if err := os.WriteFile(filepath.Join(data, "admin.token"), []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	var requests, tokens atomic.Int64
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if r.Header.Get("Authorization") != "" {
			tokens.Add(1)
		}
		http.NotFound(w, r)
	}))
	defer other.Close()
	served, err := remote.MarkServed(data, other.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer served.Close()
	r := command(t, []string{"ORGD_DATA_DIR=" + data, "ORGD_SERVER=" + other.URL}, "get", "agents")
	if r.code != exitFailure || !strings.Contains(r.stderr, "is not orgd") || requests.Load() == 0 || tokens.Load() != 0 {
		t.Errorf("orgd get agents = %+v, %d requests with %d tokens, want none", r, requests.Load(), tokens.Load())
	}
}

// answering is a service that is reached and then answers the same to everything.
func answering(t *testing.T, status int, body string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/healthz") {
			fmt.Fprint(w, `{"data":{"status":"ok","version":"1","uptime_seconds":1}}`)
			return
		}
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}))
	t.Cleanup(s.Close)
	return s.URL
}

var (
	// instance is the id of a request, and machine what else is different each time.
	instance = regexp.MustCompile(`\b[A-Z2-7]{26}\b`)
	machine  = regexp.MustCompile(`127\.0\.0\.1:\d+`)
)

// What the service refuses is one sentence, and -v says what went over the wire.
func TestErrorsAreSentences(t *testing.T) {
	o := newOffice(t)
	o.staff()
	var report strings.Builder
	tell := func(u user, input, line string) {
		t.Helper()
		r := u.types(t, input, strings.Fields(line)...)
		if r.code != exitFailure || r.stdout != "" || strings.Count(r.stderr, "\n") != 1 && !strings.HasSuffix(line, "-v") {
			t.Errorf("orgd %s = %+v, want 1 and one line", line, r)
		}
		said := machine.ReplaceAllString(instance.ReplaceAllString(same(r.stderr), "<instance>"), "127.0.0.1:<port>")
		fmt.Fprintf(&report, "$ orgd %s\n%s\n", line, said)
	}
	for _, line := range []string{
		"agent show Nobody",
		"agent show Nobody -v",
		"agent rollback Ada 9",
		"department delete Design --yes",
	} {
		tell(o.user, "", line)
	}
	tell(o.user, "{level: boss, x: 1}", "agent update Ada -f -")
	tell(user{vars: []string{o.vars[0], "ORGD_TOKEN=nonsense"}}, "", "get agents -v")
	tell(user{vars: []string{o.vars[0] + "/api/v0", o.vars[1]}}, "", "get agents")
	problem := func(status, code int, category, detail string) string {
		return answering(t, status, fmt.Sprintf(`{"error":%q,"error_detail":{"detail":%q,"error_code":%d,"error_category":%q,"instance":"AAAAAAAAAAAAAAAAAAAAAAAAAA"}}`, detail, detail, code, category))
	}
	for _, url := range []string{
		problem(500, 8000, "internal", "internal error"),
		problem(429, 5001, "rate_limit", "too many requests for this operation"),
		problem(404, 3002, "not_found", "no such endpoint"),
		problem(403, 1001, "auth", `role "agent" may not perform company.update`),
		problem(412, 4002, "conflict", "the resource has changed since it was read"),
		answering(t, 404, "<h1>Not here</h1>"),
		answering(t, 200, "{"),
	} {
		tell(user{vars: []string{"ORGD_SERVER=" + url, "ORGD_TOKEN=x"}}, "", "company update --name Works")
	}
	golden.File(t, "testdata/errors.txt", report.String())
}

// A change that was sent when the connection broke may have been made.
func TestLostAnswer(t *testing.T) {
	t.Parallel() // it waits
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/healthz") {
			fmt.Fprint(w, `{"data":{"status":"ok","version":"1","uptime_seconds":1}}`)
			return
		}
		panic(http.ErrAbortHandler)
	}))
	defer s.Close()
	for line, want := range map[string]string{
		"department create Design": "orgd: " + s.URL + " has stopped answering: the connection breaks; whether the change was made is not known\n",
		"get departments":          "orgd: " + s.URL + " has stopped answering: the connection breaks\n",
	} {
		if r := command(t, []string{"ORGD_SERVER=" + s.URL, "ORGD_TOKEN=x"}, strings.Fields(line)...); r.code != exitFailure || r.stderr != want {
			t.Errorf("orgd %s = %+v, want %q", line, r, want)
		}
	}
}

// A signal ends a command of a real process quietly, with its number.
func TestSignals(t *testing.T) {
	o := newOffice(t)
	for name, tt := range map[string]struct {
		signal os.Signal
		want   int
	}{"Ctrl-C": {os.Interrupt, 130}, "kill": {syscall.SIGTERM, 143}} {
		t.Run(name, func(t *testing.T) {
			stderr := &output{}
			cmd := program(t, "get", "activities", "--watch")
			cmd.Env, cmd.Stderr = append(cmd.Env, o.vars...), stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			(&running{T: t, stdout: &output{}, stderr: stderr}).shows(stderr, "Watching")
			if err := cmd.Process.Signal(tt.signal); err != nil {
				t.Fatal(err)
			}
			if got := exitCode(t, cmd.Wait()); got != tt.want || strings.Count(stderr.String(), "\n") != 1 {
				t.Errorf("orgd get activities --watch = %d:\n%s, want %d and nothing more", got, stderr, tt.want)
			}
		})
	}
}

// A command that waits for an answer ends too, and says what is not known.
func TestInterruptedChange(t *testing.T) {
	asked := make(chan struct{}, 1)
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasSuffix(r.URL.Path, "/healthz") {
			fmt.Fprint(w, `{"data":{"status":"ok","version":"1","uptime_seconds":1}}`)
			return
		}
		io.Copy(io.Discard, r.Body) // or the server does not see that the client goes
		asked <- struct{}{}
		<-r.Context().Done()
	}))
	defer s.Close()
	for line, want := range map[string]string{
		"get departments":          "",
		"department create Design": "orgd: interrupted; whether the change was made is not known\n",
	} {
		ctx, stop := context.WithCancel(t.Context())
		go func() { <-asked; stop() }()
		var stderr output
		code := run(ctx, strings.Fields(line), terminal.Terminal{Getenv: env("ORGD_SERVER="+s.URL, "ORGD_TOKEN=x"), Stdout: &stderr, Stderr: &stderr})
		if code != 130 || stderr.String() != want {
			t.Errorf("orgd %s, interrupted = %d, %q, want 130 and %q", line, code, &stderr, want)
		}
		stop()
	}
}
