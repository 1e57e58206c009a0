// Package faults runs the real program against what goes wrong in practice:
// many writers of one thing, processes that die in the middle of a write, and
// answers that never arrive. The short forms run always; with ORGD_LONG=1 the
// tests have the sizes that a release is tried with.
package faults

import (
	"context"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/process"
)

var (
	binary    string // the program, built once
	binaryDir string // where it is, until the tests end
)

func TestMain(m *testing.M) {
	os.Exit(process.Main(watched{m}, func(dir string) (err error) {
		binaryDir = dir
		binary, err = process.Build(dir)
		return err
	}))
}

// size is short, or long if ORGD_LONG=1.
func size[T any](short, long T) T {
	if os.Getenv("ORGD_LONG") == "1" {
		return long
	}
	return short
}

// upTo is a random time below most.
func upTo(rng *rand.Rand, most time.Duration) time.Duration {
	return time.Duration(rng.Int64N(int64(most)))
}

// service is a data directory and the program that serves it.
type service struct {
	*process.Process
	t     *testing.T
	dir   string
	token string
}

// serve starts the program on a new directory. The test must not leave it with
// errors in its log.
func serve(t *testing.T) *service {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	token, err := process.Token(t.Context(), binary, dir, "faults")
	if err != nil {
		t.Fatal(err)
	}
	s := &service{t: t, dir: dir, token: token}
	s.start()
	t.Cleanup(func() {
		s.Kill()
		s.wantCleanLog()
		if t.Failed() {
			t.Logf("end of the log:\n%s", s.Log())
		}
	})
	return s
}

// start starts the program on the directory. More flags of `orgd serve` may
// follow.
func (s *service) start(flags ...string) {
	s.t.Helper()
	p, err := process.Start(context.WithoutCancel(s.t.Context()), binary, s.dir, flags...)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Process = p
}

// stumble starts the program and kills it after a while, ready or not.
func (s *service) stumble(after time.Duration) {
	s.t.Helper()
	lines, err := process.Stumble(binary, s.dir, after)
	if err != nil {
		s.t.Fatal(err)
	}
	for _, line := range lines {
		s.t.Errorf("the service logged an error: %s", line)
	}
}

// terminate ends the program in good order.
func (s *service) terminate() {
	s.t.Helper()
	if code, err := s.Terminate(); code != 0 || err != nil {
		s.t.Errorf("Terminate = %d, %v, want 0 and no error\n%s", code, err, s.Log())
	}
	s.wantCleanLog()
}

// wantCleanLog wants no errors in the log, but those that tell why readiness was
// refused at the end.
func (s *service) wantCleanLog() {
	s.t.Helper()
	if lines := failures(s.Process); len(lines) > 0 {
		s.t.Errorf("the service logged errors:\n%s", strings.Join(lines, "\n"))
	}
}

// failures are the errors in the log of a process, but those that tell why
// readiness was refused at the end.
func failures(p *process.Process) []string {
	return slices.DeleteFunc(p.Errors(), func(line string) bool { return strings.Contains(line, `"error":"draining"`) })
}

// client returns a client that is closed when the test ends.
func (s *service) client(conns int) *api.Client {
	c := api.New(s.URL, s.token, conns)
	s.t.Cleanup(c.Close)
	return c
}

// must sends a request and wants a success, of which it decodes the data.
func must(t *testing.T, c *api.Client, r api.Request, dst any) api.Answer {
	t.Helper()
	a, err := c.Do(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if !a.OK() {
		t.Fatalf("%s %s = %v, want success", r.Method, r.Path, a.Err())
	}
	if dst != nil {
		if err := a.Data(dst); err != nil {
			t.Fatal(err)
		}
	}
	return a
}
