package main

import (
	"encoding/base64"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"orgd/test/process"
)

// claims reads what a token says.
func claims(t *testing.T, token string) map[string]any {
	t.Helper()
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		t.Fatalf("%q is not a token", token)
	}
	text, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(text, &all); err != nil {
		t.Fatal(err)
	}
	return all
}

// The token is all that is printed, so that a script can take it as it is.
func TestTokenCreate(t *testing.T) {
	dir := t.TempDir()
	r := command(t, nil, "token", "create", "--data-dir", dir, "--role", "department_admin", "--subject", "bob",
		"--ttl", "1h", "--departments", "Design,Research", "--label", "nightly reports")
	if r.code != exitOK || r.stderr != "" || !strings.HasSuffix(r.stdout, "\n") || strings.Count(r.stdout, "\n") != 1 {
		t.Fatalf("orgd token create = %+v, want one line on standard output only", r)
	}
	got := claims(t, strings.TrimSpace(r.stdout))
	if ttl := got["exp"].(float64) - got["iat"].(float64); ttl != time.Hour.Seconds() {
		t.Errorf("exp - iat = %v, want 3600", ttl)
	}
	want := map[string]any{"role": "department_admin", "sub": "bob", "iss": "orgd", "departments": []any{"Design", "Research"}, "label": "nightly reports"}
	for name := range got {
		if _, ok := want[name]; !ok {
			delete(got, name)
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("claims (-want +got):\n%s", diff)
	}
	readSecret(t, filepath.Join(dir, "signing.key"))
}

// A token works on a running service, whether it was made before the first
// start or beside the service.
func TestTokenCreateForService(t *testing.T) {
	dir := t.TempDir()
	create := []string{"token", "create", "--data-dir", dir, "--role", "editor", "--subject", "ann"}
	before := must(t, nil, create...)
	s := serve(t, false, "--data-dir", dir)
	for when, token := range map[string]string{"before": before, "beside": must(t, nil, create...)} {
		if status, body := call(t, "GET", s.url+"/api/v1/auth/me", strings.TrimSpace(token), ""); status != 200 {
			t.Errorf("GET /auth/me with a token made %s = %d %s, want 200", when, status, body)
		}
	}
	readSecret(t, filepath.Join(dir, "admin.token")) // it was a first start all the same
}

// Where the signing key is not, the service makes the token.
func TestTokenCreateElsewhere(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, false, "--data-dir", dir)
	admin := []string{"ORGD_TOKEN=" + readSecret(t, filepath.Join(dir, "admin.token")), "ORGD_DATA_DIR=" + t.TempDir()}
	asked := []string{"token", "create", "--server", s.url, "--role", "reporter", "--subject", "ci", "--ttl", "1h", "--label", "nightly"}
	token := strings.TrimSpace(must(t, admin, asked...))
	if got := claims(t, token); got["sub"] != "ci" || got["role"] != "reporter" || got["label"] != "nightly" || got["exp"].(float64)-got["iat"].(float64) != 3600 {
		t.Errorf("the token says %v", got)
	}
	if status, body := call(t, "GET", s.url+"/api/v1/auth/me", token, ""); status != 200 {
		t.Errorf("GET /auth/me = %d %s, want 200", status, body)
	}
	if r := command(t, []string{"ORGD_TOKEN=" + token}, asked...); r.code != exitFailure || r.stdout != "" {
		t.Errorf("with a token that may not: %+v, want a failure", r)
	}
}

// A token that was not made is no empty file.
func TestRemoveEmpty(t *testing.T) {
	for text, stays := range map[string]bool{"": false, "x": true} {
		f, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		_, _ = f.WriteString(text)
		removeEmpty(f)
		if _, err := os.Stat(f.Name()); (err == nil) != stays {
			t.Errorf("a file with %q: %v, want that it stays: %t", text, err, stays)
		}
		f.Close()
	}
}

func TestTokenCreateWithKeyFile(t *testing.T) {
	dir := t.TempDir()
	first := must(t, nil, "token", "create", "--data-dir", dir, "--role", "admin", "--subject", "ann")
	key := filepath.Join(dir, "signing.key")
	second := must(t, []string{"ORGD_SIGNING_KEY_FILE=" + key, "ORGD_STORAGE=mongodb"}, "token", "create", "--role", "admin", "--subject", "ann")
	head := func(token string) string { h, _, _ := strings.Cut(token, "."); return h }
	if head(first) != head(second) {
		t.Errorf("the tokens name different keys: %s and %s", first, second)
	}
}

func TestTokenCreateWithoutKey(t *testing.T) {
	missing := filepath.Join(t.TempDir(), "typo")
	damaged := t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "signing.key"), []byte("secret text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for dir, want := range map[string]string{missing: "there is no data directory", damaged: "signing.key"} {
		r := command(t, nil, "token", "create", "--data-dir", dir, "--role", "admin", "--subject", "ann")
		if r.code != exitFailure || r.stdout != "" || !strings.Contains(r.stderr, want) || strings.Contains(r.stderr, "secret text") {
			t.Errorf("orgd token create in %s = %+v, want 1 and %q", dir, r, want)
		}
	}
	if _, err := os.Stat(missing); err == nil {
		t.Error("orgd token create makes a directory")
	}
	r := command(t, []string{"ORGD_STORAGE=mongodb"}, "token", "create", "--role", "admin", "--subject", "ann")
	if want := "--signing-key-file: is required"; r.code != exitFailure || !strings.Contains(r.stderr, want) {
		t.Errorf("orgd token create for MongoDB without a key = %+v, want 1 and %q", r, want)
	}
}

func TestTokenListAndRevoke(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, false, "--data-dir", dir)
	admin := readSecret(t, filepath.Join(dir, "admin.token"))
	vars := []string{"ORGD_SERVER=" + s.url + "/", "ORGD_TOKEN_FILE=" + filepath.Join(dir, "admin.token")}
	bob := strings.TrimSpace(must(t, nil, "token", "create", "--data-dir", dir, "--role", "department_admin", "--subject", "bob", "--departments", "Design", "--label", "nightly reports"))
	if status, _ := call(t, "GET", s.url+"/api/v1/auth/me", bob, ""); status != 200 {
		t.Fatalf("GET /auth/me = %d, want 200", status)
	}
	list := must(t, vars, "token", "list")
	sid := claims(t, bob)["sid"].(string)
	for _, want := range []string{sid, "bob", "department_admin", "Design", "good", "token", "nightly reports", "LAST USED", claims(t, admin)["sid"].(string)} {
		if !strings.Contains(list, want) {
			t.Errorf("orgd token list lacks %s:\n%s", want, list)
		}
	}
	if r := command(t, vars, "token", "revoke", sid, sid+"0"); r.code != exitOK || strings.Count(r.stderr, "is revoked") != 2 || strings.Count(r.stderr, "No request has come from it") != 1 {
		t.Errorf("orgd token revoke of a session and of one that nobody has used = %+v, want that said of the second", r)
	}
	if status, body := call(t, "GET", s.url+"/api/v1/auth/me", bob, ""); status != 401 {
		t.Errorf("GET /auth/me with a revoked token = %d %s, want 401", status, body)
	}
	if list := must(t, vars, "token", "list", "-o", "json"); !strings.Contains(list, `"revoked_at": "2`) {
		t.Errorf("orgd token list -o json does not show the revocation:\n%s", list)
	}
	if list := must(t, vars, "token", "list"); !strings.Contains(list, "revoked") {
		t.Errorf("orgd token list does not show the revocation:\n%s", list)
	}
	if r := command(t, []string{"ORGD_TOKEN=" + bob, "ORGD_SERVER=" + s.url}, "token", "list"); r.code != exitFailure || !strings.Contains(r.stderr, "revoked") {
		t.Errorf("orgd token list with a revoked token = %+v, want 1 and the reason", r)
	}
}

func TestTokenListWithoutService(t *testing.T) {
	t.Parallel() // it waits
	r := command(t, []string{"ORGD_TOKEN=x", "ORGD_SERVER=http://" + process.FreeAddr(t)}, "token", "list")
	if r.code != exitFailure || r.stdout != "" || !strings.Contains(r.stderr, "no service answers at") {
		t.Errorf("orgd token list without a service = %+v, want 1 and the reason", r)
	}
}
