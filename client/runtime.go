package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"
)

const (
	defaultMaxAge    = 30 * time.Second
	defaultWait      = 5 * time.Second
	defaultMaxEvents = 10_000
)

// RuntimeConfig says how a [Runtime] works. Everything has a default.
type RuntimeConfig struct {
	// Directory is where answers and reports are kept, so that they outlive the process. It is
	// made if it is missing, with mode 0700, and answers are not kept in one that is not this
	// user's alone. Processes of the user may share it. With "" there is only memory.
	Directory string
	// MaxAge is how old an answer may be before it is asked for again, on average; 0 is 30
	// seconds. Watches ask as often, and as often files of processes that have ended are
	// looked for.
	MaxAge time.Duration
	// MaxStale is how old the last answer may be before the state is [ResolvedStale]; 0 is
	// any age.
	MaxStale time.Duration
	// Timeout bounds one request, and a call that waits for one; 0 is 5 seconds. A batch of
	// reports may take six times as long.
	Timeout time.Duration
	// MaxEvents is how many reports are kept at most; 0 is 10 000.
	MaxEvents int
	// OnEvent, unless it is nil, is called with what happens, from several goroutines at
	// once. It must not wait, nor call the Runtime. The events and their fields:
	//
	//	request   operation, status (0: no answer), seconds
	//	state     agent, label, state, before
	//	reported  accepted, duplicates
	//	rejected  event, detail
	//	refused   detail
	//	dropped   count, reason
	//	warning   detail
	//	file      file, error
	//
	// The Logger of the client has rejected, dropped, warning and file, too, as it has failed
	// requests. A warning comes once: of the service about what was reported, and of a stream
	// for which the service has no room.
	OnEvent func(name string, fields map[string]any)
}

// Runtime is what a program that runs agents needs of the service: [Runtime.Resolve] and
// [Runtime.Watch] say which prompt an agent works with, also while the service does not
// answer, and [Runtime.Report] takes what an agent has done and sends it until it is
// accepted. [Runtime.Task] does both for one task. It is safe for concurrent use. Make it with
// [Client.Runtime] and end it with [Runtime.Close].
type Runtime struct {
	client  *Client // makes one attempt of each request
	cfg     RuntimeConfig
	life    context.Context // ends with Close
	end     context.CancelFunc
	tasks   sync.WaitGroup
	clock   clock
	sender  *sender
	changes *changes

	mu     sync.Mutex
	agents map[target]*poll[Resolution, keptAgent]
	labels map[string]*poll[ResolutionAll, keptLabel]
}

// target is what is resolved.
type target struct{ agent, label string }

// Runtime returns a [Runtime] that talks to the service as c does. If there is a directory,
// what an earlier process has not reported is sent from now on. The error says that c has
// neither a token nor an HTTPClient that could add one.
func (c *Client) Runtime(cfg RuntimeConfig) (*Runtime, error) {
	if c.token == nil && !c.ownHTTP {
		return nil, errors.New("client: a Runtime needs a Token in the Config of its client")
	}
	cfg.MaxAge = cmp.Or(max(cfg.MaxAge, 0), defaultMaxAge)
	cfg.Timeout = cmp.Or(max(cfg.Timeout, 0), defaultWait)
	cfg.MaxEvents = cmp.Or(max(cfg.MaxEvents, 0), defaultMaxEvents)
	r := &Runtime{cfg: cfg, agents: map[target]*poll[Resolution, keptAgent]{}, labels: map[string]*poll[ResolutionAll, keptLabel]{}}
	r.life, r.end = context.WithCancel(context.Background())
	r.client = c.once(&r.clock)
	r.changes = &changes{runtime: r, watched: map[*watched]bool{}}
	r.sender = newSender(r)
	if r.sender.dir == "" {
		close(r.sender.scanned)
	} else {
		r.background(func() { r.sender.scans(r.life) })
	}
	r.background(func() { r.sender.run(r.life) })
	return r, nil
}

// background runs a task until it ends, and reports whether it does: after Close it does not.
func (r *Runtime) background(task func()) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.life.Err() != nil {
		return false
	}
	r.tasks.Go(task)
	return true
}

// Close reports what is left, for five seconds at most, and ends what runs in the background.
// The error says how many reports are lost: those that are neither accepted nor in a file.
func (r *Runtime) Close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, defaultWait)
	defer cancel()
	r.Flush(ctx)
	r.mu.Lock()
	r.end()
	r.mu.Unlock()
	r.tasks.Wait()
	r.sender.retire()
	if lost := r.sender.unsaved(); lost > 0 {
		return fmt.Errorf("client: %d reports are lost: they were neither accepted nor written to a file", lost)
	}
	return nil
}

// event logs what somebody should know, and tells the hook, whose panics are none of the caller's.
func (r *Runtime) event(name string, fields map[string]any) {
	switch name {
	case "rejected", "dropped", "warning", "file":
		r.client.log.Warn("orgd runtime", slog.String("event", name), slog.Any("reason", cmp.Or(fields["detail"], fields["reason"], fields["error"])))
	}
	if r.cfg.OnEvent == nil {
		return
	}
	defer func() {
		if p := recover(); p != nil {
			r.client.log.Error("orgd hook has failed", slog.String("event", name), slog.Any("panic", p))
		}
	}()
	r.cfg.OnEvent(name, fields)
}

// timed does a request and tells the hook of it.
func (r *Runtime) timed(ctx context.Context, operation string, timeout time.Duration, do func(context.Context) error) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	status, began := 0, time.Now()
	err := do(context.WithValue(ctx, statusKey{}, &status))
	if f, ok := errors.AsType[*Failure](err); ok && f.Lost {
		status = 0 // half an answer is none
	}
	r.event("request", map[string]any{"operation": operation, "status": status, "seconds": time.Since(began).Seconds()})
	return err
}

// statusKey has, in a context, where the status of the answer is put.
type statusKey struct{}

// clock knows how much the service's clock is ahead of the one here.
type clock struct {
	mu    sync.Mutex
	known bool
	ahead time.Duration
}

// see takes the Date of an answer.
func (c *clock) see(h http.Header) {
	at, err := http.ParseTime(h.Get("Date"))
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.known, c.ahead = true, time.Until(at).Truncate(time.Millisecond)
}

func (c *clock) offset() (ahead time.Duration, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ahead, c.known
}

// once returns a client that makes one attempt of each request, and shows a clock all answers.
func (c *Client) once(seen *clock) *Client {
	once, via := *c, *c.http
	via.Transport = dated{cmp.Or(via.Transport, http.DefaultTransport), seen}
	untimed := via
	untimed.Timeout = 0
	once.attempts, once.http, once.untimed = 1, &via, &untimed
	return &once
}

// dated is a transport that shows a clock all answers.
type dated struct {
	http.RoundTripper
	clock *clock
}

func (d dated) RoundTrip(req *http.Request) (*http.Response, error) {
	res, err := d.RoundTripper.RoundTrip(req)
	if err != nil {
		return nil, err
	}
	d.clock.see(res.Header)
	if status, ok := req.Context().Value(statusKey{}).(*int); ok {
		*status = res.StatusCode
	}
	return res, nil
}
