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

func TestLoginLinkRefuses(t *testing.T) {
	data := t.TempDir()
	s := serve(t, false, "--data-dir", data, "--no-console")
	token := newToken(t, data, "ann")
	for name, tt := range map[string]struct {
		server string
		want   string
		code   int
	}{
		"another machine": {"https://orgd.example.com", "--link: https://orgd.example.com is not on this machine", exitUsage},
		"another address": {"http://192.0.2.7:8080", "is not on this machine", exitUsage},
		"every address":   {"http://0.0.0.0:8080", "is not on this machine", exitUsage},
		"no console":      {s.url, "serves no console", exitFailure},
	} {
		t.Run(name, func(t *testing.T) {
			r := user{dir: t.TempDir(), vars: []string{"ORGD_SERVER=" + tt.server, "ORGD_TOKEN=" + token}}.types(t, "", "login", "--link")
			if r.code != tt.code || r.stdout != "" || !strings.Contains(r.stderr, tt.want) {
				t.Errorf("orgd login --link = %+v, want %d and %q", r, tt.code, tt.want)
			}
		})
	}
}
