package main

import (
	"strings"
	"testing"
)

func TestProfiles(t *testing.T) {
	data := t.TempDir()
	s := serve(t, false, "--data-dir", data)
	u := user{dir: t.TempDir(), vars: []string{"ORGD_PROFILE=b"}}
	if out := u.can(t, "profiles", "-o", "json"); out != "[]\n" {
		t.Errorf("orgd profiles = %q, want an empty list", out)
	}
	for _, name := range []string{"b", "a"} {
		token := newToken(t, data, "user-of-"+name)
		if r := u.types(t, token, "login", "--server", s.url, "--profile", name); r.code != exitOK {
			t.Fatalf("orgd login = %+v", r)
		}
		if got := u.subject(t, "--profile", name); got != "user-of-"+name {
			t.Errorf("orgd whoami --profile %s = %s", name, got)
		}
	}
	want := "PROFILE  SERVER  CURRENT\na " + s.url + "\nb " + s.url + " *\n"
	if out := u.can(t, "profiles"); strings.Join(strings.Fields(out), " ") != strings.Join(strings.Fields(want), " ") {
		t.Errorf("orgd profiles =\n%swant\n%s", out, want)
	}
	if out := u.can(t, "profiles", "-o", "json"); !strings.Contains(out, `"name": "b"`) || jwtForm.MatchString(out) {
		t.Errorf("orgd profiles -o json =\n%s", out)
	}
}
