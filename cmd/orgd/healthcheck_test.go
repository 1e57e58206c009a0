package main

import (
	"path/filepath"
	"strings"
	"testing"

	"orgd"
)

func TestHealthcheck(t *testing.T) {
	s := serve(t, false, "--data-dir", filepath.Join(t.TempDir(), "data"))
	addr := strings.TrimPrefix(s.url, "http://")
	for _, args := range [][]string{{}, {"--live"}, {"--addr", addr}} {
		if r := command(t, []string{"ORGD_ADDR=" + addr}, append([]string{"healthcheck"}, args...)...); r.code != exitOK || r.stdout+r.stderr != "" {
			t.Errorf("orgd healthcheck %v = %+v, want success and silence", args, r)
		}
	}
	s.stop()
	if r := command(t, []string{"ORGD_ADDR=" + addr}, "healthcheck"); r.code != exitFailure || !strings.Contains(r.stderr, addr) {
		t.Errorf("orgd healthcheck without a service = %+v, want %d and the address", r, exitFailure)
	}
}

// An address that means all of a machine is no place to connect to.
func TestLocalURL(t *testing.T) {
	for addr, want := range map[string]string{
		"0.0.0.0:8080":   "http://localhost:8080",
		"[::]:8080":      "http://localhost:8080",
		":8080":          "http://localhost:8080",
		"127.0.0.1:8080": "http://127.0.0.1:8080",
		"orgd:8080":      "http://orgd:8080",
	} {
		if got := localURL(orgd.Default(), addr); got != want {
			t.Errorf("localURL(%s) = %s, want %s", addr, got, want)
		}
	}
}
