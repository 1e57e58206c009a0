package client

import (
	"context"
	"iter"
)

// AgentQuery selects agents. Conditions that are not empty must all hold.
type AgentQuery struct {
	PageQuery
	// Department is the name of a department.
	Department string
	Status     AgentStatus
	Level      AgentLevel
	// Owner is a subject, in the letter case in which it is written.
	Owner string
	// Tags are tags of which an agent has all.
	Tags []string
	// NamePrefix is how names begin, in any letter case. The list is then ordered
	// by name.
	NamePrefix string
	// Summary leaves out the instructions, by far the longest field.
	Summary bool
}

func (q AgentQuery) values() values {
	v := q.PageQuery.values().text("department", q.Department).text("status", string(q.Status)).
		text("level", string(q.Level)).text("owner", q.Owner).texts("tag", q.Tags).text("q", q.NamePrefix)
	if q.Summary {
		v.Set("view", "summary")
	}
	return v
}

// Agents lists agents in the order of the organization, page by page. An error
// is the last thing that comes.
func (c *Client) Agents(ctx context.Context, q AgentQuery) iter.Seq2[Agent, error] {
	return walk[Agent](ctx, c, path("agents"), q.values())
}

// AgentPage reads one page of [Client.Agents].
func (c *Client) AgentPage(ctx context.Context, q AgentQuery, opts ...Option) (Page[Agent], error) {
	return getPage[Agent](ctx, c, path("agents"), q.values(), opts)
}

// Agent reads an agent by name or id. A deleted one is [ErrNotFound]. It takes
// [IfNoneMatch].
func (c *Client) Agent(ctx context.Context, agent string, opts ...Option) (Agent, error) {
	return get[Agent](ctx, c, path("agents", agent), opts, ifNoneMatch)
}

// CreateAgent hires an agent. A department that does not exist is
// [ErrValidation], a name that is taken [ErrDuplicate]. It takes
// [IdempotencyKey] and [ChangeReason].
func (c *Client) CreateAgent(ctx context.Context, in AgentInput, opts ...Option) (Agent, error) {
	return post[Agent](ctx, c, path("agents"), in, opts, changeReason)
}

// PatchAgent sends a merge patch: what is not in it stays, null clears, lists are
// replaced. It is merged into the agent as it is when it arrives. It takes
// [IfMatch] and [ChangeReason].
func (c *Client) PatchAgent(ctx context.Context, agent string, patch Object, opts ...Option) (Agent, error) {
	agent, err := c.agentID(ctx, agent)
	if err != nil {
		return Agent{}, err
	}
	return mergePatch[Agent](ctx, c, path("agents", agent), patch, opts, changeReason)
}

// DeleteAgent fires an agent and frees its name. Its versions, history and
// activity stay readable by id. It takes [IfMatch].
func (c *Client) DeleteAgent(ctx context.Context, agent string, opts ...Option) error {
	agent, err := c.agentID(ctx, agent)
	if err != nil {
		return err
	}
	return c.remove(ctx, path("agents", agent), opts, changeReason)
}

// AgentActivity lists what happened to an agent, newest first.
func (c *Client) AgentActivity(ctx context.Context, agent string, q PageQuery) iter.Seq2[ActivityEvent, error] {
	return walk[ActivityEvent](ctx, c, path("agents", agent, "activity"), q.values())
}

// AgentActivityPage reads one page of [Client.AgentActivity].
func (c *Client) AgentActivityPage(ctx context.Context, agent string, q PageQuery, opts ...Option) (Page[ActivityEvent], error) {
	return getPage[ActivityEvent](ctx, c, path("agents", agent, "activity"), q.values(), opts)
}

// AgentHistory reads the career of an agent, oldest event first.
func (c *Client) AgentHistory(ctx context.Context, agent string, opts ...Option) ([]CareerEvent, error) {
	return get[[]CareerEvent](ctx, c, path("agents", agent, "history"), opts)
}

// AgentHealth tells how an agent is doing.
func (c *Client) AgentHealth(ctx context.Context, agent string, opts ...Option) (AgentHealth, error) {
	return get[AgentHealth](ctx, c, path("agents", agent, "health"), opts)
}

// AgentPerformance reads the figures of an agent, which come from reported
// events.
func (c *Client) AgentPerformance(ctx context.Context, agent string, opts ...Option) (AgentPerformance, error) {
	return get[AgentPerformance](ctx, c, path("agents", agent, "performance"), opts)
}
