package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// LabelLatest is the label that always names the newest version of an agent. It is never
// set or removed.
const LabelLatest = "latest"

// Label names a version of an agent, such as "production".
type Label struct {
	Name    string `json:"label"`
	Version int64  `json:"version"`
	// Fixed says that the label is never moved or removed.
	Fixed bool `json:"fixed"`
	// Protected says that the agent's department protects the label.
	Protected bool `json:"protected"`
	// SetBy is the subject that has set or moved it.
	SetBy string    `json:"set_by"`
	SetAt time.Time `json:"set_at"`
	// Reason is why, in the caller's words.
	Reason *string `json:"reason"`

	// ETag is the tag of the agent after [Client.SetLabel], for [IfMatch].
	ETag string `json:"-"`
}

func (l *Label) setETag(tag string) { l.ETag = tag }

// LabelInput says what a label is to name.
type LabelInput struct {
	Version int64 `json:"version"`
	// Reason says why; it is kept with the label, in its history and in the change log.
	Reason string `json:"reason,omitzero"`
	// Fixed true has the label name this version for ever. With nil it stays as it is, and a
	// new label is not fixed.
	Fixed *bool `json:"fixed,omitzero"`
}

// LabelMove is an entry of the history of a label.
type LabelMove struct {
	// Version is what the label named then, nil if it was removed.
	Version *int64 `json:"version"`
	// FromVersion is what it named before, nil if it was new.
	FromVersion *int64 `json:"from_version"`
	// By is the subject that moved it.
	By     string    `json:"by"`
	At     time.Time `json:"at"`
	Reason *string   `json:"reason"`
	Way    ChangeWay `json:"way"`
}

// ResolvedAgent is an agent as it is now, with the version that a label names.
type ResolvedAgent struct {
	AgentID string `json:"agent_id"`
	// Name, Department and Status are those that the agent has now, whatever the version says.
	Name       string      `json:"name"`
	Department string      `json:"department"`
	Status     AgentStatus `json:"status"`
	Label      string      `json:"label"`
	Version    int64       `json:"version"`
	// ContentHash is that of the version.
	ContentHash string        `json:"content_hash"`
	Identity    AgentIdentity `json:"snapshot"`

	// ETag is the tag of this answer, for [IfNoneMatch]; it is empty in lists.
	ETag string `json:"-"`
}

func (a *ResolvedAgent) setETag(tag string) { a.ETag = tag }

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
