package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/alecthomas/kong"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
)

// elsewhere are beginnings of examples that are about other machines or ports, or go on for
// ever. They are only parsed.
var elsewhere = []string{
	"demo", "serve", "migrate", "healthcheck", "login", "logout", "token list", "config check", "restore",
	"token create --server", "token create --signing-key-file", "token revoke", "backup --data-dir ./data -",
	"archive create --data-dir ./data -", "archive create --storage", "archive restore --storage",
}

// given is what an example takes for given, in a shell.
var given = map[string]string{
	"archive create --passphrase-file": "echo 'open sesame' >passphrase",
	"agent create Ada --role":          "orgd agent delete Ada --yes",
	"agent delete Ada --purge":         "orgd agent delete Ada --yes 2>/dev/null || true",
	"project update proj-":             "orgd project update proj-6b020a3bccc2 --status active",
	"whoami --profile test":            `echo "$ORGD_TOKEN" | orgd login --profile test --server "$ORGD_SERVER"`,
	"completion fish":                  "mkdir -p ~/.config/fish/completions",
	"agent restore Ada":                "orgd agent delete Ada --yes",
	"department create -f":             "orgd department delete Research --yes 2>/dev/null || true",
	"department create Research":       "orgd department delete Research --yes",
	"department ceremonies unset":      "echo '{strategy: calendar}' | orgd department ceremonies set Engineering -f -",
	"profiles":                         `echo "$ORGD_TOKEN" | orgd login --server "$ORGD_SERVER"`,
	"webhook test":                     "orgd webhook delete $(orgd webhook list -o name) --yes && orgd webhook create https://example.com/orgd",
	"webhook deliveries":               "orgd webhook delete $(orgd webhook list -o name) --yes && orgd webhook create https://example.com/orgd",
}

// asks are beginnings of examples that ask, or need a terminal.
var asks = []string{"agent delete Ada --purge", "agent edit", "apply -f org.yaml", "import agents"}

// reads are the commands that change nothing, so that they share a service.
var reads = regexp.MustCompile(`^(agents|departments|projects|activities|changes|audit|show|list|get|search|resolve|versions|diff|health|history|performance|plan|whoami|completion|schema)$`)

// Every example that a command gives with --help does what it says.
func TestExamples(t *testing.T) {
	for _, tool := range []string{"bash", "jq", "git", "timeout"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip("there is no " + tool)
		}
	}
	parser, err := newParser(terminal.Terminal{}, func(int) {})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	reader := sync.OnceValue(func() *exampleShell { return newExampleShell(t) })
	for _, leaf := range parser.Model.Leaves(true) {
		examples := examplesOf(leaf)
		if key := strings.Join(examples, "\n"); len(examples) == 0 || seen[key] {
			continue
		} else {
			seen[key] = true
		}
		shell := func(t *testing.T) *exampleShell { return newExampleShell(t) }
		if reads.MatchString(leaf.Name) {
			shell = func(*testing.T) *exampleShell { return reader() }
		}
		t.Run(pathOf(leaf), func(t *testing.T) {
			t.Parallel()
			runExamples(t, shell, examples)
		})
	}
	if len(seen) < 40 {
		t.Errorf("%d commands have examples, want more to be found", len(seen))
	}
}

// examplesOf are the command lines of a help, continued lines in one.
func examplesOf(command *kong.Node) (all []string) {
	_, text, _ := strings.Cut(command.Detail, "Example")
	for line := range strings.Lines(strings.ReplaceAll(text, "\\\n", "")) {
		line, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), "    ")
		if ok && !strings.HasPrefix(line, "#") && !strings.HasPrefix(line, "HEALTHCHECK") {
			all = append(all, line)
		}
	}
	return all
}

// runExamples runs examples one after the other in a shell, on a service of their own.
func runExamples(t *testing.T, shell func(*testing.T) *exampleShell, examples []string) {
	local := slices.DeleteFunc(slices.Clone(examples), func(line string) bool { return about(line, elsewhere) })
	for _, line := range examples {
		for _, words := range commandsOf(line) {
			silent, err := newParser(terminal.Terminal{Stdout: &output{}, Stderr: &output{}}, func(int) {})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := silent.Parse(words); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
	if len(local) == 0 {
		return
	}
	with := shell(t)
	for _, line := range local {
		for _, beginning := range slices.Sorted(maps.Keys(given)) {
			if about(line, []string{beginning}) {
				with.run(t, given[beginning], exitOK)
			}
		}
		want := exitOK
		switch {
		case strings.Contains(line, "--watch"):
			want = 124
		case strings.Contains(line, " plan "), strings.HasPrefix(line, "orgd plan"), strings.Contains(line, "--dry-run") && !strings.Contains(line, "rollback"):
			want = exitPlanned
			if strings.Contains(line, "|") {
				want = exitOK
			}
		}
		with.run(t, line, want)
	}
}

func about(line string, beginnings []string) bool {
	return slices.ContainsFunc(beginnings, func(b string) bool { return regexp.MustCompile(`orgd ` + regexp.QuoteMeta(b)).MatchString(line) })
}

// exampleShell is a shell in a directory with the files of the examples.
type exampleShell struct {
	*office
	dir     string
	project string
}

func newExampleShell(t *testing.T) *exampleShell {
	o := newOffice(t)
	o.staff()
	o.user = o.admin
	s := &exampleShell{office: o, dir: t.TempDir()}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"bin/orgd":                        "#!/bin/sh\nexport " + asProgram + "=${MODE:-1}\nexec timeout -s INT ${MOST:-60} '" + self + "' \"$@\"\n",
		"ada.md":                          "Review the customer data kindly.\n",
		"ada.yaml":                        "{name: Ava, role: Reviewer, department: Engineering}\n",
		"research.yaml":                   "name: Research\n",
		"teams.yaml":                      "teams: [{name: Core, lead: Ada, members: [Hal]}]\n",
		"agents/Engineering/eve.md":       "---\nname: eve\ndescription: Tests.\n---\nTest.\n",
		"rules/tests.mdc":                 "---\ndescription: Tests.\nglobs: '*_test.go'\n---\nTest.\n",
		"catalogue/categories/Ops/eve.md": "---\nname: eve\ndescription: Tests.\n---\nTest.\n",
	} {
		file := filepath.Join(s.dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o700), os.WriteFile(file, []byte(text), 0o700)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(o.data, filepath.Join(s.dir, "data")); err != nil {
		t.Fatal(err)
	}
	for _, line := range lines("department create Research", "department create Support",
		"agent update Ada --description 3", "agent update Ada --description 4", "agent update Ada --description 5", "agent update Ada --description 6",
		"agent update Ada --description 7", "label set Ada production 6", "label set Ada canary 7", "webhook create https://example.com/orgd",
		"export "+s.dir+"/org.json", "export "+s.dir+"/org.yaml", "export "+s.dir+"/organization/") {
		o.can(t, line...)
	}
	s.run(t, `git init -q . && git -c user.name=a -c user.email=a@b add catalogue && git -c user.name=a -c user.email=a@b commit -qm first
sed -i s/Makes/Builds/ org.yaml organization/departments/engineering.yaml`, exitOK)
	for v, err := range s.Projects(t.Context(), client.ProjectQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		s.project = v.ID
	}
	return s
}

// run runs a line, which has to end with a code.
func (s *exampleShell) run(t *testing.T, line string, want int) {
	t.Helper()
	script := strings.ReplaceAll(line, "proj-6b020a3bccc2", s.project)
	if about(line, asks) {
		script = "export MODE=asked; yes | ( " + script + " )"
	}
	if want == 124 {
		script = "export MOST=2; set +o pipefail; " + script
	}
	cmd := exec.CommandContext(s.Context(), "bash", "-c", "set -e -o pipefail; "+script)
	cmd.Dir = s.dir
	cmd.Env = append([]string{"PATH=" + s.dir + "/bin:" + os.Getenv("PATH"), "HOME=" + s.dir, "TMPDIR=" + s.dir}, s.vars...)
	out, err := cmd.CombinedOutput()
	got := exitCode(t, err)
	if want == 124 && got == 0 || got == 141 && strings.HasPrefix(script, "export MODE") { // behind a pipe, or "yes" ended by it
		got = want
	}
	if got != want {
		t.Errorf("%s = %d, want %d:\n%s", line, got, want, fmt.Sprintf("%.2000s", out))
	}
}
