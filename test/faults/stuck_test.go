package faults

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"orgd/test/api"
	"orgd/test/process"
)

// stuckPipe returns the end of a pipe that is written to, and what fills it: nobody reads.
func stuckPipe(t *testing.T) (w *os.File, fill func()) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	both, err := os.OpenFile(path, os.O_RDWR, 0)
	if err == nil {
		w, err = os.OpenFile(path, os.O_WRONLY, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { both.Close(); w.Close() })
	return w, func() {
		err := both.SetWriteDeadline(time.Now().Add(100 * time.Millisecond))
		for err == nil {
			_, err = both.Write(make([]byte, 4096))
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("fill the pipe: %v", err)
		}
	}
}

// TestStopWhileNobodyReads: the reader of standard output, or the one of standard error,
// stands still. Requests are answered, and SIGTERM ends the process.
func TestStopWhileNobodyReads(t *testing.T) {
	type start func(ctx context.Context, pipe *os.File, dir string) (*process.Process, error)
	for name, test := range map[string]struct {
		start start
		want  int // the exit code
	}{
		"standard output": {func(ctx context.Context, pipe *os.File, dir string) (*process.Process, error) {
			return process.ServeInto(ctx, pipe, binary, nil, "--data-dir", dir, "--limits", "off", "--audit-log", "-")
		}, 0},
		"standard error": {func(ctx context.Context, pipe *os.File, dir string) (*process.Process, error) {
			return process.ServeQuietly(ctx, binary, process.FreeAddr(t), pipe, "--data-dir", dir, "--limits", "off", "--shutdown-timeout", "1s")
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel() // it waits
			dir := filepath.Join(t.TempDir(), "data")
			token, err := process.Token(t.Context(), binary, dir, "faults")
			if err != nil {
				t.Fatal(err)
			}
			pipe, fill := stuckPipe(t)
			p, err := test.start(context.WithoutCancel(t.Context()), pipe, dir)
			if err != nil {
				t.Fatal(err)
			}
			defer p.Kill()
			fill()
			c := api.New(p.URL, token, 4)
			defer c.Close()
			must(t, c, api.Request{Method: http.MethodPost, Path: "/departments", Body: map[string]any{"name": department}}, nil)
			if code, err := p.Terminate(); err != nil || code != test.want {
				t.Errorf("SIGTERM = %d, %v, want %d", code, err, test.want)
			}
		})
	}
}
