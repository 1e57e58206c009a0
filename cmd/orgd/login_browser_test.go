package main

import (
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/golang-jwt/jwt/v5"
)

// eve is somebody whom the provider knows.
func eve() jwt.MapClaims {
	return jwt.MapClaims{"sub": "4711", "email": "eve@example.com", "role": "editor"}
}

// signedIn begins to log in, and returns what the browser brings back.
func (u user) signedIn(t *testing.T, s *service) (*running, browser, *url.URL) {
	t.Helper()
	r := u.start(t, "login", "--server", s.url)
	b := browser{t, newBrowser(t)}
	return r, b, b.signsIn(r)
}

func TestLoginWithBrowser(t *testing.T) {
	p := newProvider(t, eve())
	s := serveWith(t, p)
	u := user{dir: t.TempDir(), interactive: true}
	r, b, back := u.signedIn(t, s)
	page := b.get(back.String())
	if page.status != 200 || !strings.Contains(page.text, "eve@example.com, role editor") {
		t.Errorf("the browser is shown %d %s, want who is signed in", page.status, page.text)
	}
	for name, want := range map[string]string{
		"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff", "Content-Security-Policy": "default-src 'none'",
	} {
		if !strings.HasPrefix(page.header.Get(name), want) || strings.Contains(page.text, "<script") {
			t.Errorf("the page has %s: %q, want %q", name, page.header.Get(name), want)
		}
	}
	r.ends(exitOK)
	if out := r.stderr.String(); !strings.Contains(out, "Logged in to "+s.url+" as eve@example.com, role editor, until ") || r.stdout.String() != "" {
		t.Errorf("orgd login says %s%s", r.stdout, out)
	}
	file := filepath.Join(u.dir, "orgd", "profiles.yaml")
	stored := readSecret(t, file) // mode 0600
	if dir, err := os.Stat(filepath.Dir(file)); err != nil || dir.Mode().Perm() != 0o700 {
		t.Errorf("the directory of the profiles is %v, %v, want mode 0700", dir, err)
	}
	who := u.can(t, "whoami")
	for _, want := range []string{"Name     eve@example.com\n", "Subject  " + p.URL + "|4711\n", "Kind     sign_in\n"} {
		if !strings.Contains(who, want) || strings.Contains(who, "Label") {
			t.Errorf("orgd whoami lacks %q in:\n%s", want, who)
		}
	}
	for _, out := range []string{r.stderr.String(), s.stderr.String(), page.text} {
		if jwtForm.MatchString(out) || strings.Contains(out, back.Query().Get("code")) {
			t.Errorf("a secret is in\n%s", out)
		}
	}
	token := jwtForm.FindString(stored)
	u.can(t, "logout")
	if status, body := call(t, "GET", s.url+"/api/v1/auth/me", token, ""); status != 401 {
		t.Errorf("the token after orgd logout = %d %s, want 401", status, body)
	}
}

// Any page can lead the browser to the port: only who knows the state is listened to.
func TestLoginIsNotDisturbed(t *testing.T) {
	s := serveWith(t, newProvider(t, eve()))
	r, b, back := user{dir: t.TempDir(), interactive: true}.signedIn(t, s)
	state := back.Query().Get("state")
	for _, query := range []string{
		"", "code=x", "error=access_denied", "state=" + state, "code=x&state=" + strings.ToUpper(state), "error=x&state=", "code=x&state=" + state + "x",
	} {
		other := *back
		other.RawQuery = query
		if page := b.get(other.String()); page.status != 400 || !strings.Contains(page.text, "goes on waiting") {
			t.Errorf("%q is answered %d %s", query, page.status, page.text)
		}
	}
	if page := b.get(back.JoinPath("favicon.ico").String()); page.status != 404 {
		t.Errorf("another path is answered %d, want 404", page.status)
	}
	if page := b.get(back.String()); page.status != 200 || !strings.Contains(page.text, "eve@example.com") {
		t.Errorf("the sign-in then = %d %s", page.status, page.text)
	}
	r.ends(exitOK)
}

// A code is good for the program that began the sign-in only, and once.
func TestLoginThatFails(t *testing.T) {
	s := serveWith(t, newProvider(t, eve()))
	redeem := func(code, verifier string) int {
		status, _ := call(t, "POST", s.url+"/api/v1/auth/links/redeem", "", `{"code":"`+code+`"`+verifier+`}`)
		return status
	}
	for name, tt := range map[string]struct {
		before func(back *url.URL)
		want   string
		code   int
	}{
		"refused": {func(back *url.URL) {
			back.RawQuery = url.Values{"error": {"access_denied"}, "state": {back.Query().Get("state")}}.Encode()
		}, `refused: "access_denied"`, exitFailure},
		"not a code": {func(back *url.URL) {
			back.RawQuery = url.Values{"code": {"x"}, "state": {back.Query().Get("state")}}.Encode()
		}, "does not accept this sign-in", exitFailure},
		"intercepted": {func(back *url.URL) { // by somebody who has not the verifier
			code := back.Query().Get("code")
			for _, verifier := range []string{"", `,"verifier":"` + strings.Repeat("a", 43) + `"`} {
				if status := redeem(code, verifier); status != 401 {
					t.Errorf("a code without its verifier is answered %d, want 401", status)
				}
			}
		}, "Logged in", exitOK},
	} {
		t.Run(name, func(t *testing.T) {
			u := user{dir: t.TempDir(), interactive: true}
			r, b, back := u.signedIn(t, s)
			tt.before(back)
			b.get(back.String())
			r.ends(tt.code)
			if !strings.Contains(r.stderr.String(), tt.want) {
				t.Errorf("orgd login says %s, want %q", r.stderr, tt.want)
			}
			if stored, err := filepath.Glob(filepath.Join(u.dir, "*")); err != nil || (len(stored) > 0) != (tt.code == exitOK) {
				t.Errorf("orgd login stores %q, %v", stored, err)
			}
			if status := redeem(back.Query().Get("code"), ""); status != 401 && tt.code == exitOK {
				t.Errorf("the code again = %d, want 401", status)
			}
		})
	}
}

// Ctrl-C ends the wait.
func TestLoginInterrupted(t *testing.T) {
	s := serveWith(t, newProvider(t, eve()))
	r := user{dir: t.TempDir(), interactive: true}.start(t, "login", "--server", s.url)
	r.shows(r.stderr, "auth/oidc/start?")
	r.interrupt()
	r.ends(130)
}

// What is said wins over what standard input is.
func TestWaysToLogIn(t *testing.T) {
	with, without := serveWith(t, newProvider(t, eve())), serve(t, false, "--data-dir", t.TempDir())
	for name, tt := range map[string]struct {
		server      *service
		interactive bool
		flag        string
		want        string
		code        int
	}{
		"a provider and a pipe":       {with, false, "", "does not accept the token", exitFailure},
		"a provider and a token":      {with, true, "--with-token", "does not accept the token", exitFailure},
		"a provider and a file":       {with, true, "--token-file=-", "does not accept the token", exitFailure},
		"a pipe and a token":          {without, false, "--with-token", "does not accept the token", exitFailure},
		"no provider":                 {without, true, "", "Token for " + without.url, exitFailure},
		"no provider, but a browser":  {without, false, "--web", "no identity provider", exitFailure},
		"a code that nobody made":     {without, false, "--code", "this sign-in link is not valid", exitFailure},
		"a provider and a code":       {with, true, "--code", "this sign-in link is not valid", exitFailure},
		"a code and a browser":        {without, true, "--code --web", "--code", exitUsage},
		"a token and a browser":       {without, true, "--with-token --web", "--with-token", exitUsage},
		"no service, but a browser":   {&service{url: "http://127.0.0.1:1"}, true, "", "no service answers", exitFailure},
		"a browser and a link":        {without, true, "--link --web", "--link", exitUsage},
		"a browser, for somebody":     {without, true, "--web --for kim --role viewer", "goes with --link", exitUsage},
		"a server that is not a name": {&service{url: "nowhere"}, true, "", "must be a URL", exitUsage},
	} {
		t.Run(name, func(t *testing.T) {
			u := user{dir: t.TempDir(), interactive: tt.interactive}
			r := u.types(t, "nonsense\n", append(strings.Fields("login --server "+tt.server.url), strings.Fields(tt.flag)...)...)
			if r.code != tt.code || !strings.Contains(r.stderr, tt.want) || strings.Contains(r.stderr, "auth/oidc") {
				t.Errorf("orgd login %s = %+v, want %d and %q", tt.flag, r, tt.code, tt.want)
			}
		})
	}
	r := user{dir: t.TempDir()}.start(t, "login", "--web", "--server", with.url)
	b := browser{t, newBrowser(t)}
	b.get(b.signsIn(r).String())
	r.ends(exitOK)
}

// BROWSER is called with the address.
func TestLoginOpensTheBrowser(t *testing.T) {
	s := serveWith(t, newProvider(t, eve()))
	dir := t.TempDir()
	script, opened := filepath.Join(dir, "browser"), filepath.Join(dir, "opened")
	if err := os.WriteFile(script, []byte("#!/bin/sh\necho \"$2\" >"+opened+".new && mv "+opened+".new "+opened+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	u := user{dir: t.TempDir(), interactive: true, vars: []string{"BROWSER=" + filepath.Join(dir, "none") + ":" + script + " --new"}}
	r := u.start(t, "login", "--server", s.url)
	r.shows(r.stderr, "which opens")
	address := startForm.FindString(r.stderr.String())
	text, err := os.ReadFile(opened)
	for end := time.Now().Add(deadline); err != nil && time.Now().Before(end); text, err = os.ReadFile(opened) {
		time.Sleep(2 * time.Millisecond)
	}
	if got := strings.TrimSpace(string(text)); err != nil || got != address {
		t.Errorf("the browser opens %q, %v, want %q", got, err, address)
	}
	r.interrupt()
	r.ends(130)
}
