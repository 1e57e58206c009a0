package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"orgd/cmd/orgd/internal/config"
	"orgd/cmd/orgd/internal/terminal"
	"orgd/test/golden"
)

// Whoever types something wrong gets exit code 2, a reason on standard error,
// and nothing on standard output.
func TestUsage(t *testing.T) {
	var report strings.Builder
	for _, line := range []string{
		"srve",
		"serve --adress x",
		"serve extra",
		"serve --addr",
		"serve --addr nowhere --retention soon --limit agents.fly=1/1s",
		"serve --redis-addr redis://user@host --mongo-uri mongodb://host",
		"migrate --storage mongodb --mongo-uri host",
		"migrate --initiate",
		"config check --log-level loud --replicas 2",
		"token",
		"token create --role admin",
		"token create --role king --subject a|b --ttl 1w --departments .. --label a\u200bb",
		"token create --role agent --subject ann --ttl 31d",
		"token list --server nowhere",
		"token revoke",
		"login --for kim --role viewer",
		"login --link --label x",
		"login --link --for kim",
		"login --link --for kim --role viewer --ttl 8d",
		"whoami --output text",
		"get",
		"get agents --status gone",
		"get agents --limit -1",
		"get activities --last-n-hours 5",
		"get activities --after p0",
		"backup --data-dir x",
		"restore",
		"plan",
		"plan organization.yaml",
		"plan -f /does/not/exist.yaml --server nowhere",
		"plan -f org.yaml -o table",
		"apply -f -",
		"apply -f org.yaml --prune",
		"export -o xml",
		"import agents",
		"import agents --department .. --provider= --server nowhere /does/not/exist",
	} {
		r := command(t, nil, strings.Fields(line)...)
		if r.code != exitUsage || r.stdout != "" {
			t.Errorf("orgd %s = %d, %q, want %d and nothing on standard output", line, r.code, r.stdout, exitUsage)
		}
		fmt.Fprintf(&report, "$ orgd %s\n%s\n", line, r.stderr)
	}
	golden.File(t, "testdata/usage.txt", report.String())
}

func TestNoCommand(t *testing.T) {
	if r := command(t, nil); r.code != exitUsage || r.stdout != "" || !strings.Contains(r.stderr, "token create") {
		t.Errorf("orgd = %+v, want code 2 and the commands on standard error", r)
	}
}

// Every command explains itself, with an example where there is something to
// choose.
func TestHelp(t *testing.T) {
	parser, err := newParser(terminal.Terminal{}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	wanted := map[string]string{"": "ORGD_", "serve": "$ORGD_ADDR", "token": "create", "restore": "--force", "version": "Print the version", "schema": "JSON Schema"}
	for _, leaf := range parser.Model.Leaves(true) {
		line := strings.TrimPrefix(pathOf(leaf), "orgd ")
		if _, named := wanted[line]; !named {
			wanted[line] = "Example"
		}
	}
	for line, want := range wanted {
		r := command(t, nil, append(strings.Fields(line), "--help")...)
		if r.code != exitOK || r.stderr != "" || !strings.Contains(r.stdout, want) {
			t.Errorf("orgd %s --help = %+v, want %q on standard output", line, r, want)
		}
	}
}

func TestVersion(t *testing.T) {
	for _, args := range [][]string{{"version"}, {"--version"}} {
		if out := must(t, nil, args...); !strings.HasPrefix(out, "orgd ") || strings.Count(out, "\n") != 1 {
			t.Errorf("orgd %s = %q, want one line", args, out)
		}
	}
}

// Every setting has a flag and every flag of the service is a setting.
func TestFlagsAreSettings(t *testing.T) {
	parser, err := newParser(terminal.Terminal{}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	var settings []string
	for _, s := range config.Settings() {
		settings = append(settings, s.Name)
	}
	slices.Sort(settings)
	for _, name := range []string{"serve", "config check"} {
		flags := map[string]bool{}
		for _, level := range find(t, parser.Model.Node, name).AllFlags(false) {
			for _, f := range level {
				flags[f.Name] = true
			}
		}
		for _, name := range []string{"help", "config", "offline"} {
			delete(flags, name)
		}
		if diff := cmp.Diff(settings, slices.Sorted(maps.Keys(flags))); diff != "" {
			t.Errorf("flags of %s (-settings +flags):\n%s", name, diff)
		}
	}
}

func find(t *testing.T, node *kong.Node, command string) *kong.Node {
	t.Helper()
	for name := range strings.FieldsSeq(command) {
		i := slices.IndexFunc(node.Children, func(n *kong.Node) bool { return n.Name == name })
		if i < 0 {
			t.Fatalf("there is no command %s", command)
		}
		node = node.Children[i]
	}
	return node
}

func TestConfigCheck(t *testing.T) {
	file := filepath.Join(t.TempDir(), "orgd.yaml")
	if err := os.WriteFile(file, []byte("addr: 0.0.0.0:80\nlimits:\n  agents.create: 5/1s\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out := must(t, []string{"ORGD_READERS=3", "ORGD_REDIS_PASSWORD=secret"}, "config", "check", "--config", file, "--console", "--retention", "30d")
	for _, want := range []string{
		"addr: 0.0.0.0:80", "# " + file + ": addr", "readers: 3", "# ORGD_READERS", "console: true", "# --console",
		"retention: 30d", "agents.create: 5/1s", "agents.update: 120/1m", "redis-password: '***'", "data-dir: data", "# default",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("orgd config check lacks %q in:\n%s", want, out)
		}
	}
	if strings.Contains(out, "secret") {
		t.Errorf("orgd config check shows a secret:\n%s", out)
	}
}

// Ctrl-C ends a command that waits for its input.
func TestInterruptedInput(t *testing.T) {
	for _, line := range []string{"plan -f -", "apply --yes -f -", "agent create -f -", "login"} {
		in, keyboard := io.Pipe()
		ctx, interrupt := context.WithCancel(t.Context())
		var stdout, stderr output
		code := make(chan int, 1)
		go func() {
			code <- run(ctx, strings.Fields(line), terminal.Terminal{Getenv: env(), Stdin: in, Stdout: &stdout, Stderr: &stderr, UserDir: t.TempDir()})
			in.Close()
		}()
		if _, err := io.WriteString(keyboard, "x"); err != nil {
			t.Errorf("orgd %s reads no input: %v", line, err)
		}
		interrupt()
		if got := <-code; got != 130 || stdout.String() != "" || stderr.String() != "" {
			t.Errorf("orgd %s, interrupted = %d, %q, %q, want 130 and silence", line, got, &stdout, &stderr)
		}
		keyboard.Close()
	}
}
