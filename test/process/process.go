package process

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"syscall"
	"time"
)

const (
	// startWait is how long the program may take until it is ready. Tests that
	// promise less measure it.
	startWait = 30 * time.Second
	// pollEvery is how often readiness is asked for, and so how exactly
	// [Process.ReadyAfter] is known.
	pollEvery = 2 * time.Millisecond
	// stopWait is how long the program may take to end when it is asked to.
	stopWait = 40 * time.Second
)

// Process is the program, serving.
type Process struct {
	// URL is where it serves, such as "http://127.0.0.1:41234".
	URL string
	// ReadyAfter is the time from its start until readiness answered 200.
	ReadyAfter time.Duration

	cmd     *exec.Cmd
	journal *journal
	ended   chan struct{} // closed when the program has ended
	err     error         // how it ended; read it after ended
}

// Start serves a data directory without limits. More flags of `orgd serve` may
// follow. The rest is as in [Serve].
func Start(ctx context.Context, binary, dir string, flags ...string) (*Process, error) {
	return Serve(ctx, binary, nil, append(embedded(dir), flags...)...)
}

// Serve starts the program on a free port of the loopback interface and returns
// when readiness answers 200. The flags of `orgd serve` say the rest. env is
// added to the environment of the tests, each as NAME=value. End the process by
// one of its methods.
func Serve(ctx context.Context, binary string, env []string, flags ...string) (*Process, error) {
	begin := time.Now()
	p, err := launch(binary, env, flags)
	if err != nil {
		return nil, err
	}
	return p, p.awaitReady(ctx, begin)
}

// ServeInto does what [Serve] does, and what the program prints on standard output goes to
// a file.
func ServeInto(ctx context.Context, stdout *os.File, binary string, env []string, flags ...string) (*Process, error) {
	begin := time.Now()
	p := newProcess(binary, append([]string{"--addr", "127.0.0.1:0"}, flags...))
	p.cmd.Env, p.cmd.Stdout, p.cmd.Stderr = append(os.Environ(), env...), stdout, p.journal
	if err := p.start(); err != nil {
		return nil, err
	}
	return p, p.awaitReady(ctx, begin)
}

// awaitReady returns when the program that began then is ready. Otherwise it is
// killed.
func (p *Process) awaitReady(ctx context.Context, begin time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, startWait)
	defer cancel()
	if err := p.becomeReady(ctx); err != nil {
		p.Kill()
		return fmt.Errorf("orgd serve: %w\n%s", err, p.journal)
	}
	p.ReadyAfter = time.Since(begin)
	return nil
}

// Stumble starts the program on a data directory and kills it after a while,
// ready or not. It returns what the program logged as errors until then.
func Stumble(binary, dir string, after time.Duration) ([]string, error) {
	p, err := launch(binary, nil, embedded(dir))
	if err != nil {
		return nil, err
	}
	time.Sleep(after)
	p.Kill()
	return p.Errors(), nil
}

// embedded are the flags for a data directory without limits.
func embedded(dir string) []string { return []string{"--data-dir", dir, "--limits", "off"} }

// ServeQuietly does what [Serve] does, at an address that is free, with a log
// that goes to a file as it is and costs the tests nothing: of a program whose
// speed they measure. The methods that tell of the log have nothing to tell.
func ServeQuietly(ctx context.Context, binary, addr string, log *os.File, flags ...string) (*Process, error) {
	begin := time.Now()
	p := newProcess(binary, append([]string{"--addr", addr}, flags...))
	p.cmd.Stderr = log
	p.journal.url <- "http://" + addr
	if err := p.start(); err != nil {
		return nil, err
	}
	return p, p.awaitReady(ctx, begin)
}

func launch(binary string, env, flags []string) (*Process, error) {
	p := newProcess(binary, append([]string{"--addr", "127.0.0.1:0"}, flags...))
	p.cmd.Env = append(os.Environ(), env...)
	p.cmd.Stderr = p.journal
	return p, p.start()
}

func newProcess(binary string, flags []string) *Process {
	args := append([]string{"serve", "--log-format", "json"}, flags...)
	return &Process{cmd: exec.Command(binary, args...), journal: newJournal(), ended: make(chan struct{})}
}

func (p *Process) start() error {
	if err := p.cmd.Start(); err != nil {
		return err
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	return nil
}

func (p *Process) becomeReady(ctx context.Context) error {
	select {
	case p.URL = <-p.journal.url:
	case <-p.ended:
		return fmt.Errorf("ended before it was ready: %w", p.err)
	case <-ctx.Done():
		return errors.New("did not say in time where it serves")
	}
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	for {
		ready, err := isReady(ctx, client, p.URL+"/api/v1/readyz")
		if ready {
			return nil
		}
		select {
		case <-time.After(pollEvery):
		case <-p.ended:
			return fmt.Errorf("ended before it was ready: %w", p.err)
		case <-ctx.Done():
			return fmt.Errorf("not ready in time: %w", err)
		}
	}
}

func isReady(ctx context.Context, client *http.Client, url string) (bool, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return false, err
	}
	resp, err := client.Do(req)
	if err != nil {
		return false, err
	}
	return resp.StatusCode == http.StatusOK, resp.Body.Close()
}

// Kill ends the program as SIGKILL does, at once and without a chance to do
// anything, and returns when it is gone. It may be called more than once.
func (p *Process) Kill() {
	// It fails only if the program has ended, which is what is wanted.
	_ = p.cmd.Process.Kill()
	<-p.ended
}

// Terminate asks the program to end, as SIGTERM does, and returns its exit code
// when it has. A program that does not end is killed; that is an error.
func (p *Process) Terminate() (int, error) {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return 0, err
	}
	select {
	case <-p.ended:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-time.After(stopWait):
		p.Kill()
		return 0, fmt.Errorf("orgd serve: still there %s after SIGTERM\n%s", stopWait, p.journal)
	}
}

// PatientStorage are flags for a MongoDB that shares the machine with the tests:
// it may be slow for seconds without being lost.
func PatientStorage() []string {
	return []string{"--mongo-operation-timeout", "10s", "--mongo-connect-timeout", "10s"}
}

// Patient are flags of `orgd serve` for servers that are like that.
func Patient() []string {
	return append(PatientStorage(), "--request-timeout", "15s", "--redis-timeout", "1s")
}

// Ended is closed when the program has ended.
func (p *Process) Ended() <-chan struct{} { return p.ended }

// PID is the program's process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Warnings returns what the program logged as warnings, at most the first few.
func (p *Process) Warnings() []string { return p.journal.Warnings() }

// Errors returns what the program logged as errors, at most the first few.
func (p *Process) Errors() []string { return p.journal.Errors() }

// Log returns the end of what the program logged.
func (p *Process) Log() string { return p.journal.String() }
