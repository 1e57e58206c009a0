package client

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

const (
	// resolveTimeout bounds one request of a [Resolver]. The next round repeats it.
	resolveTimeout = 5 * time.Second
	// maxResolvePause is the longest wait that the service can ask a [Resolver] for.
	maxResolvePause = 5 * time.Minute
)

// ResolveState is what the service has said of an agent and its label.
type ResolveState string

// The states of a [Resolution]. In all but the first two its error says more.
const (
	// ResolvedActive says that the answer is the service's, and that the agent is active.
	ResolvedActive ResolveState = "active"
	// ResolvedInactive says that the agent's status is not active: it should not work.
	ResolvedInactive ResolveState = "inactive"
	// ResolvedNoLabel says that the agent does not have the label, or has it no longer.
	ResolvedNoLabel ResolveState = "no label"
	// ResolvedNoAgent says that there is no such agent, or that it was deleted or renamed.
	ResolvedNoAgent ResolveState = "no agent"
	// ResolvedRefused says that the token is not accepted or may not read, or that the
	// request is wrong. It stays so until somebody does something.
	ResolvedRefused ResolveState = "refused"
	// ResolvedDown says that there is no answer that can be used: none at all, 429, 5xx, or
	// one that is not the service's.
	ResolvedDown ResolveState = "down"
)

// Resolution is what a [Resolver] knows after a request.
type Resolution struct {
	State ResolveState
	// Agent is the last known answer, in every state; nil if there never was one. It must
	// not be changed.
	Agent *ResolvedAgent
	// Err is why Agent is not from the service now, nil if it is.
	Err error
	// FileErr is why the file does not have Agent, nil if it has. It is tried again in the
	// next round.
	FileErr error
}

// Resolver keeps what a label of an agent names, for a runtime: in memory and in a file, so
// that the runtime can go on while the service does not answer. It is safe for concurrent
// use. Make it with [Client.Resolver].
type Resolver struct {
	client       *Client // of one attempt
	agent, label string
	file         string // "" for none

	turn      chan struct{}  // holds an item while a request is running, which may touch:
	notBefore time.Time      // when the next one may be sent
	saved     *ResolvedAgent // what the file has

	mu     sync.Mutex
	last   Resolution // of the last request
	rounds int        // how many requests there have been
}

// kept is the content of the file: what was asked, and the answer.
type kept struct {
	Service string        `json:"service"`
	Agent   string        `json:"agent"`
	Label   string        `json:"label"`
	ETag    string        `json:"etag"`
	Answer  ResolvedAgent `json:"answer"`
}

// Resolver returns what keeps a label of an agent. It sends no request yet, but reads file:
// its answer is the last known one if it is about the same service, agent and label. With
// "" there is no file. Name the agent by its id, because its name can change.
func (c *Client) Resolver(agent, label, file string) (*Resolver, error) {
	once := *c
	once.attempts = 1
	r := &Resolver{client: &once, agent: agent, label: label, file: file, turn: make(chan struct{}, 1)}
	r.last = Resolution{State: ResolvedDown, Err: errors.New("client: the service was not asked yet")}
	if file == "" {
		return r, nil
	}
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	if err != nil {
		return nil, fmt.Errorf("client: read what is kept of %s: %w", agent, err)
	}
	var k kept
	err = decode(text, &k)
	if err != nil || k.Service != c.base || k.Agent != agent || k.Label != label {
		c.log.Warn("orgd resolver does not use its file", slog.String("file", file), slog.Any("error", err))
		return r, nil
	}
	k.Answer.ETag = k.ETag
	r.last.Agent, r.saved = &k.Answer, &k.Answer
	return r, nil
}

// Last returns the last known answer without asking the service, nil if there is none.
func (r *Resolver) Last() *ResolvedAgent {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last.Agent
}

// Resolve asks the service what the label names now, for at most five seconds and without
// repeating. Call it every half minute. What has not changed costs a 304. While a request
// is running others wait for its result, and while the service has asked to wait there is
// none: the result is the last one then.
func (r *Resolver) Resolve(ctx context.Context) Resolution {
	_, before := r.state()
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return Resolution{State: ResolvedDown, Agent: r.Last(), Err: ctx.Err()}
	}
	last, rounds := r.state()
	if rounds != before || time.Now().Before(r.notBefore) {
		return last
	}
	next := r.ask(ctx, last.Agent)
	if ctx.Err() != nil && next.State == ResolvedDown { // the caller's own doing
		return next
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last = next
	r.rounds++
	return next
}

func (r *Resolver) state() (Resolution, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last, r.rounds
}

// ask sends a request. known is the answer so far, nil for none.
func (r *Resolver) ask(ctx context.Context, known *ResolvedAgent) Resolution {
	ctx, cancel := context.WithTimeout(ctx, resolveTimeout)
	defer cancel()
	var unless []Option
	if known != nil && known.ETag != "" { // a proxy may have removed it
		unless = append(unless, IfNoneMatch(known.ETag))
	}
	a, err := r.client.Resolve(ctx, r.agent, r.label, unless...)
	switch {
	case err == nil:
		known = &a
	case errors.Is(err, ErrNotModified):
		err = nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		r.notBefore = time.Now().Add(min(e.RetryAfter, maxResolvePause))
	}
	return Resolution{State: stateOf(known, err), Agent: known, Err: err, FileErr: r.save(known)}
}

// stateOf returns what an answer says, or the error in its place.
func stateOf(known *ResolvedAgent, err error) ResolveState {
	e, answered := errors.AsType[*Error](err)
	switch {
	case err == nil && known.Status == AgentActive:
		return ResolvedActive
	case err == nil:
		return ResolvedInactive
	case errors.Is(err, ErrNotFound):
		return ResolvedNoAgent
	case errors.Is(err, ErrRecordNotFound):
		return ResolvedNoLabel
	case answered && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden):
		return ResolvedRefused // also by a gateway
	case answered && e.Code != 0 && e.Status < http.StatusInternalServerError && e.Status != http.StatusTooManyRequests:
		return ResolvedRefused
	}
	return ResolvedDown
}

// save replaces the file as a whole, unless it has the answer.
func (r *Resolver) save(known *ResolvedAgent) error {
	if r.file == "" || known == r.saved {
		return nil
	}
	text, err := encode(kept{r.client.base, r.agent, r.label, known.ETag, *known})
	if err == nil {
		err = replaceFile(r.file, text)
	}
	if err != nil {
		return fmt.Errorf("client: keep what is known of %s: %w", r.agent, err)
	}
	r.saved = known
	return nil
}

// replaceFile writes a file that only its owner can read. A crash leaves the old or the new
// one.
func replaceFile(name string, text []byte) error {
	f, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	err = cmp.Or(err, f.Sync())
	err = cmp.Or(err, f.Close())
	if err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
