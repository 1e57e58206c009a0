package client

import (
	"context"
	"iter"
	"net/http"
)

// LabelLatest is the label that always names the newest version of an agent. It is never
// set or removed.
const LabelLatest = "latest"

// Resolve reads the version of an agent that a label names. Another version that is written
// does not change it. An unknown agent is [ErrNotFound], an unknown label
// [ErrRecordNotFound]. It takes [IfNoneMatch]. [Runtime.Resolve] does this for a runtime.
func (c *Client) Resolve(ctx context.Context, agent, label string, opts ...Option) (ResolvedAgent, error) {
	return get[ResolvedAgent](ctx, c, labelPath(agent, label), opts, ifNoneMatch)
}

// Labels reads the labels of an agent in the order of their names, [LabelLatest] among them.
func (c *Client) Labels(ctx context.Context, agent string, opts ...Option) ([]Label, error) {
	return get[[]Label](ctx, c, path("agents", agent, "labels"), opts)
}

// SetLabel has a label name a version. A version that the agent does not have is
// [ErrRecordNotFound], a fixed label [ErrConflict], a protected one [ErrForbidden] for whom
// may not move it. [IfMatch] takes the tag of the agent; it also takes [ChangeReason].
func (c *Client) SetLabel(ctx context.Context, agent, label string, in LabelInput, opts ...Option) (Label, error) {
	agent, err := c.agentID(ctx, agent)
	if err != nil {
		return Label{}, err
	}
	return fetch[Label](ctx, c, request{
		method: http.MethodPut, path: labelPath(agent, label), body: in, takes: []string{ifMatch, changeReason},
	}, opts)
}

// RemoveLabel removes a label; its history stays. It fails as [Client.SetLabel] does and
// takes the same options.
func (c *Client) RemoveLabel(ctx context.Context, agent, label string, opts ...Option) error {
	agent, err := c.agentID(ctx, agent)
	if err != nil {
		return err
	}
	r := request{method: http.MethodDelete, path: labelPath(agent, label), takes: []string{ifMatch, changeReason}}
	return c.doUntilGone(ctx, r, opts, ErrRecordNotFound)
}

// LabelHistory lists what a label of an agent has named, newest first, page by page. It
// outlives the label, and the agent, which is named by its id then. An error is the last
// thing that comes.
func (c *Client) LabelHistory(ctx context.Context, agent, label string, q PageQuery) iter.Seq2[LabelMove, error] {
	return walk[LabelMove](ctx, c, labelPath(agent, label)+"/history", q.values())
}

// LabelHistoryPage reads one page of [Client.LabelHistory].
func (c *Client) LabelHistoryPage(ctx context.Context, agent, label string, q PageQuery, opts ...Option) (Page[LabelMove], error) {
	return getPage[LabelMove](ctx, c, labelPath(agent, label)+"/history", q.values(), opts)
}

func labelPath(agent, label string) string { return path("agents", agent, "labels", label) }

// LabeledQuery selects agents that have a label. Conditions that are not empty must all hold.
type LabeledQuery struct {
	PageQuery
	// Department is the name of a department.
	Department string
	Status     AgentStatus
	// Owner is a subject, in the letter case in which it is written.
	Owner string
	// Tags are tags of which an agent has all.
	Tags []string
}

func (q LabeledQuery) values() values {
	return q.PageQuery.values().text("department", q.Department).text("status", string(q.Status)).
		text("owner", q.Owner).texts("tag", q.Tags)
}

// Labeled lists the agents that have a label, in the order of the organization, page by
// page. An error is the last thing that comes.
func (c *Client) Labeled(ctx context.Context, label string, q LabeledQuery) iter.Seq2[ResolvedAgent, error] {
	return walk[ResolvedAgent](ctx, c, path("labels", label, "agents"), q.values())
}

// LabeledPage reads one page of [Client.Labeled]. It takes [IfNoneMatch], with the
// [Page.ETag] that the same page has had.
func (c *Client) LabeledPage(ctx context.Context, label string, q LabeledQuery, opts ...Option) (Page[ResolvedAgent], error) {
	return getPage[ResolvedAgent](ctx, c, path("labels", label, "agents"), q.values(), opts, ifNoneMatch)
}
