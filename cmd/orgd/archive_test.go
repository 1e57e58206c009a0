package main

import (
	"io"
	"os"
	"strings"
	"testing"

	"orgd/adapters/archivefile"
	"orgd/cmd/orgd/internal/terminal"
)

// An archive that was made beside the running service brings everything to another data
// directory, where tokens of the old key go on working.
func TestArchive(t *testing.T) {
	t.Chdir(t.TempDir())
	s := serve(t, false, "--data-dir", "data")
	token := readSecret(t, "data/admin.token")
	if status, body := call(t, "POST", s.url+"/api/v1/departments", token, `{"name":"Design"}`); status != 201 {
		t.Fatalf("POST /departments = %d %s, want 201", status, body)
	}
	if status, body := call(t, "POST", s.url+"/api/v1/webhooks", token, `{"url":"https://example.com/orgd"}`); status != 201 {
		t.Fatalf("POST /webhooks = %d %s, want 201", status, body)
	}
	r := command(t, nil, "archive", "create", "--data-dir", "data", "pilot")
	if r.code != exitOK || !strings.Contains(r.stderr, "1 departments") || !strings.Contains(r.stderr, "--passphrase-file") {
		t.Fatalf("orgd archive create = %+v", r)
	}
	if info, err := os.Stat("pilot"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("pilot = %v, %v, want mode 0600", info, err)
	}
	for what, args := range map[string][]string{
		"file exists":            {"create", "--data-dir", "data", "pilot"},
		"in use":                 {"restore", "--data-dir", "data", "pilot"},
		"no such file":           {"restore", "--data-dir", "other", "missing"},
		"no data directory":      {"create", "--data-dir", "nothing", "x"},
		"the file is no archive": {"check", "data/admin.token"},
		"no file or directory":   {"create", "--data-dir", "data", "--passphrase-file", "missing", "x"},
	} {
		if r := command(t, nil, append([]string{"archive"}, args...)...); r.code != exitFailure || r.stderr == "" {
			t.Errorf("orgd archive of what has %s = %+v, want 1 and the reason", what, r)
		} else {
			t.Log(r.stderr)
		}
	}
	s.stop()
	if r := command(t, nil, "archive", "restore", "--data-dir", "data", "pilot"); r.code != exitFailure || !strings.Contains(r.stderr, "not empty") {
		t.Errorf("orgd archive restore over a directory = %+v, want 1 and the reason", r)
	}
	if r := command(t, nil, "archive", "restore", "--data-dir", "other", "pilot"); r.code != exitOK || !strings.Contains(r.stderr, "disabled") {
		t.Fatalf("orgd archive restore = %+v", r)
	}
	if err := os.Link("data/signing.key", "other/signing.key"); err != nil {
		t.Fatal(err)
	}
	checkRestored(t, "other", token)
}

// The secrets of webhooks come along with a passphrase, through a pipe as well.
func TestArchiveWithSecrets(t *testing.T) {
	t.Chdir(t.TempDir())
	s := serve(t, false, "--data-dir", "data")
	token := readSecret(t, "data/admin.token")
	if status, body := call(t, "POST", s.url+"/api/v1/webhooks", token, `{"url":"https://example.com/orgd"}`); status != 201 {
		t.Fatalf("POST /webhooks = %d %s, want 201", status, body)
	}
	if err := os.WriteFile("passphrase", []byte("open sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	secret := []string{"ORGD_ARCHIVE_PASSPHRASE_FILE=passphrase"}
	text := command(t, secret, "archive", "create", "--data-dir", "data", "-").stdout
	var stderr output
	in := terminal.Terminal{Getenv: env(secret...), Stdin: strings.NewReader(text), Stdout: &output{}, Stderr: &stderr}
	if code := run(t.Context(), []string{"archive", "restore", "--data-dir", "other", "-"}, in); code != exitOK || strings.Contains(stderr.String(), "disabled") {
		t.Fatalf("orgd archive restore - = %d %s, want 0", code, stderr.String())
	}
	err := archivefile.Decompress(strings.NewReader(text), func(r io.Reader) error {
		lines, err := io.ReadAll(r)
		if !strings.HasPrefix(string(lines), `{"orgd_archive":1,`) || strings.Contains(string(lines), "whsec_") {
			t.Errorf("the archive has %.100s, want lines without a secret", lines)
		}
		return err
	})
	if err != nil {
		t.Errorf("Decompress = %v", err)
	}
}
