// Package module builds copies of the module, which have another path.
package module

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// root is the directory of the module.
var root = filepath.Join("..", "..")

// TestModule gives a copy of the module another path and builds it: its programs, its
// packages, and a program elsewhere that needs the client and no other module.
func TestModule(t *testing.T) {
	files, err := exec.Command("git", "-C", root, "ls-files").Output()
	if err != nil {
		t.Skipf("the files of the module are not known: git ls-files: %v", err)
	}
	dir := t.TempDir()
	for file := range strings.Lines(string(files)) {
		file = strings.TrimSuffix(file, "\n")
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(dir, "orgd", file), string(content))
	}
	run(t, filepath.Join(dir, "orgd"), "bash", ".ci/module", "example.com/acme/orgd")
	run(t, filepath.Join(dir, "orgd"), "go", "build", "./...")
	// The linker ignores a variable that it does not find, so the build is asked for it.
	run(t, filepath.Join(dir, "orgd"), "make", "build", "VERSION=1.2.3-copy")
	if version := run(t, filepath.Join(dir, "orgd"), "./bin/orgd", "version"); !strings.Contains(version, "1.2.3-copy") {
		t.Errorf("the version of a build of the copy is %q, want 1.2.3-copy", version)
	}

	user := filepath.Join(dir, "user")
	write(t, filepath.Join(user, "go.mod"), `module example.com/user

go 1.26.0

require example.com/acme/orgd/client v0.0.0

replace example.com/acme/orgd/client => ../orgd/client
`)
	write(t, filepath.Join(user, "main.go"), `package main

import "example.com/acme/orgd/client"

func main() { client.New(client.Config{BaseURL: "http://127.0.0.1:8080"}) }
`)
	run(t, user, "go", "mod", "tidy")
	run(t, user, "go", "build", "-o", os.DevNull, ".")
	if all := run(t, user, "go", "list", "-m", "-f", "{{.Path}}", "all"); all != "example.com/user\nexample.com/acme/orgd/client\n" {
		t.Errorf("the program needs these modules, want the client alone:\n%s", all)
	}
	if sums, err := os.ReadFile(filepath.Join(user, "go.sum")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the program has check sums of modules: %v\n%s", err, sums)
	}
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

func run(t *testing.T, dir, program string, args ...string) string {
	t.Helper()
	cmd := exec.Command(program, args...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, out)
	}
	return string(out)
}
