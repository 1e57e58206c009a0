package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
	"strconv"
)

// PatchOp is what an operation of a JSON Patch does.
type PatchOp string

// The operations.
const (
	PatchAdd     PatchOp = "add"
	PatchRemove  PatchOp = "remove"
	PatchReplace PatchOp = "replace"
)

// PatchOperation is one operation of a JSON Patch (RFC 6902).
type PatchOperation struct {
	Op PatchOp `json:"op"`
	// Path is a JSON Pointer.
	Path string `json:"path"`
	// Value is the new value, as [Object] has them; nil for [PatchRemove].
	Value any `json:"value,omitempty"`
}

// Versions lists the versions of an agent's identity, newest first. The agent
// is named by id or, unless it was deleted, by name.
func (c *Client) Versions(ctx context.Context, agent string, q PageQuery) iter.Seq2[Version, error] {
	return walk[Version](ctx, c, path("agents", agent, "versions"), q.values())
}

// VersionPage reads one page of [Client.Versions].
func (c *Client) VersionPage(ctx context.Context, agent string, q PageQuery, opts ...Option) (Page[Version], error) {
	return getPage[Version](ctx, c, path("agents", agent, "versions"), q.values(), opts)
}

// Version reads one version. It takes [IfNoneMatch].
func (c *Client) Version(ctx context.Context, agent string, number int64, opts ...Option) (Version, error) {
	p := path("agents", agent, "versions", strconv.FormatInt(number, 10))
	return get[Version](ctx, c, p, opts, ifNoneMatch)
}

// VersionDiff compares a version with a later one.
func (c *Client) VersionDiff(ctx context.Context, agent string, from, to int64, opts ...Option) (VersionDiff, error) {
	return fetch[VersionDiff](ctx, c, diffRequest(agent, from, to), opts)
}

// VersionPatch is the JSON Patch that turns the identity of a version into that
// of a later one.
func (c *Client) VersionPatch(ctx context.Context, agent string, from, to int64, opts ...Option) ([]PatchOperation, error) {
	r := diffRequest(agent, from, to)
	r.accept = jsonPatchType + ", " + jsonType + ";q=0.1" // errors come as JSON
	a, err := c.do(ctx, r, opts)
	if err != nil {
		return nil, err
	}
	var all []PatchOperation
	return all, a.decode(&all, r)
}

func diffRequest(agent string, from, to int64) request {
	q := values{url.Values{}}.number("from_version", from).number("to_version", to)
	return request{method: http.MethodGet, path: path("agents", agent, "versions", "diff"), query: q.Values}
}

// RollbackAgent writes a new version with the content of an earlier one. What is
// not part of the identity stays. The result is the identity after that, under
// the agent's tag. It takes [IfMatch] and [IdempotencyKey].
func (c *Client) RollbackAgent(ctx context.Context, agent string, in RollbackInput, opts ...Option) (AgentIdentity, error) {
	agent, err := c.agentID(ctx, agent)
	if err != nil {
		return AgentIdentity{}, err
	}
	return fetch[AgentIdentity](ctx, c, rollbackRequest(agent, in), opts)
}

// PreviewRollback makes every check of [Client.RollbackAgent] and returns what
// the agent would become, but changes nothing.
func (c *Client) PreviewRollback(ctx context.Context, agent string, in RollbackInput, opts ...Option) (AgentIdentity, error) {
	r := rollbackRequest(agent, in)
	r.query = url.Values{"dry_run": {"true"}}
	return fetch[AgentIdentity](ctx, c, r, opts)
}

func rollbackRequest(agent string, in RollbackInput) request {
	return request{method: http.MethodPost, path: path("agents", agent, "versions", "rollback"), body: in, takes: []string{ifMatch, changeReason}}
}
