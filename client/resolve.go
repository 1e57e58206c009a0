package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
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
	ResolvedNoLabel ResolveState = "no_label"
	// ResolvedNoAgent says that there is no such agent, or that it was deleted or renamed.
	ResolvedNoAgent ResolveState = "no_agent"
	// ResolvedRefused says that the token is not accepted or may not read, or that the
	// request is wrong. It stays so until somebody does something.
	ResolvedRefused ResolveState = "refused"
	// ResolvedDown says that there is no answer that can be used: none at all, 429, 5xx, or
	// one that is not the service's.
	ResolvedDown ResolveState = "down"
	// ResolvedCurrent says of a [ResolutionAll] that the answer is the service's.
	ResolvedCurrent ResolveState = "current"
	// ResolvedKept says that the answer is from the file, and that the service was not asked
	// yet.
	ResolvedKept ResolveState = "kept"
	// ResolvedStale says that the last answer of the service is older than MaxStale.
	ResolvedStale ResolveState = "stale"
	// ResolvedFallback says that no answer is known, and that [Fallback] takes its place.
	ResolvedFallback ResolveState = "fallback"
)

// Resolution is what a [Runtime] knows of an agent.
type Resolution struct {
	// Asked is the agent as it was asked for.
	Asked string
	State ResolveState
	// Agent is the last known answer, nil if there is none. It stays in every state but
	// [ResolvedNoAgent], in which it is forgotten. It must not be changed.
	Agent *ResolvedAgent
	// Err is why Agent is not from the service now, nil if it is.
	Err error
	// FileErr is why the file does not have Agent, nil if it has. It is tried again in the
	// next round.
	FileErr error

	fallback string
}

// Usable reports whether the agent may work: with the last known version if there is no
// newer one. An agent that was not active stays unusable while the service is down.
func (r Resolution) Usable() bool {
	return r.State == ResolvedFallback || r.Agent != nil && r.Agent.Status == AgentActive
}

// Version is that of the last known answer, 0 if there is none.
func (r Resolution) Version() int64 {
	if r.Agent == nil {
		return 0
	}
	return r.Agent.Version
}

// Instructions are those of the last known answer, or of a [Fallback].
func (r Resolution) Instructions() string {
	if r.Agent == nil {
		return r.fallback
	}
	return r.Agent.Identity.Instructions
}

// Attributes say on a span of OpenTelemetry which agent it is about, and in which version.
// There are none if there is no answer.
func (r Resolution) Attributes() map[string]string {
	if r.Agent == nil {
		return map[string]string{}
	}
	return map[string]string{
		"gen_ai.agent.id":       r.Agent.AgentID,
		"gen_ai.prompt.name":    r.Agent.Name,
		"gen_ai.prompt.version": strconv.FormatInt(r.Agent.Version, 10),
	}
}

// resolved is an answer, also as it came.
type resolved struct {
	ResolvedAgent
	raw json.RawMessage
}

func (a *resolved) UnmarshalJSON(text []byte) error {
	a.raw = bytes.Clone(text)
	return decode(text, &a.ResolvedAgent)
}

func (a resolved) MarshalJSON() ([]byte, error) { return a.raw, nil }

// keptAgent is the content of the file of an agent and a label.
type keptAgent struct {
	Server string   `json:"server"`
	Agent  string   `json:"agent"`
	Label  string   `json:"label"`
	ETag   string   `json:"etag"`
	Answer resolved `json:"answer"`
}

// ResolveOption changes what [Runtime.Resolve] returns.
type ResolveOption func(*Resolution)

// Fallback gives instructions to work with if no answer is known and the service is down or
// refuses: the state is then [ResolvedFallback].
func Fallback(instructions string) ResolveOption {
	return func(now *Resolution) {
		if now.Agent == nil && (now.State == ResolvedDown || now.State == ResolvedRefused) {
			now.State, now.fallback = ResolvedFallback, instructions
		}
	}
}

// Resolve returns which version of an agent a label names. Call it before each piece of work.
// What is known, also from the file, it returns at once, and has it asked for in the
// background if it is older than MaxAge. If nothing is known it waits for the service, for the
// timeout at most and not in the pause after a request without an answer. It waits no longer
// than ctx. Name the agent by its id, because its name can change.
func (r *Runtime) Resolve(ctx context.Context, agent, label string, opts ...ResolveOption) Resolution {
	now := r.resolver(agent, label).atOnce(ctx)
	for _, opt := range opts {
		opt(&now)
	}
	return now
}

// resolver returns what asks for a label of an agent.
func (r *Runtime) resolver(agent, label string) *poll[Resolution, keptAgent] {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := target{agent, label}
	if p, ok := r.agents[t]; ok {
		return p
	}
	about := keptAgent{Server: r.server(), Agent: agent, Label: label}
	before := ResolveState("")
	p := &poll[Resolution, keptAgent]{runtime: r, file: r.keptFile("resolved", about.Server, agent, label)}
	p.ask = func(ctx context.Context, known *keptAgent) (*keptAgent, error) { return r.askAgent(ctx, about, known) }
	p.state = func(known *keptAgent, err error) ResolveState {
		now := stateOf(known, err)
		if now != before {
			r.event("state", map[string]any{"agent": agent, "label": label, "state": string(now), "before": string(before)})
			before = now
		}
		return now
	}
	p.result = func(a latest[keptAgent]) Resolution {
		now := Resolution{Asked: agent, State: a.state, Err: a.err, FileErr: a.fileErr}
		if a.known != nil {
			now.Agent = &a.known.Answer.ResolvedAgent
		}
		return now
	}
	p.begin(func(k *keptAgent) bool {
		k.ETag = "" // the first answer is compared with the file, whoever has written that
		return k.Server == about.Server && k.Agent == agent && k.Label == label
	})
	r.agents[t] = p
	return p
}

// askAgent returns what is known after a request.
func (r *Runtime) askAgent(ctx context.Context, about keptAgent, known *keptAgent) (*keptAgent, error) {
	var unless []Option
	if known != nil {
		unless = unlessSame(known.ETag)
	}
	err := r.timed(ctx, "resolve", r.cfg.Timeout, func(ctx context.Context) (err error) {
		about.Answer, err = get[resolved](ctx, r.client, labelPath(about.Agent, about.Label), unless, ifNoneMatch)
		if got := about.Answer.Label; err == nil && got != about.Label {
			err = fmt.Errorf("client: the answer is about the label %q, and %q was asked for: %s", got, about.Label, proxies)
		}
		return err
	})
	about.ETag = about.Answer.ETag
	switch {
	case errors.Is(err, ErrNotModified):
		return known, nil
	case errors.Is(err, ErrNotFound):
		return nil, err
	case err != nil:
		return known, err
	case known != nil && known.ETag == about.ETag && bytes.Equal(known.Answer.raw, about.Answer.raw):
		return known, nil
	}
	return &about, nil
}

// unlessSame asks for what has not this tag any more. A proxy may have removed the tag.
func unlessSame(etag string) []Option {
	if etag == "" {
		return nil
	}
	return []Option{IfNoneMatch(etag)}
}

// stateOf returns what an answer says, or the error in its place.
func stateOf(known *keptAgent, err error) ResolveState {
	switch {
	case err == nil && known.Answer.Status == AgentActive:
		return ResolvedActive
	case err == nil:
		return ResolvedInactive
	case errors.Is(err, ErrNotFound):
		return ResolvedNoAgent
	case errors.Is(err, ErrRecordNotFound):
		return ResolvedNoLabel
	}
	return failureState(err)
}

// failureState tells apart whether somebody has to do something, or it will pass. It is
// [ResolvedCurrent] without an error.
func failureState(err error) ResolveState {
	e, answered := errors.AsType[*Error](err)
	switch {
	case err == nil:
		return ResolvedCurrent
	case isTokenRefused(err):
		return ResolvedRefused
	case answered && e.Code != 0 && e.Status < http.StatusInternalServerError && e.Status != http.StatusTooManyRequests:
		return ResolvedRefused
	}
	return ResolvedDown
}

// isTokenRefused reports whether there is no token, or the service or a gateway refuses it.
func isTokenRefused(err error) bool {
	e, answered := errors.AsType[*Error](err)
	return answered && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden) || errors.As(err, new(errToken))
}

// isDefinite reports whether the service has said what there is.
func isDefinite(err error) bool {
	return err == nil || errors.Is(err, ErrNotFound) || errors.Is(err, ErrRecordNotFound)
}

// ResolutionAll is what a [Runtime] knows of all agents that have a label.
type ResolutionAll struct {
	// State is [ResolvedCurrent], [ResolvedKept], [ResolvedStale], [ResolvedRefused] or
	// [ResolvedDown].
	State ResolveState
	// Agents are the last known ones, in the order of the organization. They must not be
	// changed.
	Agents []ResolvedAgent
	// Err is why Agents are not from the service now, nil if they are.
	Err error
	// FileErr is why the file does not have Agents, nil if it has.
	FileErr error
}

// labeledPage is a page of the agents that have a label.
type labeledPage struct {
	Cursor string     `json:"cursor"`
	ETag   string     `json:"etag"`
	Next   string     `json:"next"`
	Agents []resolved `json:"agents"`
}

// keptLabel is the content of the file of a label.
type keptLabel struct {
	Server string        `json:"server"`
	Label  string        `json:"label"`
	Pages  []labeledPage `json:"pages"`

	agents []ResolvedAgent // of all pages
}

// join makes agents of the pages.
func (k *keptLabel) join() {
	for _, page := range k.Pages {
		for _, a := range page.Agents {
			k.agents = append(k.agents, a.ResolvedAgent)
		}
	}
}

// ResolveAll returns which version of each agent a label names, as [Runtime.Resolve] does for
// one. Each page of the list may take the timeout, but the call waits no longer than that.
func (r *Runtime) ResolveAll(ctx context.Context, label string) ResolutionAll {
	return r.labelResolver(label).atOnce(ctx)
}

// labelResolver returns what asks for a label of all agents.
func (r *Runtime) labelResolver(label string) *poll[ResolutionAll, keptLabel] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := r.labels[label]; ok {
		return p
	}
	server := r.server()
	p := &poll[ResolutionAll, keptLabel]{runtime: r, file: r.keptFile("labeled", server, label)}
	p.ask = func(ctx context.Context, known *keptLabel) (*keptLabel, error) {
		about := keptLabel{Server: server, Label: label}
		now, err := r.askLabel(ctx, about, known)
		if known != nil && errors.Is(err, ErrRequestValidation) { // the key of the known cursors is gone
			now, err = r.askLabel(ctx, about, nil)
		}
		if err != nil {
			return known, err
		}
		return now, nil
	}
	p.state = func(_ *keptLabel, err error) ResolveState { return failureState(err) }
	p.result = func(a latest[keptLabel]) ResolutionAll {
		now := ResolutionAll{State: a.state, Err: a.err, FileErr: a.fileErr}
		if a.known != nil {
			now.Agents = a.known.agents
		}
		return now
	}
	p.begin(func(k *keptLabel) bool {
		for i := range k.Pages {
			k.Pages[i].ETag = "" // as of one agent
		}
		k.join()
		return k.Server == server && k.Label == label
	})
	r.labels[label] = p
	return p
}

// askLabel reads all pages. Those that have not changed are the known ones.
func (r *Runtime) askLabel(ctx context.Context, now keptLabel, known *keptLabel) (*keptLabel, error) {
	old := map[string]labeledPage{}
	if known != nil {
		for _, page := range known.Pages {
			old[page.Cursor] = page
		}
	}
	changed := false
	for cursor := ""; cursor != "" || len(now.Pages) == 0; {
		page := old[cursor]
		err := r.timed(ctx, "resolve_all", r.cfg.Timeout, func(ctx context.Context) error {
			query := PageQuery{Limit: 200, Cursor: cursor}.values()
			p, err := getPage[resolved](ctx, r.client, path("labels", now.Label, "agents"), query, unlessSame(page.ETag), ifNoneMatch)
			if err == nil {
				changed = true
				page = labeledPage{cursor, p.ETag, p.Next, p.Items}
			}
			return err
		})
		if err != nil && !errors.Is(err, ErrNotModified) {
			return nil, err
		}
		now.Pages = append(now.Pages, page)
		cursor = page.Next
	}
	if !changed && len(now.Pages) == len(known.Pages) {
		return known, nil
	}
	now.join()
	return &now, nil
}

// server is the address of the service as the files have it.
func (r *Runtime) server() string { return strings.TrimSuffix(r.client.base, apiPath) }
