package faults

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"orgd/test/api"
)

// tree reads the files of a directory.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		files[path] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestFullDiskKeepsTheFile: a command that writes a file which is there, and finds no room,
// fails and leaves it as it was, with nothing beside it.
func TestFullDiskKeepsTheFile(t *testing.T) {
	s := serve(t)
	defer s.terminate()
	c := s.client(1)
	must(t, c, api.Request{Method: http.MethodPost, Path: "/departments", Body: map[string]any{"name": department}}, nil)
	must(t, c, api.Request{Method: http.MethodPost, Path: "/agents", Body: map[string]any{"name": "Ada", "role": "Worker", "department": department, "instructions": "Work."}}, nil)
	for _, command := range []string{"export FILE", "export DIR/", "render --out DIR --for claude-code", "login --profile x"} {
		t.Run(command, func(t *testing.T) {
			home := t.TempDir()
			dir := filepath.Join(home, "dir")
			if err := os.MkdirAll(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			args := strings.NewReplacer("FILE", filepath.Join(home, "org.yaml"), "DIR", dir).Replace(command)
			run := func(limit string) (string, error) {
				cmd := exec.Command("sh", "-c", limit+" exec "+binary+" "+args)
				cmd.Env = append(os.Environ(), "ORGD_SERVER="+s.URL, "ORGD_TOKEN="+s.token, "HOME="+home, "XDG_CONFIG_HOME="+home)
				cmd.Stdin = strings.NewReader(s.token + "\n")
				out, err := cmd.CombinedOutput()
				return string(out), err
			}
			if out, err := run(""); err != nil {
				t.Fatalf("orgd %s = %v:\n%s", args, err, out)
			}
			before := tree(t, home)
			must(t, c, api.Request{Method: http.MethodPatch, Path: "/agents/Ada", Body: map[string]any{"role": command}}, nil)
			out, err := run("ulimit -f 0;")
			if err == nil {
				t.Errorf("orgd %s on a full disk = nil:\n%s", args, out)
			}
			after := tree(t, home)
			for path, text := range before {
				if after[path] != text {
					t.Errorf("orgd %s on a full disk: %s has %q, want %q", args, path, after[path], text)
				}
				delete(after, path)
			}
			if len(after) > 0 {
				t.Errorf("orgd %s on a full disk leaves %v", args, after)
			}
		})
	}
}
