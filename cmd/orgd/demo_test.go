package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"syscall"
	"testing"
	"time"

	"orgd/cmd/orgd/internal/remote"
)

// demoProgram is orgd demo as a process of its own, with less history than usual.
type demoProgram struct {
	*playground
	dir    string
	cmd    *exec.Cmd
	stderr *output
	ended  chan struct{}
	code   int // once it has ended
}

// newDemo starts the command in a directory.
func newDemo(t *testing.T, dir string, wrap ...string) *demoProgram {
	t.Helper()
	cmd := program(t, "demo", "--dir", dir, "--addr", "127.0.0.1:0", "--days", "6")
	if len(wrap) > 0 {
		shell := exec.CommandContext(t.Context(), wrap[0], append(wrap[1:], cmd.Args...)...)
		shell.Env = append(cmd.Env, "PATH="+os.Getenv("PATH"))
		cmd = shell
	}
	d := &demoProgram{playground: &playground{T: t}, dir: dir, cmd: cmd, stderr: &output{}, ended: make(chan struct{})}
	cmd.Stderr = d.stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		defer close(d.ended)
		if exit := (*exec.ExitError)(nil); errors.As(cmd.Wait(), &exit) {
			d.code = exit.ExitCode()
		}
	}()
	t.Cleanup(func() {
		d.end(syscall.SIGKILL)
		http.DefaultClient.CloseIdleConnections()
	})
	return d
}

// end sends a signal and returns the exit code.
func (d *demoProgram) end(s syscall.Signal) int {
	d.Helper()
	if err := d.cmd.Process.Signal(s); err != nil && !errors.Is(err, os.ErrProcessDone) {
		d.Error(err)
	}
	<-d.ended
	return d.code
}

// until waits for something, or for the end of the program.
func (d *demoProgram) until(what string, is func() bool) {
	d.Helper()
	for end := time.Now().Add(3 * deadline); !is(); time.Sleep(time.Millisecond) {
		select {
		case <-d.ended:
			return
		default:
		}
		if time.Now().After(end) {
			d.Fatalf("no %s after %s:\n%s", what, 3*deadline, d.stderr)
		}
	}
}

// open waits until the demo says that it is open.
func (d *demoProgram) open() *demoProgram {
	d.Helper()
	d.until("demo", func() bool { return strings.Contains(d.stderr.String(), "removes it.") })
	d.url = remote.ServedAt(d.dir)
	if d.url == "" || !strings.Contains(d.stderr.String(), "    "+d.url+"/console\n") {
		d.Fatalf("orgd demo at %q says:\n%s", d.url, d.stderr)
	}
	d.token = readSecret(d.T, filepath.Join(d.dir, "admin.token"))
	return d
}

// holds reports whether a list has so many items already.
func (d *demoProgram) holds(path string, n int) bool {
	url := remote.ServedAt(d.dir)
	token, missing := os.ReadFile(filepath.Join(d.dir, "admin.token"))
	if missing != nil || url == "" {
		return false
	}
	status, body := call(d.T, "GET", url+"/api/v1"+path+"?limit=200", strings.TrimSpace(string(token)), "")
	var list struct{ Data []json.RawMessage }
	return status == 200 && json.Unmarshal([]byte(body), &list) == nil && len(list.Data) >= n
}

// organization is what the demo holds, without ids and times.
func (d *demoProgram) organization() string {
	d.Helper()
	var agents []struct {
		Name, Role, Department, Level, Status, Instructions string
		Version                                             int
	}
	d.get("/agents?limit=200", &agents)
	var company struct {
		Departments []struct {
			Name, Head string
			Teams      any
		}
	}
	d.get("/company", &company)
	var projects []struct{ Name, Status string }
	d.get("/projects?limit=200", &projects)
	sort.Slice(agents, func(i, j int) bool { return agents[i].Name < agents[j].Name }) // they are made several at once
	sort.Slice(projects, func(i, j int) bool { return projects[i].Name < projects[j].Name })
	return fmt.Sprintf("%d agents, %d departments\n%+v\n%+v\n%+v", len(agents), len(company.Departments), agents, company, projects)
}

// oneSentence checks how a command has failed.
func oneSentence(t *testing.T, code int, stderr string, words ...string) {
	t.Helper()
	if code != exitFailure || strings.Count(stderr, "\n") != 1 {
		t.Errorf("orgd demo = %d, want 1 and one line:\n%s", code, stderr)
	}
	for _, w := range words {
		if !strings.Contains(stderr, w) {
			t.Errorf("orgd demo does not say %q:\n%s", w, stderr)
		}
	}
}

// One command makes a company, serves it until Ctrl-C, and goes on with it when
// it is called again.
func TestDemo(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	d := newDemo(t, dir).open()
	first := d.organization()
	if !strings.HasPrefix(first, "40 agents, 8 departments") {
		t.Errorf("the demo has %.200s", first)
	}
	if lines := strings.Count(d.stderr.String(), "\n"); lines > 12 {
		t.Errorf("%d lines, want at most twelve:\n%s", lines, d.stderr)
	}
	var company struct {
		Settings struct{ Demo bool }
	}
	if d.get("/company", &company); !company.Settings.Demo {
		t.Error("settings do not say that it is a demo")
	}
	for line := range strings.Lines(d.stderr.String()) {
		if words := strings.Fields(line); len(words) > 2 && (words[1] == "get" || words[1] == "agent") && !strings.Contains(line, "--watch") {
			args := strings.Fields(strings.ReplaceAll(strings.TrimSpace(line), "'Paz Quispe'", "Paz_Quispe"))[1:]
			for i := range args {
				args[i] = strings.ReplaceAll(args[i], "_", " ")
			}
			must(t, []string{"ORGD_SERVER=" + d.url, "ORGD_TOKEN=" + d.token}, args...)
		}
	}

	beside := newDemo(t, dir)
	<-beside.ended
	oneSentence(t, beside.code, beside.stderr.String(), dir+" is in use", d.url)

	if code := d.end(syscall.SIGINT); code != exitOK {
		t.Errorf("orgd demo, after Ctrl-C = %d:\n%s", code, d.stderr)
	}
	d = newDemo(t, dir).open()
	if again := d.organization(); again != first {
		t.Errorf("the second run has\n%s\nwant\n%s", again, first)
	}
	// Who looks at the demo also changes it.
	if status, body := call(t, "DELETE", d.url+"/api/v1/agents/Paz%20Quispe", d.token, ""); status != 204 {
		t.Fatalf("DELETE = %d %s", status, body)
	}
	d.end(syscall.SIGTERM)
	d = newDemo(t, dir).open()
	if n := d.count("/agents"); n != 39 {
		t.Errorf("%d agents after one was deleted, want 39", n)
	}
}

// However often it is cut short, the next run goes on, and the company is the
// same in the end.
func TestDemoInterrupted(t *testing.T) {
	t.Parallel()
	whole := newDemo(t, filepath.Join(t.TempDir(), "whole")).open().organization()
	dir := filepath.Join(t.TempDir(), "demo")
	for _, at := range []struct {
		list string
		n    int
	}{{"/departments", 3}, {"/agents", 2}, {"/agents", 20}, {"/projects", 4}, {"/activities", 100}} {
		d := newDemo(t, dir)
		d.until(at.list, func() bool { return d.holds(at.list, at.n) })
		d.end(syscall.SIGKILL)
	}
	d := newDemo(t, dir)
	d.until("token", func() bool { return d.holds("/agents", 1) })
	code := d.end(syscall.SIGINT)
	if made := strings.Contains(d.stderr.String(), "The demo is open"); made != (code == exitOK) || !made && !strings.Contains(d.stderr.String(), "run the same command to go on") {
		t.Errorf("orgd demo, interrupted = %d:\n%s", code, d.stderr)
	}
	if got := newDemo(t, dir).open().organization(); got != whole {
		t.Errorf("after interruptions the demo has\n%s\nwant\n%s", got, whole)
	}
}

// A file that may not grow is what a full disk is to the service.
func TestDemoOnFullDisk(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "demo")
	for _, blocks := range []string{"0", "100", "1000"} {
		d := newDemo(t, dir, "sh", "-c", `ulimit -f `+blocks+`; exec "$0" "$@"`)
		<-d.ended
		oneSentence(t, d.code, d.stderr.String(), dir+" cannot be written to", "file too large")
	}
	if n := newDemo(t, dir).open().count("/agents"); n != 40 {
		t.Errorf("%d agents, want 40", n)
	}
}

// What is no demo's is left alone.
func TestDemoElsewhere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{dir: "holds something else than a demo", file: "not a directory", filepath.Join(file, "demo"): "not a directory"} {
		r := command(t, nil, "demo", "--dir", path, "--addr", "127.0.0.1:0")
		oneSentence(t, r.code, r.stderr, path, want)
	}
	if _, err := os.Stat(filepath.Join(dir, "orgd.demo")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that was refused has been written to: %v", err)
	}
}

func TestDemoOnTakenAddress(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	r := command(t, nil, "demo", "--dir", t.TempDir(), "--addr", l.Addr().String())
	oneSentence(t, r.code, r.stderr, l.Addr().String(), "in use")
}
