package main

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestLoginLink(t *testing.T) {
	data := t.TempDir()
	s := serve(t, false, "--data-dir", data)
	for _, role := range []string{"viewer", "editor"} {
		token := strings.TrimSpace(must(t, nil, "token", "create", "--data-dir", data, "--role", role, "--subject", "kim"))
		u := user{dir: t.TempDir(), vars: []string{"ORGD_SERVER=" + s.url + "/", "ORGD_TOKEN=" + token}}
		r := u.types(t, "", "login", "--link")
		if r.code != exitOK || codeForm.FindString(r.stdout) != r.stdout || !strings.HasPrefix(r.stdout, s.url+"/console#code=") {
			t.Fatalf("orgd login --link = %+v, want the link alone on standard output", r)
		}
		if strings.Contains(r.stderr, "code=") || !strings.Contains(r.stderr, "once") {
			t.Errorf("the hint is %q", r.stderr)
		}
		status, body := redeem(t, r.stdout)
		if status, body := call(t, "GET", s.url+"/api/v1/auth/me", jwtForm.FindString(body), ""); status != 200 || !strings.Contains(body, `"subject":"kim","role":"`+role+`"`) {
			t.Errorf("the link signs in as %s, want kim of role %s", body, role)
		}
		if status != 201 {
			t.Errorf("the link = %d %s, want 201", status, body)
		}
		if stored, err := filepath.Glob(filepath.Join(u.dir, "*")); err != nil || len(stored) > 0 {
			t.Errorf("orgd login --link stores %q, %v", stored, err)
		}
	}
	if strings.Contains(s.stderr.String(), "code=") {
		t.Errorf("the log holds a link:\n%s", s.stderr)
	}
}

// A link for somebody else is as an admin says, and leads to where browsers reach the service.
func TestLoginLinkForSomebody(t *testing.T) {
	data := t.TempDir()
	s := serve(t, false, "--data-dir", data, "--public-url", "https://orgd.example.com")
	u := user{dir: t.TempDir(), vars: []string{"ORGD_SERVER=" + s.url, "ORGD_TOKEN=" + strings.TrimSpace(must(t, nil, "token", "create", "--data-dir", data, "--role", "admin", "--subject", "ann"))}}
	r := u.types(t, "", "login", "--link", "--for", "kim", "--role", "department_admin", "--departments", "Support,Sales", "--label", "laptop", "--ttl", "24h")
	if r.code != exitOK || codeForm.FindString(r.stdout) != r.stdout || !strings.HasPrefix(r.stdout, "https://orgd.example.com/console#code=") || strings.Contains(r.stderr, "machine") || !strings.Contains(r.stderr, "signs kim in") {
		t.Fatalf("orgd login --link --for = %+v, want the link alone on standard output", r)
	}
	_, body := redeem(t, strings.Replace(r.stdout, "https://orgd.example.com", s.url, 1))
	for _, want := range []string{`"subject":"kim","role":"department_admin","departments":["Support","Sales"]`, `"label":"laptop"`} {
		if _, me := call(t, "GET", s.url+"/api/v1/auth/me", jwtForm.FindString(body), ""); !strings.Contains(me, want) {
			t.Errorf("the link signs in as %s, want %s", me, want)
		}
	}
	if strings.Contains(s.stderr.String(), "code=") {
		t.Errorf("the log holds a link:\n%s", s.stderr)
	}
}

// A terminal without a browser is signed in by the code of a link, or by the link as it is.
func TestLoginWithCode(t *testing.T) {
	data := t.TempDir()
	s := serve(t, false, "--data-dir", data)
	maker := user{dir: t.TempDir(), vars: []string{"ORGD_SERVER=" + s.url, "ORGD_TOKEN=" + newToken(t, data, "ed")}}
	for name, tt := range map[string]struct{ interactive, whole bool }{
		"a code that is typed": {true, false}, "a code from a pipe": {false, false}, "a link that is typed": {true, true},
	} {
		given := maker.can(t, "login", "--link")
		_, code, _ := strings.Cut(given, "#code=")
		if !tt.whole {
			given = code
		}
		u := user{dir: t.TempDir(), interactive: tt.interactive}
		r := u.types(t, given, "login", "--code", "--server", s.url)
		if r.code != exitOK || r.stdout != "" || !strings.Contains(r.stderr, "Logged in to "+s.url+" as ed") || strings.Contains(r.stderr, code) {
			t.Fatalf("%s: orgd login --code = %+v", name, r)
		}
		if who := u.can(t, "whoami"); !strings.Contains(who, "Kind     sign_in\n") {
			t.Errorf("%s: orgd whoami:\n%s", name, who)
		}
		if r := u.types(t, given, "login", "--code", "--server", s.url); r.code != exitFailure || !strings.Contains(r.stderr, "orgd: this sign-in link is not valid") {
			t.Errorf("%s: orgd login --code with a used code = %+v", name, r)
		}
	}
	if r := (user{dir: t.TempDir()}).types(t, "\n", "login", "--code", "--server", s.url); r.code != exitUsage || !strings.Contains(r.stderr, "there is no code") {
		t.Errorf("orgd login --code without a code = %+v", r)
	}
}

func TestLoginLinkRefuses(t *testing.T) {
	data, other := t.TempDir(), t.TempDir()
	s, blind := serve(t, false, "--data-dir", data), serve(t, false, "--data-dir", other, "--no-console")
	tokens := map[string]string{s.url: newToken(t, data, "ed"), blind.url: newToken(t, other, "ed")}
	for name, tt := range map[string]struct {
		server string
		flags  string
		want   string
		code   int
	}{
		"no console":      {blind.url, "--link", "serves no console", exitFailure},
		"for nobody":      {s.url, "--link --role viewer", "go with --for", exitUsage},
		"short":           {s.url, "--link --for kim --role viewer --ttl 59s", "--ttl: 59s must be whole seconds, 1m to 7d", exitUsage},
		"no time":         {s.url, "--link --for kim --role viewer --ttl soon", "--ttl: ", exitUsage},
		"file and a link": {s.url, "--link --token-file -", "--link", exitUsage},
	} {
		t.Run(name, func(t *testing.T) {
			u := user{dir: t.TempDir(), vars: []string{"ORGD_SERVER=" + tt.server, "ORGD_TOKEN=" + tokens[tt.server]}}
			r := u.types(t, "", append([]string{"login"}, strings.Fields(tt.flags)...)...)
			if r.code != tt.code || r.stdout != "" || !strings.Contains(r.stderr, tt.want) {
				t.Errorf("orgd login %s = %+v, want %d and %q", tt.flags, r, tt.code, tt.want)
			}
		})
	}
}
