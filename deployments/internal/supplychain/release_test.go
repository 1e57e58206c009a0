package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"orgd/test/gittest"
)

// A release is of a commit that has its tag, and of nothing else.
func TestReleaseRefuses(t *testing.T) {
	script, err := filepath.Abs("../../../.ci/release")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(script)
	if err != nil {
		t.Fatal(err)
	}
	gittest.Need(t)
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, ".ci"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, ".ci", "release"), text, 0o700); err != nil {
		t.Fatal(err)
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false", "-c", "tag.gpgsign=false"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "CHANGELOG.md"), []byte("## [1.1.0] - 2026-01-01\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	git("init", "--quiet")
	git("add", ".")
	git("commit", "--quiet", "--message", "first")
	git("tag", "v1.0.0")
	git("commit", "--quiet", "--allow-empty", "--message", "second")
	git("tag", "v1.1.0")
	git("tag", "v1.2.0")
	for _, test := range []struct{ version, want string }{
		{"", "name the version as in v1.2.3"},
		{"1.1.0", "name the version as in v1.2.3"},
		{"v1.1.0/../x", "name the version as in v1.2.3"},
		{"v1.0.0", "v1.0.0 is not a tag of this commit"},
		{"v9.9.9", "v9.9.9 is not a tag of this commit"},
		{"v1.1.0 linux/amd64", "a release is for all systems"},
		{"v1.2.0", "CHANGELOG.md has no section for 1.2.0"},
	} {
		refused(t, dir, test.version, test.want)
	}
	if err := os.WriteFile(filepath.Join(dir, "change"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	refused(t, dir, "v1.1.0", "the tree has changes that are not committed")
}

func refused(t *testing.T, dir, args, want string) {
	t.Helper()
	cmd := exec.Command(filepath.Join(dir, ".ci", "release"), strings.Fields(args)...)
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), want) {
		t.Errorf(".ci/release %s = %v, %s, want %q", args, err, out, want)
	}
}
