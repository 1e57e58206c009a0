package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/process"
	"orgd/test/seed"
)

// auditLine is what the tests look at of an audit entry.
type auditLine struct {
	ID       string `json:"id"`
	Resource string `json:"resource"`
	To       int64  `json:"revision_to"`
}

// readAuditLog reads the lines of a file, which are all whole.
func readAuditLog(t *testing.T, path string) (lines []auditLine) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var e auditLine
		if err := json.Unmarshal(line, &e); err != nil || e.ID == "" || line[len(line)-1] != '\n' {
			t.Fatalf("%s has a line that is no whole entry: %s (%v)", filepath.Base(path), line, err)
		}
		lines = append(lines, e)
	}
	return lines
}

// missing are the entries of the audit trail that are not among the lines.
func missing(t *testing.T, c *api.Client, lines []auditLine) (left []string, all int) {
	t.Helper()
	trail, err := api.All[auditLine](t.Context(), c, "/audit", nil)
	if err != nil {
		t.Fatal(err)
	}
	written := map[string]bool{}
	for _, e := range lines {
		written[e.ID] = true
	}
	for _, e := range trail {
		if !written[e.ID] {
			left = append(left, e.ID)
		}
	}
	return left, len(trail)
}

// wantAllWritten wants every entry of the audit trail among the lines, and those of one
// thing in order. It returns how many entries there are.
func wantAllWritten(t *testing.T, c *api.Client, lines []auditLine) int {
	t.Helper()
	left, all := missing(t, c, lines)
	if len(left) > 0 {
		t.Errorf("%d of %d audit entries are not in the audit log: %v", len(left), all, left[:min(len(left), 5)])
	}
	seen, last := map[string]bool{}, map[string]int64{}
	for _, e := range lines {
		if !seen[e.ID] && e.To != 0 && e.To <= last[e.Resource] {
			t.Errorf("revision %d of %s comes after %d", e.To, e.Resource, last[e.Resource])
		}
		if seen[e.ID] = true; e.To != 0 {
			last[e.Resource] = e.To
		}
	}
	return all
}

// serveAudited starts the program on a new directory with an audit log.
func serveAudited(t *testing.T) (s *service, path string) {
	t.Helper()
	dir := t.TempDir()
	path = filepath.Join(dir, "audit.log")
	token, err := process.Token(t.Context(), binary, filepath.Join(dir, "data"), "faults")
	if err != nil {
		t.Fatal(err)
	}
	return &service{t: t, dir: filepath.Join(dir, "data"), token: token}, path
}

// hireMany makes as many workers as the audit log has to cope with at once.
func (s *service) hireMany(rng *rand.Rand) (crew []*worker) {
	s.t.Helper()
	must(s.t, s.client(1), api.Request{Method: http.MethodPost, Path: "/departments", Body: map[string]any{"name": department}}, nil)
	for i := range 32 {
		crew = append(crew, newWorker(i, rng.Uint64()))
	}
	return crew
}

// TestAuditLogHasWhatAKilledProcessCommitted kills the service again and again while 32
// clients change things. What it had committed and not written is written by the next one.
func TestAuditLogHasWhatAKilledProcessCommitted(t *testing.T) {
	t.Parallel() // it waits
	rng := seed.Rand(t)
	s, path := serveAudited(t)
	s.start("--audit-log", path)
	crew := s.hireMany(rng)
	kills := size(5, 50)
	for range kills {
		s.load(crew, loadTime(rng))
		s.start("--audit-log", path)
		c := s.client(1)
		for _, w := range crew {
			if err := w.settle(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
	}
	c := s.client(1)
	before := readAuditLog(t, path)
	left, _ := missing(t, c, before)
	for end := time.Now().Add(time.Minute); len(left) > 0 && time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		left, _ = missing(t, c, readAuditLog(t, path))
	}
	lines := readAuditLog(t, path)
	all := wantAllWritten(t, c, lines)
	s.terminate()
	t.Logf("%d kills, %d entries, %d lines", kills, all, len(lines))
}

// TestAuditLogIsMovedAway moves the file away under load, as log rotation does. Without a
// crash each entry is written once, and a service that stops has written all.
func TestAuditLogIsMovedAway(t *testing.T) {
	t.Parallel() // it waits
	s, path := serveAudited(t)
	s.start("--audit-log", path)
	defer s.Kill()
	crew := s.hireMany(seed.Rand(t))
	stop := make(chan struct{})
	var running sync.WaitGroup
	c := s.client(len(crew))
	for _, w := range crew {
		running.Go(func() {
			if err := w.runUntil(t.Context(), c, stop); err != nil {
				t.Errorf("worker: %v", err)
			}
		})
	}
	const moves = 5
	paths := []string{path}
	for i := range moves {
		awaitLines(t, path)
		old := fmt.Sprint(path, ".", i)
		if err := os.Rename(path, old); err != nil {
			t.Fatal(err)
		}
		paths = slices.Insert(paths, len(paths)-1, old)
		if err := s.Hangup(); err != nil {
			t.Fatal(err)
		}
	}
	awaitLines(t, path)
	close(stop)
	running.Wait()
	trail, err := api.All[auditLine](t.Context(), c, "/audit", nil)
	if err != nil {
		t.Fatal(err)
	}
	s.terminate()
	var lines []auditLine
	for _, p := range paths {
		lines = append(lines, readAuditLog(t, p)...)
	}
	times := map[string]int{}
	for _, e := range lines {
		times[e.ID]++
	}
	for _, e := range trail {
		if times[e.ID] != 1 {
			t.Fatalf("the entry %s is written %d times, want once", e.ID, times[e.ID])
		}
	}
	if len(lines) != len(trail) {
		t.Errorf("%d lines, want one for each of %d entries", len(lines), len(trail))
	}
	s.start("--audit-log", path) // it goes on where the last one stopped
	s.terminate()
	if again := readAuditLog(t, path); len(again) != len(lines)-countBut(t, paths) {
		t.Errorf("the next start has written %d lines anew", len(again)-(len(lines)-countBut(t, paths)))
	}
}

// countBut counts the lines of all files but the last.
func countBut(t *testing.T, paths []string) (n int) {
	t.Helper()
	for _, p := range paths[:len(paths)-1] {
		n += len(readAuditLog(t, p))
	}
	return n
}

// awaitLines waits until a file is there and has something.
func awaitLines(t *testing.T, path string) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		if info, err := os.Stat(path); err == nil && info.Size() > 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("%s gets no lines", path)
		}
	}
}

// TestAuditLogOnAFullDisk: the service goes on, says once that it cannot write and once that
// it can again, and catches up.
func TestAuditLogOnAFullDisk(t *testing.T) {
	t.Parallel() // it waits
	s, path := serveAudited(t)
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	s.start("--audit-log", path)
	defer s.Kill()
	c := s.client(1)
	hire := func(n int) {
		must(t, c, api.Request{Method: http.MethodPost, Path: "/agents", Body: map[string]any{"name": fmt.Sprint("agent ", n), "role": "worker", "department": department}}, nil)
	}
	must(t, c, api.Request{Method: http.MethodPost, Path: "/departments", Body: map[string]any{"name": department}}, nil)
	await := func(what string, ok func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !ok(); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("it never %s\n%s", what, s.Log())
			}
		}
	}
	failed := func() int {
		return len(slices.DeleteFunc(s.Errors(), func(l string) bool {
			return !strings.Contains(l, `"task":"audit log"`) || !strings.Contains(l, "no space left on device")
		}))
	}
	await("says that the disk is full", func() bool { return failed() > 0 })
	for n := range 10 {
		hire(n)
		time.Sleep(300 * time.Millisecond)
	}
	if n := failed(); n != 1 || len(s.Errors()) != 1 {
		t.Errorf("it says %d times that the disk is full, want once:\n%s", n, strings.Join(s.Errors(), "\n"))
	}
	if err := os.Remove(path); err != nil { // now there is room
		t.Fatal(err)
	}
	await("says that it works again", func() bool { return strings.Contains(s.Log(), "background task works again") })
	hire(10)
	await("catches up", func() bool {
		left, _ := missing(t, c, readAuditLog(t, path))
		return len(left) == 0
	})
	wantAllWritten(t, c, readAuditLog(t, path))
	if code, err := s.Terminate(); code != 0 || err != nil {
		t.Errorf("Terminate = %d, %v", code, err)
	}
}

// TestAuditLogLineAfterTheRestart: what is committed and cannot be written when the process is
// killed is written by the next one.
func TestAuditLogLineAfterTheRestart(t *testing.T) {
	t.Parallel() // it waits
	s, path := serveAudited(t)
	if err := os.Symlink("/dev/full", path); err != nil {
		t.Fatal(err)
	}
	s.start("--audit-log", path)
	c := s.client(1)
	for n := range 3 {
		must(t, c, api.Request{Method: http.MethodPost, Path: "/departments", Body: map[string]any{"name": fmt.Sprint("department ", n)}}, nil)
	}
	s.Kill()
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	s.start("--audit-log", path)
	defer s.Kill()
	awaitLines(t, path)
	if n := wantAllWritten(t, s.client(1), readAuditLog(t, path)); n != 3 {
		t.Errorf("%d entries, want 3", n)
	}
	s.terminate()
}

// TestAuditLogOfReplicas: of replicas that write to standard output one writes. When it is
// killed another one goes on, and nothing is left out.
func TestAuditLogOfReplicas(t *testing.T) {
	t.Parallel() // it waits
	c := startCluster(t, 1, mongoURI(t))
	outs := make([]*os.File, 2)
	replicas := make([]*process.Process, 2)
	flags := append(c.flags(0), "--audit-log", "-")
	for i := range outs {
		var err error
		if outs[i], err = os.Create(filepath.Join(t.TempDir(), "stdout")); err != nil {
			t.Fatal(err)
		}
		defer outs[i].Close()
		if replicas[i], err = process.ServeInto(context.WithoutCancel(t.Context()), outs[i], binary, c.env, flags...); err != nil {
			t.Fatal(err)
		}
		defer replicas[i].Kill()
	}
	clients := []*api.Client{api.New(replicas[0].URL, c.token, 4), api.New(replicas[1].URL, c.token, 4)}
	must(t, clients[0], api.Request{Method: http.MethodPost, Path: "/departments", Body: map[string]any{"name": department}}, nil)
	hire := func(client *api.Client, from, to int) {
		var all sync.WaitGroup
		for n := from; n < to; n++ {
			all.Go(func() {
				must(t, client, api.Request{Method: http.MethodPost, Path: "/agents", Body: map[string]any{"name": fmt.Sprint("agent ", n), "role": "worker", "department": department}}, nil)
			})
		}
		all.Wait()
	}
	lines := func() []auditLine { return append(readAuditLog(t, outs[0].Name()), readAuditLog(t, outs[1].Name())...) }
	await := func() {
		t.Helper()
		for end := time.Now().Add(time.Minute); ; time.Sleep(100 * time.Millisecond) {
			left, all := missing(t, clients[1], lines())
			if len(left) == 0 {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%d of %d entries are never written", len(left), all)
			}
		}
	}
	hire(clients[0], 0, 20)
	hire(clients[1], 20, 40)
	await()
	if n := len(readAuditLog(t, outs[1].Name())); n != 0 {
		t.Errorf("two replicas write: the second has %d lines", n)
	}
	hire(clients[0], 40, 60) // a part of it is not written
	replicas[0].Kill()
	hire(clients[1], 60, 80)
	await()
	wantAllWritten(t, clients[1], lines())
	for i, client := range clients {
		client.Close()
		c.wantCleanLog(i, replicas[i])
	}
}
