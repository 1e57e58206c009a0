package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"orgd/cmd/orgd/internal/terminal"
)

// user is somebody with a configuration directory, at a keyboard or not.
type user struct {
	vars        []string
	dir         string
	interactive bool
	colored     bool
}

// types runs a command line with what the user types into it.
func (u user) types(t *testing.T, input string, args ...string) result {
	t.Helper()
	var stdout, stderr output
	code := run(t.Context(), args, terminal.Terminal{
		Getenv: env(u.vars...), Stdin: strings.NewReader(input), Stdout: &stdout, Stderr: &stderr,
		Interactive: u.interactive, Colored: u.colored, StdoutIsTerminal: u.colored, UserDir: u.dir,
	})
	return result{code, stdout.String(), stderr.String()}
}

// can runs a command line that has to succeed and returns its standard output.
func (u user) can(t *testing.T, args ...string) string {
	t.Helper()
	r := u.types(t, "", args...)
	if r.code != exitOK {
		t.Fatalf("orgd %s = %d:\n%s", strings.Join(args, " "), r.code, r.stderr)
	}
	return r.stdout
}

// subject is who the service takes the user for.
func (u user) subject(t *testing.T, args ...string) string {
	t.Helper()
	var me struct{ Subject string }
	out := u.can(t, append([]string{"whoami", "-o", "json"}, args...)...)
	if err := json.Unmarshal([]byte(out), &me); err != nil {
		t.Fatal(err)
	}
	return me.Subject
}

// newToken makes a token of role editor.
func newToken(t *testing.T, dir, subject string) string {
	t.Helper()
	return strings.TrimSpace(must(t, nil, "token", "create", "--data-dir", dir, "--role", "editor", "--subject", subject))
}

func TestLogin(t *testing.T) {
	data := t.TempDir()
	s := serve(t, false, "--data-dir", data)
	u := user{dir: t.TempDir(), interactive: true}
	file := filepath.Join(u.dir, "orgd", "profiles.yaml")

	if r := u.types(t, "nonsense\n", "login", "--server", s.url); r.code != exitFailure || !strings.Contains(r.stderr, "nothing is stored") {
		t.Errorf("orgd login with a wrong token = %+v, want 1 and the reason", r)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("a wrong token was stored")
	}
	ann := newToken(t, data, "ann")
	r := u.types(t, ann+"\n", "login", "--server", s.url)
	if r.code != exitOK || r.stdout != "" || !strings.Contains(r.stderr, "as ann, role editor") || strings.Contains(r.stderr, ann) {
		t.Fatalf("orgd login = %+v, want 0 and who it is", r)
	}
	if stored := readSecret(t, file); !strings.Contains(stored, ann) { // mode 0600
		t.Errorf("the token is not among the profiles")
	}
	if got := u.subject(t); got != "ann" {
		t.Errorf("orgd whoami = %s, want ann", got)
	}

	if r := (user{dir: u.dir}).types(t, newToken(t, data, "bob"), "login", "--profile", "second", "--server", s.url); r.code != exitOK {
		t.Fatalf("orgd login from a pipe = %+v, want 0", r)
	}
	if got := u.subject(t, "--profile", "second"); got != "bob" {
		t.Errorf("orgd whoami --profile second = %s, want bob", got)
	}

	// The server of the profile ends the session.
	if r := u.types(t, "", "logout", "--profile", "second"); r.code != exitOK || r.stdout != "" {
		t.Errorf("orgd logout = %+v, want 0", r)
	}
	if r := u.types(t, "", "whoami", "--profile", "second"); r.code != exitUsage || !strings.Contains(r.stderr, "there is no profile") {
		t.Errorf("orgd whoami with a profile that is gone = %+v, want 2 and the reason", r)
	}
	if got := u.subject(t); got != "ann" {
		t.Errorf("orgd whoami = %s, want ann still", got)
	}
	if list := must(t, []string{"ORGD_SERVER=" + s.url, "ORGD_TOKEN_FILE=" + filepath.Join(data, "admin.token")}, "token", "list"); !strings.Contains(list, "revoked") {
		t.Errorf("no session is revoked after orgd logout:\n%s", list)
	}
}

// What stands higher is used; the rest need not even be right.
func TestWhereTheConnectionComesFrom(t *testing.T) {
	data := t.TempDir()
	s := serve(t, false, "--data-dir", data)
	ann, bob, cat := newToken(t, data, "ann"), newToken(t, data, "bob"), newToken(t, data, "cat")
	u := user{dir: t.TempDir()}
	for profile, token := range map[string]string{"default": ann, "bobs": bob} {
		if r := u.types(t, token, "login", "--profile", profile, "--server", s.url+"/"); r.code != exitOK {
			t.Fatalf("orgd login = %+v", r)
		}
	}
	for name, tt := range map[string]struct {
		vars []string
		args []string
		want string // the subject, or what the usage error says
	}{
		"default profile":          {want: "ann"},
		"named in the environment": {vars: []string{"ORGD_PROFILE=bobs"}, want: "bob"},
		"flag over the variable":   {vars: []string{"ORGD_PROFILE=bobs"}, args: []string{"--profile", "default"}, want: "ann"},
		"token over the profile":   {vars: []string{"ORGD_TOKEN=" + cat}, want: "cat"},
		"token over the named one": {vars: []string{"ORGD_TOKEN=" + cat, "ORGD_PROFILE=bobs"}, want: "cat"},
		"flag over the token":      {vars: []string{"ORGD_TOKEN=" + cat, "ORGD_SERVER=http://127.0.0.1:1"}, args: []string{"--profile", "bobs"}, want: "bob"},
		"server flag":              {vars: []string{"ORGD_SERVER=http://127.0.0.1:1"}, args: []string{"--server", s.url}, want: "ann"},
		"all from the environment": {vars: []string{"ORGD_SERVER=" + s.url, "ORGD_TOKEN=" + cat, "ORGD_PROFILE=none"}, want: "cat"},
		"no such profile":          {vars: []string{"ORGD_PROFILE=none"}, want: `ORGD_PROFILE: there is no profile "none"`},
		"token of another server":  {vars: []string{"ORGD_SERVER=http://127.0.0.1:1"}, want: "ORGD_SERVER: the token of profile \"default\" is for " + s.url},
		"two tokens":               {vars: []string{"ORGD_TOKEN=x", "ORGD_TOKEN_FILE=y"}, want: "only one of them"},
	} {
		t.Run(name, func(t *testing.T) {
			u := user{dir: u.dir, vars: tt.vars}
			if strings.Contains(tt.want, " ") {
				r := u.types(t, "", append([]string{"whoami"}, tt.args...)...)
				if r.code != exitUsage || !strings.Contains(r.stderr, tt.want) {
					t.Errorf("orgd whoami = %+v, want 2 and %q", r, tt.want)
				}
			} else if got := u.subject(t, tt.args...); got != tt.want {
				t.Errorf("orgd whoami = %s, want %s", got, tt.want)
			}
		})
	}
}

// A session that is over does not keep the profile; a service that is gone does,
// unless the user does not care.
func TestLogoutWithoutSession(t *testing.T) {
	t.Parallel() // it waits
	data := t.TempDir()
	s := serve(t, false, "--data-dir", data)
	u := user{dir: t.TempDir()}
	login := []string{"login", "--server", s.url}
	ann := newToken(t, data, "ann")
	u.types(t, ann, login...)
	u.can(t, "token", "revoke", claims(t, ann)["sid"].(string))
	if r := u.types(t, "", "get", "agents"); r.code != exitFailure || !strings.Contains(r.stderr, "revoked") || !strings.Contains(r.stderr, "orgd login") {
		t.Errorf("orgd get agents with a token that is over = %+v, want 1 and the way out", r)
	}
	u.can(t, "logout")

	u.types(t, newToken(t, data, "ann"), login...)
	s.stop()
	if r := u.types(t, "", "logout"); r.code != exitFailure || !strings.Contains(r.stderr, "--local") {
		t.Errorf("orgd logout without the service = %+v, want 1 and a way out", r)
	}
	u.can(t, "logout", "--local")
	if r := u.types(t, "", "logout"); r.code != exitFailure || !strings.Contains(r.stderr, "no profile") {
		t.Errorf("orgd logout twice = %+v, want 1 and the reason", r)
	}
}

func TestLoginRefuses(t *testing.T) {
	broken := t.TempDir()
	path := filepath.Join(broken, "orgd", "profiles.yaml")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("default: {server: x, tokn: secret}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		dir  string
		args []string
		code int
		want string
	}{
		"no token":      {t.TempDir(), nil, exitUsage, "there is no token"},
		"no server":     {t.TempDir(), []string{"--server", "nowhere"}, exitUsage, `--server: "nowhere"`},
		"no file":       {t.TempDir(), []string{"--token-file", "/does/not/exist"}, exitFailure, "/does/not/exist"},
		"no directory":  {"", nil, exitFailure, "HOME"},
		"broken stored": {broken, nil, exitFailure, "repair or remove it"},
	} {
		t.Run(name, func(t *testing.T) {
			r := user{dir: tt.dir}.types(t, "", append([]string{"login"}, tt.args...)...)
			if r.code != tt.code || !strings.Contains(r.stderr, tt.want) || strings.Contains(r.stderr, "secret") {
				t.Errorf("orgd login = %+v, want %d and %q", r, tt.code, tt.want)
			}
		})
	}
}

func TestWhoami(t *testing.T) {
	data := t.TempDir()
	s := serve(t, false, "--data-dir", data)
	token := strings.TrimSpace(must(t, nil, "token", "create", "--data-dir", data, "--role", "department_admin", "--subject", "bob", "--departments", "Design"))
	u := user{vars: []string{"ORGD_SERVER=" + s.url, "ORGD_TOKEN=" + token}}
	var fields []string
	for line := range strings.Lines(u.can(t, "whoami")) {
		fields = append(fields, strings.Fields(line)[0])
	}
	if diff := cmp.Diff([]string{"Server", "Subject", "Role", "Departments", "Session", "Kind", "Issued", "Expires"}, fields); diff != "" {
		t.Errorf("orgd whoami shows (-want +got):\n%s", diff)
	}
	lines := strings.Split(u.can(t, "whoami", "-o", "yaml"), "\n")
	for _, want := range []string{"server: " + s.url, "subject: bob", "role: department_admin", "departments:", "  - Design", "agent_id: null"} {
		if !slices.Contains(lines, want) {
			t.Errorf("orgd whoami -o yaml lacks %q in:\n%s", want, strings.Join(lines, "\n"))
		}
	}
}
