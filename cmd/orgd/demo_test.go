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
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"orgd/cmd/orgd/internal/remote"
)

// playground is a service to play in.
type playground struct {
	*testing.T
	url, token string
}

// get decodes the data of an answer into dst and returns the whole answer.
func (g *playground) get(path string, dst any) string {
	g.Helper()
	status, body := call(g.T, "GET", g.url+"/api/v1"+path, g.token, "")
	var answer struct{ Data json.RawMessage }
	err := json.Unmarshal([]byte(body), &answer)
	if err == nil && dst != nil {
		err = json.Unmarshal(answer.Data, dst)
	}
	if status != 200 || err != nil {
		g.Fatalf("GET %s = %d, %v: %s", path, status, err, body)
	}
	return body
}

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
	return newDemoOf(t, dir, 6, wrap...)
}

// newDemoOf starts one in which the agents have worked for so many days.
func newDemoOf(t *testing.T, dir string, days int, wrap ...string) *demoProgram {
	t.Helper()
	cmd := program(t, "demo", "--dir", dir, "--addr", "127.0.0.1:0", "--days", strconv.Itoa(days))
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
	if d.url == "" || !strings.Contains(d.stderr.String(), "    "+d.url+"/console#code=") {
		d.Fatalf("orgd demo at %q says:\n%s", d.url, d.stderr)
	}
	d.token = readSecret(d.T, filepath.Join(d.dir, "admin.token"))
	return d
}

// organization is what the demo holds, without ids.
func (d *demoProgram) organization() string {
	d.Helper()
	var agents []struct {
		Name, Role, Department, Level, Status, Instructions string
		Version                                             int
		CreatedAt                                           time.Time `json:"created_at"`
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
	var changes []struct {
		Timestamp     time.Time
		Actor, Action string
		Reason        *string
	}
	d.get("/changes?limit=200", &changes)
	text, err := json.Marshal([]any{agents, company, projects, changes})
	if err != nil {
		d.Fatal(err)
	}
	return fmt.Sprintf("%d agents, %d departments\n%s", len(agents), len(company.Departments), text)
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
	if lines := strings.Count(d.stderr.String(), "\n"); lines > 13 {
		t.Errorf("%d lines, want at most thirteen:\n%s", lines, d.stderr)
	}
	var company struct {
		Settings struct{ Demo bool }
	}
	if d.get("/company", &company); !company.Settings.Demo {
		t.Error("settings do not say that it is a demo")
	}
	d.printedCommands()
	worked := d.worked()

	beside := newDemo(t, dir)
	<-beside.ended
	oneSentence(t, beside.code, beside.stderr.String(), dir+" is in use", d.url)

	if code := d.end(syscall.SIGINT); code != exitOK {
		t.Errorf("orgd demo, after Ctrl-C = %d:\n%s", code, d.stderr)
	}
	d.reportedUntil(time.Now().AddDate(0, 0, -20))
	d = newDemo(t, dir).open()
	if again := d.worked(); len(again) < len(worked)+10 || again[yesterday] != worked[yesterday] || worked[yesterday] == 0 {
		t.Errorf("tasks by day are %v after the second run, want days before %v and the same yesterday", again, worked)
	}
	if again := d.organization(); again != first {
		t.Errorf("the second run has\n%s\nwant\n%s", again, first)
	}
	// Who looks at the demo also changes it.
	if status, body := call(t, "DELETE", d.url+"/api/v1/agents/Paz%20Quispe", d.token, ""); status != 204 {
		t.Fatalf("DELETE = %d %s", status, body)
	}
	d.end(syscall.SIGTERM)
	d = newDemo(t, dir).open()
	if now := d.organization(); !strings.HasPrefix(now, "39 agents") {
		t.Errorf("%.10s after one was deleted, want 39", now)
	}
}

var yesterday = time.Now().UTC().AddDate(0, 0, -1).Format(time.DateOnly)

// worked returns how many tasks were done on the days that have any.
func (d *demoProgram) worked() map[string]float64 {
	d.Helper()
	var figures struct {
		Days []struct {
			Date string
			Done float64 `json:"tasks_completed"`
		}
	}
	d.get("/company/days", &figures)
	done := map[string]float64{}
	for _, f := range figures.Days {
		if f.Done > 0 {
			done[f.Date] = f.Done
		}
	}
	return done
}

// reportedUntil makes the demo believe that it has not run since a time.
func (d *demoProgram) reportedUntil(at time.Time) {
	d.Helper()
	file := filepath.Join(d.dir, "orgd.demo")
	text, err := os.ReadFile(file)
	var mark map[string]any
	if err = errors.Join(err, json.Unmarshal(text, &mark)); err == nil {
		mark["reported"] = at
		text, err = json.Marshal(mark)
	}
	if err = errors.Join(err, os.WriteFile(file, text, 0o600)); err != nil {
		d.Fatal(err)
	}
}

// printedCommands runs the commands that the demo recommends.
func (d *demoProgram) printedCommands() {
	d.Helper()
	ran := 0
	for line := range strings.Lines(d.stderr.String()) {
		_, words, _ := strings.Cut(strings.TrimSpace(line), "orgd ")
		if !strings.HasPrefix(words, "get ") && !strings.HasPrefix(words, "agent ") {
			continue
		}
		var args []string
		for i, part := range strings.Split(words, "'") {
			if i%2 == 1 {
				args = append(args, part) // in quotes
			} else {
				args = append(args, strings.Fields(part)...)
			}
		}
		must(d.T, []string{"ORGD_SERVER=" + d.url, "ORGD_TOKEN=" + d.token}, args...)
		ran++
	}
	if ran != 3 {
		d.Errorf("%d commands are recommended, want 3:\n%s", ran, d.stderr)
	}
}

// What happened has the time at which it did, and was done by five people.
func TestDemoHasPast(t *testing.T) {
	t.Parallel()
	d := newDemo(t, filepath.Join(t.TempDir(), "demo")).open()
	const day = 24 * time.Hour
	for _, list := range []struct {
		path, at string
		spread   time.Duration
	}{
		{"/changes?limit=200", "timestamp", 80 * day},
		{"/agents/Paz%20Quispe/versions", "saved_at", 60 * day},
		{"/agents/Tala%20Ibrahim/versions", "saved_at", 60 * day},
		{"/agents/Paz%20Quispe/labels/production/history", "at", 60 * day},
		{"/agents/Bruno%20Costa/history", "timestamp", 20 * day},
		{"/activities?limit=200&type=hired", "timestamp", 80 * day},
		{"/audit?limit=200&actor=mira.chen", "timestamp", 80 * day},
		{"/audit?limit=200&actor=leo.fontaine", "timestamp", 60 * day},
	} {
		var all []map[string]any
		d.get(list.path, &all)
		newest, oldest := time.Time{}, time.Now()
		for _, x := range all {
			at, err := time.Parse(time.RFC3339, fmt.Sprint(x[list.at]))
			if err != nil {
				t.Fatalf("%s: %v", list.path, err)
			}
			if at.After(newest) {
				newest = at
			}
			if at.Before(oldest) {
				oldest = at
			}
		}
		if time.Since(newest) < day/4 || newest.Sub(oldest) < list.spread || time.Since(oldest) > 95*day {
			t.Errorf("%s is of %v to %v, want at least %v of the last 90 days", list.path, oldest, newest, list.spread)
		}
	}
	by := map[string]int{}
	var changes []struct{ Actor string }
	d.get("/changes?limit=200", &changes)
	for _, c := range changes {
		by[c.Actor]++
	}
	for _, who := range []string{"mira.chen", "jonas.weber", "ines.castro", "priya.nair", "leo.fontaine"} {
		if by[who] < 3 {
			t.Errorf("the newest changes are by %v, want some of %s", by, who)
		}
	}
	if len(by) != 5 {
		t.Errorf("changes are by %v, want five people", by)
	}
}

// The figures show what was done to an agent by a change and by the way back, and what better
// prompts have done to another one.
func TestDemoTellsItsStory(t *testing.T) {
	t.Parallel()
	d := newDemoOf(t, filepath.Join(t.TempDir(), "demo"), 100).open()
	var moves []struct {
		At time.Time
		By string
	}
	d.get("/agents/Paz%20Quispe/labels/production/history", &moves)
	back, worse := moves[1], moves[2] // before the text of version 2 became version 4
	if worse.By != "leo.fontaine" || back.By != "ines.castro" {
		t.Errorf("production was moved by %+v", moves)
	}
	if age := time.Since(worse.At).Hours() / 24; age < 18 || age > 24 {
		t.Errorf("the change was released %.0f days ago, want three weeks", age)
	}
	if age := time.Since(back.At).Hours() / 24; age < 7 || age > 11 {
		t.Errorf("it was taken back %.0f days ago, want about a week", age)
	}
	for _, x := range []struct {
		agent    string
		from, to time.Time
		min, max float64
	}{
		{"Paz%20Quispe", time.Time{}, worse.At, 90, 97},
		{"Paz%20Quispe", worse.At.AddDate(0, 0, 1), back.At, 45, 70},
		{"Paz%20Quispe", back.At.AddDate(0, 0, 1), time.Now(), 88, 100},
		{"Noor%20Haddad", worse.At.AddDate(0, 0, 1), back.At, 85, 100},
		{"Tala%20Ibrahim", time.Time{}, time.Now().AddDate(0, 0, -75), 58, 78},
		{"Tala%20Ibrahim", time.Now().AddDate(0, 0, -20), time.Now(), 92, 100},
	} {
		if got := d.success(x.agent, x.from, x.to); got < x.min || got > x.max {
			t.Errorf("success of %s from %v to %v = %.0f %%, want %.0f to %.0f", x.agent, x.from, x.to, got, x.min, x.max)
		}
	}
}

// success returns how many of a hundred tasks of an agent were successful on the days from one
// up to another one.
func (d *demoProgram) success(agent string, from, to time.Time) float64 {
	d.Helper()
	var figures struct {
		Days []struct {
			Date   string
			Done   float64 `json:"tasks_completed"`
			Failed float64 `json:"tasks_failed"`
		}
	}
	d.get("/agents/"+agent+"/days", &figures)
	done, all := 0.0, 0.0
	for _, f := range figures.Days {
		if f.Date >= from.Format(time.DateOnly) && f.Date <= to.Format(time.DateOnly) {
			done, all = done+f.Done, all+f.Done+f.Failed
		}
	}
	return 100 * done / all
}

// One that was cut short is made again, and the same in the end.
func TestDemoInterrupted(t *testing.T) {
	t.Parallel()
	whole := newDemo(t, filepath.Join(t.TempDir(), "whole")).open().organization()
	dir := filepath.Join(t.TempDir(), "demo")
	started := func() (*demoProgram, func(size int64) func() bool) {
		began := time.Now()
		return newDemo(t, dir), func(size int64) func() bool {
			return func() bool {
				info, err := os.Stat(filepath.Join(dir, "orgd.db-wal"))
				return err == nil && info.ModTime().After(began) && info.Size() >= size
			}
		}
	}
	for _, size := range []int64{1, 200_000, 1_000_000} {
		d, has := started()
		d.until("data", has(size))
		d.end(syscall.SIGKILL)
	}
	d, has := started()
	d.until("data", has(200_000))
	code := d.end(syscall.SIGINT)
	if code != exitOK && (code != 130 || !strings.Contains(d.stderr.String(), "the same command makes it again")) { // it may have been made
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
	if now := newDemo(t, dir).open().organization(); !strings.HasPrefix(now, "40 agents") {
		t.Errorf("%.10s, want 40", now)
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
