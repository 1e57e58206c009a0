package main

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"orgd/test/api"
	"orgd/test/history"
	"orgd/test/process"
)

var binary string // the program, built once

func TestMain(m *testing.M) {
	os.Exit(process.Main(m, func(dir string) (err error) {
		binary, err = process.Build(dir)
		return err
	}))
}

// service is a running service that is empty at first.
type service struct {
	*process.Process
	token string
}

// serve starts the service on a new directory. More flags of `orgd serve` may
// follow.
func serve(t *testing.T, flags ...string) service {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	token, err := process.Token(t.Context(), binary, dir, "historian")
	if err != nil {
		t.Fatal(err)
	}
	p, err := process.Start(t.Context(), binary, dir, flags...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if code, err := p.Terminate(); code != 0 || err != nil {
			t.Errorf("Terminate = %d, %v, want 0 and none\n%s", code, err, p.Log())
		}
		if lines := p.Errors(); len(lines) > 0 {
			t.Errorf("the service logged errors:\n%s", strings.Join(lines, "\n"))
		}
	})
	return service{p, token}
}

// replay runs the command and returns its exit code and its report.
func (s service) replay(t *testing.T, args ...string) (int, string) {
	t.Helper()
	var out bytes.Buffer
	env := map[string]string{"ORGD_SERVER": s.URL, "ORGD_TOKEN": s.token}
	code := run(t.Context(), args, func(name string) string { return env[name] }, &out, &out)
	return code, out.String()
}

func wantReport(t *testing.T, code int, report string, wantCode int, lines ...string) {
	t.Helper()
	if code != wantCode {
		t.Errorf("replay = exit code %d, want %d", code, wantCode)
	}
	for _, line := range lines {
		if !strings.Contains(report, line) {
			t.Errorf("the report lacks %q", line)
		}
	}
	if t.Failed() {
		t.Logf("report:\n%s", report)
	}
}

func TestReplaySynthetic(t *testing.T) {
	s := serve(t)
	code, report := s.replay(t, "-input", synthetic)
	wantReport(t, code, report, 0,
		"16 entries from 2025-07-01 to 2025-07-06",
		"5 hires, 9 updates, 2 departures, 3 departments",
		"2 of the updates change nothing",
		"played    19 requests",
		"3 agents in 3 departments, 2 departed",
		"12 versions with ",
		"7 hires and departures in the feed",
		"diff of ada, version 1 to 4: ",
		"(description, instructions, model, tools.allowed)",
		"rollback of ada to version 1: became version 5",
		"rollback of ada to version 4: became version 6",
		"everything is as the history tells")
	t.Run("verify", func(t *testing.T) {
		code, report := s.replay(t, "-input", synthetic, "-verify")
		wantReport(t, code, report, 0, "dry run: nothing written", "everything is as the history tells")
		if strings.Contains(report, "played") {
			t.Errorf("-verify has played:\n%s", report)
		}
	})
	t.Run("again", func(t *testing.T) {
		code, report := s.replay(t, "-input", synthetic)
		wantReport(t, code, report, 1, "the service has 3 agents")
	})
}

// TestReplayNotices changes what was played and wants the checks to see it.
func TestReplayNotices(t *testing.T) {
	s := serve(t)
	if code, report := s.replay(t, "-input", synthetic); code != 0 {
		t.Fatalf("replay = exit code %d, want 0\n%s", code, report)
	}
	c := api.New(s.URL, s.token, 1)
	defer c.Close()
	for _, r := range []api.Request{
		{Method: http.MethodPatch, Path: api.Path("agents", "ada"), Body: map[string]any{"instructions": "Do as you like."}},
		{Method: http.MethodDelete, Path: api.Path("agents", "Grace Höpper/2")},
		{Method: http.MethodPost, Path: api.Path("departments"), Body: map[string]any{"name": "shadow"}},
		{Method: http.MethodPost, Path: api.Path("agents"), Body: map[string]any{"name": "eve", "role": "eve", "department": "shadow"}},
	} {
		if a, err := c.Do(t.Context(), r); err != nil || !a.OK() {
			t.Fatalf("%s %s = %v, %v", r.Method, r.Path, a.Err(), err)
		}
	}
	code, report := s.replay(t, "-input", synthetic, "-verify")
	wantReport(t, code, report, 1,
		"MISMATCHES",
		"ada: instructions is not that of the history",
		"ada version 7: the history does not tell of it",
		"ada: has version 7, want 6",
		`agents: "Grace Höpper/2" is missing`,
		"Grace Höpper/2: cannot be read",
		`agents: "eve" is there but should not be`,
		`departments: "shadow" is there but should not be`,
		"the feed has 6 hired events, want 5",
		"the feed has 3 fired events, want 2")
}

func TestReplayWaitsForLimits(t *testing.T) {
	s := serve(t, "--limit", "agents.create=4/5s") // five hires take less, also on a slow machine
	code, report := s.replay(t, "-input", synthetic)
	wantReport(t, code, report, 0, "waits for a limit", "everything is as the history tells")
}

func TestUsage(t *testing.T) {
	none := func(string) string { return "" }
	for name, test := range map[string]struct {
		args []string
		want int
	}{
		"nothing":      {nil, 2},
		"unknown flag": {[]string{"-fast"}, 2},
		"no token":     {[]string{"-input", synthetic, "-server", "http://127.0.0.1:1"}, 2},
		"argument":     {[]string{"-input", synthetic, "-server", "http://127.0.0.1:1", "-token", "t", "more"}, 2},
		"no file":      {[]string{"-input", "testdata/none", "-server", "http://127.0.0.1:1", "-token", "t"}, 1},
		"help":         {[]string{"-h"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			if got := run(t.Context(), test.args, none, &out, &out); got != test.want {
				t.Errorf("run(%v) = %d, want %d\n%s", test.args, got, test.want, out.String())
			}
		})
	}
}

func TestReplayReal(t *testing.T) {
	path := os.Getenv("ORGD_REPLAY_FILE")
	if path == "" {
		path = history.Real
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		t.Skipf("SKIPPED: there is no %s; ORGD_REPLAY_FILE names the history to replay", path)
	}
	s := serve(t)
	code, report := s.replay(t, "-input", path)
	wantReport(t, code, report, 0, "everything is as the history tells")
	if strings.Contains(report, "891 entries from 2025-08-01 to 2026-08-12") {
		wantReport(t, code, report, 0, "158 agents in 10 departments, 2 departed")
	}
	t.Logf("report:\n%s", report)
}
