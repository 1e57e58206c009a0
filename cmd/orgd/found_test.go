package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"orgd/cmd/orgd/internal/remote"
)

// spy is a service that notes which tokens it gets.
type spy struct {
	url    string
	mu     sync.Mutex
	tokens []string
}

func newSpy(t *testing.T) *spy {
	t.Helper()
	s := &spy{}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if token := r.Header.Get("Authorization"); token != "" {
			s.tokens = append(s.tokens, strings.TrimPrefix(token, "Bearer "))
		}
		w.Header().Set("Content-Type", "application/json")
		if strings.HasSuffix(r.URL.Path, "/auth/me") {
			fmt.Fprint(w, `{"data":{"subject":"spy","role":"admin","departments":[],"session_id":"s","issued_at":"2026-01-01T00:00:00Z","expires_at":"2027-01-01T00:00:00Z"}}`)
			return
		}
		fmt.Fprint(w, `{"data":{"status":"ok","version":"1","uptime_seconds":1}}`)
	}))
	t.Cleanup(server.Close)
	s.url = server.URL
	return s
}

func (s *spy) got() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Compact(s.tokens)
}

// A service that only a directory names gets the token of this directory and no
// other, and only if nobody else can have written there.
func TestTokensForAFoundService(t *testing.T) {
	notSent := func(of string) string {
		return "the token of " + of + " is not sent to URL, which only the directory data names; give --server or ORGD_SERVER with it, or leave it out to use that of data/admin.token"
	}
	for name, tt := range map[string]struct {
		vars   []string
		args   []string
		change func(dir string) error
		code   int
		want   string   // what standard error says; URL stands for that of the service
		tokens []string // that the service gets
	}{
		"none is given":               {tokens: []string{"found"}},
		"ORGD_TOKEN":                  {vars: []string{"ORGD_TOKEN=given"}, code: exitUsage, want: notSent("ORGD_TOKEN")},
		"--token":                     {args: []string{"--token", "given"}, code: exitUsage, want: notSent("--token")},
		"ORGD_TOKEN and a server":     {vars: []string{"ORGD_TOKEN=given", "ORGD_SERVER=URL"}, tokens: []string{"given"}},
		"others write":                {change: chmod(0o777), code: exitUsage, want: "others may write data (chmod go-w data), so it was not used; give --server or ORGD_SERVER"},
		"others write, but a server":  {vars: []string{"ORGD_SERVER=URL"}, change: chmod(0o777), code: exitUsage, want: "there is no token for URL: others may write data (chmod go-w data), so it was not used"},
		"others write, all are given": {vars: []string{"ORGD_TOKEN=given", "ORGD_SERVER=URL"}, change: chmod(0o777), tokens: []string{"given"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			s := newSpy(t)
			if err := os.Mkdir("data", 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join("data", "admin.token"), []byte("found\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			served, err := remote.MarkServed("data", s.url)
			if err != nil {
				t.Fatal(err)
			}
			defer served.Close()
			if tt.change != nil {
				if err := tt.change("data"); err != nil {
					t.Fatal(err)
				}
			}
			u := user{dir: t.TempDir()}
			for _, v := range tt.vars {
				u.vars = append(u.vars, strings.ReplaceAll(v, "URL", s.url))
			}
			r := u.types(t, "", append([]string{"whoami"}, tt.args...)...)
			want := strings.ReplaceAll(tt.want, "URL", s.url)
			if r.code != tt.code || !strings.Contains(r.stderr, want) || !slices.Equal(s.got(), tt.tokens) {
				t.Errorf("orgd whoami = %+v, and the service got %q; want %d, %q and %q", r, s.got(), tt.code, want, tt.tokens)
			}
		})
	}
}

func chmod(mode os.FileMode) func(string) error {
	return func(dir string) error { return os.Chmod(dir, mode) }
}
