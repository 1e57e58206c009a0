package main

import (
	"path/filepath"
	"strings"
	"testing"
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
