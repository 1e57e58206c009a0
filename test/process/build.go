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
	"slices"
)

// Build compiles the program into dir and returns its path. If the environment
// variable ORGD_TEST_BINARY names a program, that one is used instead: one that
// was built with the race detector, for example, which needs more memory and
// time than tests of these allow.
func Build(dir string) (string, error) {
	return Program("ORGD_TEST_BINARY", filepath.Join(dir, "orgd"), "orgd/cmd/orgd")
}

// BuildFailing does so for a program that kills itself at the point that the
// environment variable ORGD_FAILPOINT names. The one that is ready is in ORGD_TEST_FAILING.
func BuildFailing(dir string) (string, error) {
	return Program("ORGD_TEST_FAILING", filepath.Join(dir, "orgd-failpoints"), "orgd/cmd/orgd", "-tags=failpoints")
}

// Program is the path of the program that an environment variable names. If there is none, that of
// a package is built at a path, with more flags of go build.
func Program(variable, path, pkg string, flags ...string) (string, error) {
	if ready := os.Getenv(variable); ready != "" {
		return filepath.Abs(ready)
	}
	args := slices.Concat([]string{"build"}, flags, []string{"-ldflags=-s -w", "-o", path, pkg})
	if out, err := exec.Command("go", args...).CombinedOutput(); err != nil {
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
	return Run(ctx, binary, "token", "create", "--data-dir", dir, "--role", "admin", "--subject", subject)
}

// Run runs a command of the program and returns what it prints on standard
// output, without white space around it.
func Run(ctx context.Context, binary string, args ...string) (string, error) {
	out, err := Output(exec.CommandContext(ctx, binary, args...))
	if err != nil {
		return "", fmt.Errorf("orgd %s: %w", args[0], err)
	}
	return out, nil
}

// Output runs any command and returns what it prints on standard output, without
// white space around it. The error has what it prints on standard error, and not
// the arguments, which may be secret.
func Output(cmd *exec.Cmd) (string, error) {
	var problem bytes.Buffer
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%w\n%s", err, problem.Bytes())
	}
	return string(bytes.TrimSpace(out)), nil
}
