package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
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
)

// Resolution is what a [Runtime] knows of an agent after a request.
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
}

// Usable reports whether the agent may work: with the last known version if there is no
// newer one.
func (r Resolution) Usable() bool {
	return r.Agent != nil && r.State != ResolvedInactive && r.State != ResolvedNoAgent
}

// Version is that of the last known answer, 0 if there is none.
func (r Resolution) Version() int64 {
	if r.Agent == nil {
		return 0
	}
	return r.Agent.Version
}

// Instructions are those of the last known answer.
func (r Resolution) Instructions() string {
	if r.Agent == nil {
		return ""
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

func (a *resolved) MarshalJSON() ([]byte, error) { return a.raw, nil }

// is reports whether both are the same answer.
func (a *resolved) is(b *resolved) bool {
	return b != nil && a.ETag == b.ETag && bytes.Equal(a.raw, b.raw)
}

// keptAgent is the content of the file of an agent and a label.
type keptAgent struct {
	Server string   `json:"server"`
	Agent  string   `json:"agent"`
	Label  string   `json:"label"`
	ETag   string   `json:"etag"`
	Answer resolved `json:"answer"`
}

// Resolve asks which version of an agent a label names, for at most the timeout and without
// repeating. Call it before each piece of work: within the pause after the last request the
// answer comes from memory at once, and while a request is running all wait for its result.
// Name the agent by its id, because its name can change. If ctx ends first, the result is
// what is known.
func (r *Runtime) Resolve(ctx context.Context, agent, label string) Resolution {
	now := r.resolver(agent, label).now(ctx)
	if err := ctx.Err(); err != nil {
		now.State, now.Err = ResolvedDown, err
	}
	return now
}

// resolver returns what asks for a label of an agent. It knows at first what the file has.
func (r *Runtime) resolver(agent, label string) *poll[Resolution, *resolved] {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := target{agent, label}
	if p, ok := r.agents[t]; ok {
		return p
	}
	k := keptAgent{Server: r.server(), Agent: agent, Label: label}
	file := r.keptFile("resolved", k.Server, agent, label)
	p := &poll[Resolution, *resolved]{runtime: r, last: Resolution{Asked: agent, State: ResolvedDown, Err: errNotAsked}}
	old := k
	if file.read(&old, func() bool { return old.Server == k.Server && old.Agent == agent && old.Label == label }) {
		p.known = &old.Answer
		p.known.ETag, p.last.Agent, file.has = old.ETag, &p.known.ResolvedAgent, true
	}
	before := ResolveState("")
	p.ask = func(ctx context.Context, known *resolved) (Resolution, *resolved, error) {
		now, err := r.askAgent(ctx, k, known)
		next := Resolution{Asked: agent, State: stateOf(now, err), Err: err}
		if now != known {
			file.has = false
		}
		if now != nil {
			k.ETag, k.Answer, next.Agent = now.ETag, *now, &now.ResolvedAgent
			next.FileErr = file.write(&k)
		} else {
			next.FileErr = file.remove()
		}
		if next.State != before {
			r.event("state", map[string]any{"agent": agent, "label": label, "state": string(next.State), "before": string(before)})
			before = next.State
		}
		return next, now, err
	}
	r.agents[t] = p
	return p
}

// errNotAsked is the error of what is known before the first answer.
var errNotAsked = errors.New("client: the service was not asked yet")

// askAgent returns what is known after a request.
func (r *Runtime) askAgent(ctx context.Context, k keptAgent, known *resolved) (*resolved, error) {
	var unless []Option
	if known != nil && known.ETag != "" { // a proxy may have removed it
		unless = append(unless, IfNoneMatch(known.ETag))
	}
	var now resolved
	err := r.timed(ctx, "resolve", r.cfg.Timeout, func(ctx context.Context) (err error) {
		now, err = get[resolved](ctx, r.client, labelPath(k.Agent, k.Label), unless, ifNoneMatch)
		if err == nil && now.Label != k.Label {
			err = fmt.Errorf("client: the answer is about the label %q, and %q was asked for: %s", now.Label, k.Label, proxies)
		}
		return err
	})
	switch {
	case err == nil && now.is(known), errors.Is(err, ErrNotModified):
		return known, nil
	case err == nil:
		return &now, nil
	case errors.Is(err, ErrNotFound):
		return nil, err
	}
	return known, err
}

// stateOf returns what an answer says, or the error in its place.
func stateOf(now *resolved, err error) ResolveState {
	switch {
	case err == nil && now.Status == AgentActive:
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
	case answered && (e.Status == http.StatusUnauthorized || e.Status == http.StatusForbidden):
		return ResolvedRefused // also by a gateway
	case answered && e.Code != 0 && e.Status < http.StatusInternalServerError && e.Status != http.StatusTooManyRequests:
		return ResolvedRefused
	}
	return ResolvedDown
}

// ResolutionAll is what a [Runtime] knows of all agents that have a label.
type ResolutionAll struct {
	// State is [ResolvedCurrent], [ResolvedRefused] or [ResolvedDown].
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
}

// ResolveAll asks which version of each agent a label names, as [Runtime.Resolve] does for
// one. Each page of the list has the timeout.
func (r *Runtime) ResolveAll(ctx context.Context, label string) ResolutionAll {
	now := r.labelResolver(label).now(ctx)
	if err := ctx.Err(); err != nil {
		now.State, now.Err = ResolvedDown, err
	}
	return now
}

func (r *Runtime) labelResolver(label string) *poll[ResolutionAll, []labeledPage] {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p, ok := r.labeled[label]; ok {
		return p
	}
	k := keptLabel{Server: r.server(), Label: label}
	file := r.keptFile("labeled", k.Server, label)
	p := &poll[ResolutionAll, []labeledPage]{runtime: r, last: ResolutionAll{State: ResolvedDown, Err: errNotAsked}}
	old := k
	if file.read(&old, func() bool { return old.Server == k.Server && old.Label == label }) {
		p.known, p.last.Agents, file.has = old.Pages, agentsOf(old.Pages), true
	}
	p.ask = func(ctx context.Context, known []labeledPage) (ResolutionAll, []labeledPage, error) {
		pages, changed, err := r.askLabel(ctx, label, known)
		if err != nil {
			pages, changed = known, false
		}
		if changed {
			file.has = false
		}
		next := ResolutionAll{State: failureState(err), Agents: agentsOf(pages), Err: err}
		if k.Pages = pages; pages != nil {
			next.FileErr = file.write(&k)
		}
		return next, pages, err
	}
	r.labeled[label] = p
	return p
}

func agentsOf(pages []labeledPage) (all []ResolvedAgent) {
	for _, page := range pages {
		for _, a := range page.Agents {
			all = append(all, a.ResolvedAgent)
		}
	}
	return all
}

// askLabel reads all pages. Those that have not changed are the known ones.
func (r *Runtime) askLabel(ctx context.Context, label string, known []labeledPage) (pages []labeledPage, changed bool, err error) {
	old := map[string]labeledPage{}
	for _, page := range known {
		old[page.Cursor] = page
	}
	for cursor := ""; ; {
		page, ok := old[cursor]
		var unless []Option
		if ok && page.ETag != "" {
			unless = append(unless, IfNoneMatch(page.ETag))
		}
		err := r.timed(ctx, "resolve_all", r.cfg.Timeout, func(ctx context.Context) error {
			query := values{url.Values{}}.number("limit", 200).text("cursor", cursor)
			p, err := getPage[resolved](ctx, r.client, path("labels", label, "agents"), query, unless, ifNoneMatch)
			if err == nil {
				changed = true
				page = labeledPage{cursor, p.ETag, p.Next, p.Items}
			}
			return err
		})
		if err != nil && !errors.Is(err, ErrNotModified) {
			return nil, false, err
		}
		pages = append(pages, page)
		if cursor = page.Next; cursor == "" {
			return pages, changed || len(pages) != len(known), nil
		}
	}
}

// server is the address of the service as the files have it.
func (r *Runtime) server() string { return strings.TrimSuffix(r.client.base, apiPath) }
