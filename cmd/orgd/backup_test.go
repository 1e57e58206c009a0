package main

import (
	"database/sql"
	"os"
	"path/filepath"
	"strings"
	"testing"

	_ "modernc.org/sqlite"

	"orgd/cmd/orgd/internal/terminal"
)

// A backup that was made beside the running service brings everything back, the
// keys included.
func TestBackupAndRestore(t *testing.T) {
	t.Chdir(t.TempDir()) // names are relative, as people type them
	s := serve(t, false, "--data-dir", "data")
	token := readSecret(t, "data/admin.token")
	if status, body := call(t, "POST", s.url+"/api/v1/departments", token, `{"name":"Design"}`); status != 201 {
		t.Fatalf("POST /departments = %d %s, want 201", status, body)
	}
	must(t, nil, "backup", "--data-dir", "data", "saved.orgd")
	if status, body := call(t, "POST", s.url+"/api/v1/departments", token, `{"name":"Late"}`); status != 201 {
		t.Fatalf("POST /departments = %d %s, want 201", status, body)
	}
	if info, err := os.Stat("saved.orgd"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("saved.orgd = %v, %v, want mode 0600", info, err)
	}
	if r := command(t, nil, "backup", "--data-dir", "data", "saved.orgd"); r.code != exitFailure || !strings.Contains(r.stderr, "exists") {
		t.Errorf("orgd backup over a file = %+v, want 1 and the reason", r)
	}
	if r := command(t, nil, "restore", "--data-dir", "data", "saved.orgd"); r.code != exitFailure || !strings.Contains(r.stderr, "in use") {
		t.Errorf("orgd restore beside the service = %+v, want 1 and the reason", r)
	}
	s.stop()
	if r := command(t, nil, "restore", "--data-dir", "data", "saved.orgd"); r.code != exitFailure || !strings.Contains(r.stderr, "--force") {
		t.Errorf("orgd restore over a directory = %+v, want 1 and a hint", r)
	}
	for dir, force := range map[string][]string{"other": nil, "data": {"--force"}} {
		must(t, nil, append([]string{"restore", "--data-dir", dir, "saved.orgd"}, force...)...)
		checkRestored(t, dir, token)
	}
	if _, err := os.Stat("other/admin.token"); err == nil {
		t.Error("the start after a restore makes a token although there are good ones")
	}
}

// TestCheck examines a directory beside the service, and one in which a bit was flipped.
func TestCheck(t *testing.T) {
	dir := t.TempDir()
	s := serve(t, false, "--data-dir", dir)
	token := readSecret(t, filepath.Join(dir, "admin.token"))
	for _, c := range [][3]string{
		{"POST", "/departments", `{"name":"Design"}`},
		{"POST", "/agents", `{"name":"Ada","role":"Engineer","department":"Design","model_provider":"any","model_id":"large-1"}`},
		{"PATCH", "/agents/Ada", `{"role":"Chief"}`},
		{"PATCH", "/agents/Ada", `{"role":"Advisor"}`},
	} {
		if status, body := call(t, c[0], s.url+"/api/v1"+c[1], token, c[2]); status >= 300 {
			t.Fatalf("%s %s = %d %s", c[0], c[1], status, body)
		}
	}
	if r := command(t, nil, "check", "--data-dir", dir); r.code != 0 || !strings.Contains(r.stderr, "is intact: all 3 versions") {
		t.Errorf("orgd check = %+v, want that all is well", r)
	}
	s.stop()
	file, err := sql.Open("sqlite", filepath.Join(dir, "orgd.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.Exec("UPDATE versions SET packed = unhex('01ffff7f') WHERE number = 2"); err != nil {
		t.Fatal(err)
	}
	r := command(t, nil, "check", "--data-dir", dir)
	if r.code != exitFailure || !strings.Contains(r.stdout, "version 1 is damaged") || !strings.Contains(r.stderr, "restore the last backup") {
		t.Errorf("orgd check of a damaged directory = %+v, want 1, the version and the cure", r)
	}
	var page, size int64
	if err := file.QueryRow("SELECT rootpage, page_size FROM sqlite_schema, pragma_page_size WHERE name = 'versions'").Scan(&page, &size); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	raw, err := os.OpenFile(filepath.Join(dir, "orgd.db"), os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer raw.Close()
	if _, err := raw.WriteAt([]byte{7, 7, 7}, (page-1)*size); err != nil {
		t.Fatal(err)
	}
	r = command(t, nil, "check", "--data-dir", dir)
	if r.code != exitFailure || !strings.Contains(r.stdout, "the database is damaged") || !strings.Contains(r.stderr, "restore the last backup") {
		t.Errorf("orgd check of a page that cannot be read = %+v, want 1, what was found and the cure", r)
	}
	if _, err := raw.WriteAt([]byte("nothing like SQLite"), 0); err != nil {
		t.Fatal(err)
	}
	if r := command(t, nil, "check", "--data-dir", dir); r.code != exitFailure || strings.Count(r.stderr, "is not a database") != 1 {
		t.Errorf("orgd check of another file = %+v, want 1 and one sentence", r)
	}
	if r := command(t, nil, "check", "--data-dir", t.TempDir()); r.code != exitFailure || !strings.Contains(r.stderr, "there is no database") {
		t.Errorf("orgd check of an empty directory = %+v, want 1 and that there is no database", r)
	}
}

func checkRestored(t *testing.T, dir, token string) {
	t.Helper()
	s := serve(t, false, "--data-dir", dir)
	defer s.stop()
	status, body := call(t, "GET", s.url+"/api/v1/departments", token, "")
	if status != 200 || !strings.Contains(body, `"Design"`) || strings.Contains(body, `"Late"`) {
		t.Errorf("GET /departments after a restore = %d %s, want the state of the backup", status, body)
	}
}

// A backup can go through a pipe: what comes out of one command goes into another one.
func TestBackupThroughAPipe(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", t.TempDir())
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	serve(t, false, "--data-dir", from).stop()
	archive := must(t, nil, "backup", "--data-dir", from, "-")
	var stderr output
	in := terminal.Terminal{Getenv: env(), Stdin: strings.NewReader(archive), Stdout: &output{}, Stderr: &stderr}
	if code := run(t.Context(), []string{"restore", "--data-dir", to, "-"}, in); code != exitOK || !strings.Contains(stderr.String(), "Restored standard input into "+to) {
		t.Fatalf("orgd restore - = %d %s, want 0", code, stderr.String())
	}
	s := serve(t, false, "--data-dir", to)
	token := readSecret(t, filepath.Join(from, "admin.token"))
	if status, body := call(t, "GET", s.url+"/api/v1/departments", token, ""); status != 200 {
		t.Errorf("GET /departments after a restore = %d %s, want 200", status, body)
	}
	if left, err := os.ReadDir(os.TempDir()); len(left) > 0 || err != nil {
		t.Errorf("TMPDIR = %v, %v, want nothing left", left, err)
	}
}

func TestBackupNamesKeysThatItLacks(t *testing.T) {
	dir, keys := t.TempDir(), t.TempDir()
	must(t, nil, "token", "create", "--data-dir", keys, "--role", "admin", "--subject", "ann")
	key := filepath.Join(keys, "signing.key")
	serve(t, false, "--data-dir", dir, "--signing-key-file", key).stop()
	r := command(t, []string{"ORGD_SIGNING_KEY_FILE=" + key}, "backup", "--data-dir", dir, filepath.Join(keys, "saved"))
	if r.code != exitOK || !strings.Contains(r.stderr, "Not in it: the key file "+key) {
		t.Errorf("orgd backup = %+v, want it to name %s", r, key)
	}
}

func TestMigrate(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "data")
	r := command(t, nil, "migrate", "--data-dir", dir)
	if r.code != exitOK || r.stdout != "" || !strings.Contains(r.stderr, "has schema version") {
		t.Errorf("orgd migrate = %+v, want the version on standard error", r)
	}
	serve(t, false, "--data-dir", dir)
	readSecret(t, filepath.Join(dir, "admin.token")) // nobody had a token before
}

// A command for data directories refuses to look at one while the storage is a MongoDB.
func TestDirectoryIsNotTheStorage(t *testing.T) {
	t.Chdir(t.TempDir())
	s := serve(t, false, "--data-dir", "data")
	s.stop()
	file := filepath.Join(t.TempDir(), "orgd.yaml")
	if err := os.WriteFile(file, []byte("storage: mongodb\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"backup saved.orgd", "check", "restore saved.orgd"} {
		args := strings.Fields(line)
		for name, r := range map[string]result{
			"ORGD_STORAGE: ": command(t, []string{"ORGD_STORAGE=mongodb"}, args...),
			"storage: ":      command(t, nil, append(args, "--config", file)...),
		} {
			if r.code != exitUsage || !strings.Contains(r.stderr, name) || !strings.Contains(r.stderr, "is mongodb, and this command is for a data directory: ") {
				t.Errorf("orgd %s with a MongoDB in %s = %+v, want 2 and the reason", line, name, r)
			}
		}
	}
	if _, err := os.Stat("saved.orgd"); err == nil {
		t.Error("a refused backup was written")
	}
}
