package pages

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/client"
	"orgd/test/process"
)

// wait bounds what a slow machine may need.
const wait = 60 * time.Second

// runtimes are how the programs of docs/runtime.md are run, and what they need.
var runtimes = []struct {
	file    string
	needs   string
	command func(t *testing.T, dir, file string) []string
}{
	{"prompt.sh", "jq", func(_ *testing.T, _, file string) []string { return []string{"bash", file} }},
	{"prompt.go", "go", compiled},
	{"prompt.py", "python3", withPackage},
	{"prompt.mjs", "node", withModule},
}

// The programs of the page have what the label names soon, keep the last one while the
// service is away, have it after a restart of their own, go on when the service is back, and
// tell apart what may become of agent, label and token.
func TestRuntimesKeepTheirPrompt(t *testing.T) {
	programs := map[string]string{}
	for _, b := range blocks(t, "docs/runtime.md") {
		if name := fileName.FindStringSubmatch(b.text); b.language != "sh" && name != nil {
			programs[name[1]] = b.text
		}
	}
	if len(programs) != len(runtimes) {
		t.Fatalf("docs/runtime.md has %d programs, want %d", len(programs), len(runtimes))
	}
	for _, r := range runtimes {
		t.Run(r.file, func(t *testing.T) {
			t.Parallel()
			if _, err := exec.LookPath(r.needs); err != nil {
				t.Skipf("SKIPPED: there is no %s, so %s OF DOCS/RUNTIME.MD WAS NOT TRIED", r.needs, strings.ToUpper(r.file))
			}
			dir := t.TempDir()
			file := filepath.Join(dir, r.file)
			if err := os.WriteFile(file, []byte(programs[r.file]), 0o600); err != nil {
				t.Fatal(err)
			}
			keepsItsPrompt(t, dir, r.command(t, dir, file))
		})
	}
}

func keepsItsPrompt(t *testing.T, dir string, command []string) {
	ctx := t.Context()
	o := newOrganization(t, dir)
	env := []string{"ORGD_SERVER=http://" + o.addr, "ORGD_TOKEN_FILE=viewer.token", "EVERY=0.2"}
	done := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	release := func(version int64, prompt string) {
		t.Helper()
		done(o.PatchAgent(ctx, "Ada", client.Object{"instructions": prompt}))
		done(o.SetLabel(ctx, "Ada", "production", client.LabelInput{Version: version}))
	}

	first := start(t, dir, env, command)
	first.says("alarm: the label is gone")
	done(o.SetLabel(ctx, "Ada", "production", client.LabelInput{Version: 1}))
	first.says("version 1: prompt one")
	release(2, "prompt two")
	first.says("version 2: prompt two")
	done(o.PatchAgent(ctx, "Ada", client.Object{"instructions": "not released"}))
	if code, err := o.service.Terminate(); code != 0 || err != nil {
		t.Fatalf("the service ended with %d, %v", code, err)
	}
	first.says("keeping the last prompt: ")
	first.end()

	second := start(t, dir, env, command)
	second.says("version 2: prompt two")
	second.says("keeping the last prompt: ")
	serveAt(t, o.data, o.addr)
	release(4, "prompt four")
	second.says("version 4: prompt four")
	if n := strings.Count(second.String(), "version 2"); n != 1 {
		t.Errorf("it told version 2 %d times, want once:\n%s", n, second)
	}
	done(o.PatchAgent(ctx, "Ada", client.Object{"status": "on_leave"}))
	second.says("stop: the agent is on_leave")
	writeToken(t, dir, "expired")
	second.says("alarm: the token is refused; keeping the last prompt")
	writeToken(t, dir, o.viewer)
	done(nil, o.RemoveLabel(ctx, "Ada", "production"))
	second.says("alarm: the label is gone; keeping the last prompt")
	readableByNobodyElse(t, dir)
	done(nil, o.DeleteAgent(ctx, "Ada"))
	second.says("stop: the agent is gone")
	second.end()
	if text := first.String() + second.String(); strings.Contains(text, "version 3") {
		t.Errorf("it told a version that the label has never named:\n%s", text)
	}
}

// organization is a service with Ada in it, and who may change it.
type organization struct {
	*client.Client
	service    *process.Process
	addr, data string
	viewer     string // the token of the runtime
}

func newOrganization(t *testing.T, dir string) organization {
	t.Helper()
	ctx := t.Context()
	o := organization{data: filepath.Join(dir, "data"), addr: "127.0.0.1:" + freePorts(t)[0]}
	admin, err := process.Token(ctx, binary, o.data, "root")
	if err != nil {
		t.Fatal(err)
	}
	o.viewer, err = process.Run(ctx, binary, "token", "create", "--data-dir", o.data, "--role", "viewer", "--subject", "runtime")
	if err != nil {
		t.Fatal(err)
	}
	writeToken(t, dir, o.viewer)
	o.service = serveAt(t, o.data, o.addr)
	if o.Client, err = client.New(client.Config{BaseURL: "http://" + o.addr, Token: client.StaticToken(admin)}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.CreateDepartment(ctx, client.DepartmentInput{Name: "Engineering"}); err != nil {
		t.Fatal(err)
	}
	if _, err := o.CreateAgent(ctx, client.AgentInput{Name: "Ada", Role: "Reviewer", Department: "Engineering", Instructions: "prompt one"}); err != nil {
		t.Fatal(err)
	}
	return o
}

// writeToken replaces the token of the program as a whole.
func writeToken(t *testing.T, dir, token string) {
	t.Helper()
	file := filepath.Join(dir, "viewer.token")
	if err := os.WriteFile(file+".new", []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
}

// readableByNobodyElse checks that the program has kept the prompt in a file of mode 0600.
func readableByNobodyElse(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "Ada.*json"))
	if len(files) == 0 {
		files, err = filepath.Glob(filepath.Join(dir, "Ada.*", "resolved-*.json"))
	}
	if err != nil || len(files) != 1 {
		t.Fatalf("the prompt is kept in %q, %v, want one file", files, err)
	}
	if info, err := os.Stat(files[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s has mode %v, %v, want 0600", files[0], info.Mode(), err)
	}
}

// serveAt starts the service at an address, until the test ends.
func serveAt(t *testing.T, data, addr string) *process.Process {
	t.Helper()
	p, err := process.Start(t.Context(), binary, data, "--addr", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Kill)
	return p
}

// program is a program of the page while it runs.
type program struct {
	*testing.T
	cmd  *exec.Cmd
	more chan struct{} // receives when there is more to read
	gone chan struct{} // closed when it has ended

	mu   sync.Mutex
	text bytes.Buffer
}

func start(t *testing.T, dir string, env, command []string) *program {
	t.Helper()
	p := &program{T: t, more: make(chan struct{}, 1), gone: make(chan struct{})}
	p.cmd = exec.Command(command[0], append(command[1:], "Ada")...)
	p.cmd.Dir, p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = dir, append(os.Environ(), env...), p, p
	p.cmd.WaitDelay = time.Second // a child may hold its output, such as sleep of bash
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		_ = p.cmd.Wait() // it never ends well
		close(p.gone)
	}()
	t.Cleanup(p.end)
	return p
}

// Write implements io.Writer.
func (p *program) Write(text []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	select {
	case p.more <- struct{}{}:
	default:
	}
	return p.text.Write(text)
}

// String is what the program has said.
func (p *program) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.text.String()
}

// says waits until the program has said something.
func (p *program) says(text string) {
	p.Helper()
	ctx, cancel := context.WithTimeout(p.Context(), wait)
	defer cancel()
	for !strings.Contains(p.String(), text) {
		select {
		case <-p.more:
		case <-p.gone:
			if !strings.Contains(p.String(), text) {
				p.Fatalf("it ended and did not say %q:\n%s", text, p)
			}
		case <-ctx.Done():
			p.Fatalf("it did not say %q:\n%s", text, p)
		}
	}
}

// end ends the program. It may be called more than once.
func (p *program) end() {
	_ = p.cmd.Process.Kill() // fails only if it has ended
	<-p.gone
}

// compiled builds the program in a module of its own, which needs nothing but the client.
func compiled(t *testing.T, dir, file string) []string {
	t.Helper()
	here, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	module := fmt.Sprintf("module example\n\ngo 1.26.0\n\nrequire orgd/client v0.0.0\n\nreplace orgd/client => %s/client\n", here)
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(module), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("go", "build", "-o", "prompt", filepath.Base(file))
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOPROXY=off")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return []string{filepath.Join(dir, "prompt")}
}

// withPackage runs the program with the package as it lies here, by a Python that has httpx.
func withPackage(t *testing.T, _, file string) []string {
	t.Helper()
	source, err := filepath.Abs(filepath.Join(root, "clients/python/src"))
	if err != nil {
		t.Fatal(err)
	}
	for _, python := range []string{filepath.Join(os.Getenv("ORGD_TEST_CLIENTS"), "python/bin/python"), "python3"} {
		if exec.Command(python, "-c", "import httpx").Run() == nil {
			return []string{"env", "PYTHONPATH=" + source, "PYTHONDONTWRITEBYTECODE=1", python, file}
		}
	}
	t.Skip("SKIPPED: there is no Python with httpx, so PROMPT.PY OF DOCS/RUNTIME.MD WAS NOT TRIED")
	return nil
}

// withModule runs the program beside the package as npm installs it.
func withModule(t *testing.T, dir, file string) []string {
	t.Helper()
	if os.Getenv("ORGD_TEST_CLIENTS") == "" {
		t.Skip("SKIPPED: ORGD_TEST_CLIENTS NAMES NO DIRECTORY FOR TOOLS: PROMPT.MJS OF DOCS/RUNTIME.MD WAS NOT TRIED")
	}
	script := `"$0" 0.0.0 "$1/pack" && mkdir -p "$1/node_modules/orgd" &&
		tar -xzf "$1/pack/orgd-0.0.0.tgz" -C "$1/node_modules/orgd" --strip-components 1`
	out, err := exec.Command("bash", "-c", script, filepath.Join(root, "clients/typescript/pack"), dir).CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 77 {
		t.Skipf("SKIPPED: TOOLS FOR TYPESCRIPT CANNOT BE HAD, SO PROMPT.MJS OF DOCS/RUNTIME.MD WAS NOT TRIED: %s", out)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return []string{"node", file}
}
