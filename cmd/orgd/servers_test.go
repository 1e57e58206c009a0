package main

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"orgd/test/process"
)

// A server that cannot be used is one line that names the setting, without the
// password, and the exit code says that it failed.
func TestServersThatCannotBeUsed(t *testing.T) {
	uri := filepath.Join(t.TempDir(), "uri")
	if err := os.WriteFile(uri, []byte("mongodb://ann:s3cret@"+process.FreeAddr(t)), 0o600); err != nil {
		t.Fatal(err)
	}
	keys := []string{"ORGD_SIGNING_KEY_FILE=signing.key", "ORGD_CURSOR_KEY_FILE=cursor.key"}
	mongo := append([]string{"ORGD_STORAGE=mongodb", "ORGD_MONGO_URI_FILE=" + uri}, keys...)
	for _, tc := range []struct {
		vars []string
		line string
		want string
	}{
		{mongo, "serve", "orgd: ORGD_MONGO_URI_FILE: no server can be used: 127.0.0.1:"},
		{mongo, "config check", "orgd: ORGD_MONGO_URI_FILE: no server can be used: 127.0.0.1:"},
		{mongo, "migrate", "orgd: ORGD_MONGO_URI_FILE: no server can be used: 127.0.0.1:"},
		{append([]string{"ORGD_STORAGE=mongodb"}, keys...), "serve --mongo-uri mongodb+srv://nobody.invalid", "orgd: --mongo-uri: does not lead to a MongoDB deployment"},
		{nil, "serve --redis-addr redis.invalid", "orgd: --redis-addr: there is no host redis.invalid"},
		{nil, "config check --redis-addr redis.invalid", "orgd: --redis-addr: there is no host redis.invalid"},
		{nil, "config check --redis-addr " + process.FreeAddr(t), "orgd: --redis-addr: cannot be used now: dial tcp 127.0.0.1:"},
		{nil, "serve --redis-addr rediss://host --redis-tls-ca /does/not/exist", "orgd: --redis-tls-ca: open /does/not/exist: no such file or directory"},
	} {
		t.Run(tc.line, func(t *testing.T) {
			t.Parallel()
			begun := time.Now()
			r := command(t, append(tc.vars, "ORGD_DATA_DIR="+filepath.Join(t.TempDir(), "data")), strings.Fields(tc.line)...)
			lines := strings.Split(strings.TrimSpace(r.stderr), "\n") // those before the last are the log
			if r.code != exitFailure || !strings.HasPrefix(lines[len(lines)-1], tc.want) || strings.Count(r.stderr, "orgd: ") != 1 || strings.Contains(r.stderr, "s3cret") {
				t.Errorf("orgd %s = %d, %q, want %d and a line that begins with %q", tc.line, r.code, r.stderr, exitFailure, tc.want)
			}
			if took := time.Since(begun); took > 20*time.Second {
				t.Errorf("orgd %s took %v", tc.line, took)
			}
		})
	}
}

func TestConfigCheckOffline(t *testing.T) {
	out := must(t, []string{"ORGD_REDIS_ADDR=" + process.FreeAddr(t)}, "config", "check", "--offline")
	if !strings.Contains(out, "redis-addr: 127.0.0.1:") {
		t.Errorf("orgd config check --offline = %s, want the configuration", out)
	}
}

// A Redis that is lost is no reason not to serve: the limits are local then, and
// everybody who asks is told.
func TestServeWithoutRedis(t *testing.T) {
	s := serve(t, false, "--data-dir", filepath.Join(t.TempDir(), "data"), "--redis-addr", process.FreeAddr(t))
	code, body := call(t, http.MethodGet, s.url+"/api/v1/readyz", "", "")
	if code != http.StatusOK || !strings.Contains(body, `"shared_limits":false`) {
		t.Errorf("GET /readyz = %d %s, want 200 and shared_limits false", code, body)
	}
	if log := s.stderr.String(); !strings.Contains(log, "limits are not shared") {
		t.Errorf("the log does not say that limits are not shared:\n%s", log)
	}
}

// A server that is still on its way is waited for, as long as was said.
func TestMigrateWaits(t *testing.T) {
	t.Parallel() // it waits
	begun := time.Now()
	r := command(t, nil, "migrate", "--storage", "mongodb", "--mongo-uri", "mongodb://"+process.FreeAddr(t), "--wait", "4s")
	if took := time.Since(begun); r.code != exitFailure || took < 3*time.Second || took > time.Minute || !strings.Contains(r.stderr, "waiting for MongoDB") {
		t.Errorf("orgd migrate --wait 4s = %+v after %v, want it to wait", r, took)
	}
}
