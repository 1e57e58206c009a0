// Package process starts the real program for black-box tests, and ends it: in
// good order, or as a power cut would.
package process

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build compiles the program into dir and returns its path. If the environment
// variable ORGD_TEST_BINARY names a program, that one is used instead: one that
// was built with the race detector, for example, which needs more memory and
// time than tests of these allow.
func Build(dir string) (string, error) {
	if ready := os.Getenv("ORGD_TEST_BINARY"); ready != "" {
		return filepath.Abs(ready)
	}
	path := filepath.Join(dir, "orgd")
	out, err := exec.Command("go", "build", "-o", path, "orgd/cmd/orgd").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return path, nil
}

// Token makes a token of role admin for a data directory, which is created if
// it is missing. It works before, while and after the service uses it.
func Token(ctx context.Context, binary, dir, subject string) (string, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", err
	}
	cmd := exec.CommandContext(ctx, binary, "token", "create", "--data-dir", dir, "--role", "admin", "--subject", subject)
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("orgd token create: %w\n%s", err, problem.Bytes())
	}
	return string(bytes.TrimSpace(out)), nil
}
