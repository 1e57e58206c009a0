package client

import (
	"context"
	"iter"
	"net/http"
	"net/url"
)

func deletedValues(q PageQuery) values {
	v := q.values()
	v.Set("deleted", "true")
	return v
}

// DeletedAgents lists the agents that were deleted, the last one first, page by page. An
// error is the last thing that comes.
func (c *Client) DeletedAgents(ctx context.Context, q PageQuery) iter.Seq2[DeletedAgent, error] {
	return walk[DeletedAgent](ctx, c, path("agents"), deletedValues(q))
}

// DeletedAgentPage reads one page of [Client.DeletedAgents].
func (c *Client) DeletedAgentPage(ctx context.Context, q PageQuery, opts ...Option) (Page[DeletedAgent], error) {
	return getPage[DeletedAgent](ctx, c, path("agents"), deletedValues(q), opts)
}

// RestoreAgent brings a deleted agent back, by its id, with its last content as a new
// version. Its labels do not come back. A name that is taken, a department that is gone and
// an agent that is not deleted are [ErrConflict]. It takes [IfMatch], [IdempotencyKey] and
// [ChangeReason].
func (c *Client) RestoreAgent(ctx context.Context, id string, in RestoreInput, opts ...Option) (Agent, error) {
	return post[Agent](ctx, c, path("agents", id, "restore"), in, opts, ifMatch, changeReason)
}

// PurgeAgent removes what is left of a deleted agent, by its id and for good: its versions,
// its events and its figures. One that is not deleted is [ErrConflict]. It takes [IfMatch]
// and [ChangeReason].
func (c *Client) PurgeAgent(ctx context.Context, id string, opts ...Option) error {
	r := request{method: http.MethodDelete, path: path("agents", id), query: url.Values{"purge": {"true"}}, takes: []string{ifMatch, changeReason}}
	return c.doUntilGone(ctx, r, opts, ErrNotFound)
}
