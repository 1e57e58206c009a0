package client

import (
	"context"
	"iter"
	"net/http"
)

// AgentQuery selects agents. Conditions that are not empty must all hold.
type AgentQuery struct {
	PageQuery
	// Department is the name of a department.
	Department string
	Status     AgentStatus
	Level      AgentLevel
	// NamePrefix is how names begin, in any letter case. The list is then ordered
	// by name.
	NamePrefix string
	// Summary leaves out the instructions, by far the longest field.
	Summary bool
}

// Agents lists agents in the order of the organization, page by page. An error
// is the last thing that comes.
func (c *Client) Agents(ctx context.Context, q AgentQuery) iter.Seq2[Agent, error] {
	return walk(ctx, c, q.Cursor, func(cursor string) (Page[Agent], error) {
		q.Cursor = cursor
		return c.AgentPage(ctx, q)
	})
}

// AgentPage reads one page of [Client.Agents].
func (c *Client) AgentPage(ctx context.Context, q AgentQuery, opts ...Option) (Page[Agent], error) {
	v := q.values().text("department", q.Department).text("status", string(q.Status)).
		text("level", string(q.Level)).text("q", q.NamePrefix)
	if q.Summary {
		v = v.text("view", "summary")
	}
	return getPage[Agent](ctx, c, request{path: path("agents"), query: v.Values}, opts)
}

// Agent reads an agent by name or id. A deleted one is [ErrNotFound]. It takes
// [IfNoneMatch].
func (c *Client) Agent(ctx context.Context, agent string, opts ...Option) (Agent, error) {
	return fetch[Agent](ctx, c, request{method: http.MethodGet, path: path("agents", agent), takes: []string{ifNoneMatch}}, opts)
}

// CreateAgent hires an agent. A department that does not exist is
// [ErrValidation], a name that is taken [ErrDuplicate]. It takes
// [IdempotencyKey] and [ChangeReason].
func (c *Client) CreateAgent(ctx context.Context, in AgentInput, opts ...Option) (Agent, error) {
	return fetch[Agent](ctx, c, request{method: http.MethodPost, path: path("agents"), body: in, takes: []string{changeReason}}, opts)
}

// UpdateAgent reads an agent, lets change have it, and sends the difference if
// nobody else has changed the agent meanwhile; otherwise it begins again, so
// change may run more than once and should touch nothing but its argument. An
// error from change is returned as it is, and nothing is sent; neither if there
// is no difference. The result is the agent as it is then.
//
// With [IfMatch] it does not begin again: the agent must have that tag. It also
// takes [ChangeReason].
func (c *Client) UpdateAgent(ctx context.Context, agent string, change func(*Agent) error, opts ...Option) (Agent, error) {
	return update(ctx, c, path("agents", agent), []string{changeReason}, func(a *Agent) error {
		err := change(a)
		if a.Metadata == nil {
			a.Metadata = Object{} // it cannot be null
		}
		return err
	}, opts)
}

// PatchAgent sends a merge patch: what is not in it stays, null clears, lists are
// replaced. It is merged into the agent as it is when it arrives. It takes
// [IfMatch] and [ChangeReason].
func (c *Client) PatchAgent(ctx context.Context, agent string, patch Object, opts ...Option) (Agent, error) {
	return fetch[Agent](ctx, c, request{method: http.MethodPatch, path: path("agents", agent), body: patch, takes: []string{ifMatch, changeReason}}, opts)
}

// DeleteAgent fires an agent and frees its name. Its versions, history and
// activity stay readable by id. It takes [IfMatch].
func (c *Client) DeleteAgent(ctx context.Context, agent string, opts ...Option) error {
	return c.remove(ctx, path("agents", agent), opts)
}

// AgentActivity lists what happened to an agent, newest first.
func (c *Client) AgentActivity(ctx context.Context, agent string, q PageQuery) iter.Seq2[ActivityEvent, error] {
	return walk(ctx, c, q.Cursor, func(cursor string) (Page[ActivityEvent], error) {
		q.Cursor = cursor
		return c.AgentActivityPage(ctx, agent, q)
	})
}

// AgentActivityPage reads one page of [Client.AgentActivity].
func (c *Client) AgentActivityPage(ctx context.Context, agent string, q PageQuery, opts ...Option) (Page[ActivityEvent], error) {
	return getPage[ActivityEvent](ctx, c, request{path: path("agents", agent, "activity"), query: q.values().Values}, opts)
}

// AgentHistory reads the career of an agent, oldest event first.
func (c *Client) AgentHistory(ctx context.Context, agent string, opts ...Option) ([]CareerEvent, error) {
	return fetch[[]CareerEvent](ctx, c, request{method: http.MethodGet, path: path("agents", agent, "history")}, opts)
}

// AgentHealth tells how an agent is doing.
func (c *Client) AgentHealth(ctx context.Context, agent string, opts ...Option) (AgentHealth, error) {
	return fetch[AgentHealth](ctx, c, request{method: http.MethodGet, path: path("agents", agent, "health")}, opts)
}

// AgentPerformance reads the figures of an agent, which come from reported
// events.
func (c *Client) AgentPerformance(ctx context.Context, agent string, opts ...Option) (AgentPerformance, error) {
	return fetch[AgentPerformance](ctx, c, request{method: http.MethodGet, path: path("agents", agent, "performance")}, opts)
}
