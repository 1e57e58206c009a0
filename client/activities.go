package client

import (
	"context"
	"iter"
)

// ActivityWindow is how many hours of a feed to read.
type ActivityWindow int

// The windows of a feed.
const (
	LastDay     ActivityWindow = 24
	LastTwoDays ActivityWindow = 48
	LastWeek    ActivityWindow = 168
)

// ActivityQuery selects events. Conditions that are not empty must all hold.
type ActivityQuery struct {
	PageQuery
	Type EventType
	// Agent is the id or name of an agent.
	Agent string
	// Window counts back from the time of the first page.
	Window ActivityWindow
}

func (q ActivityQuery) values() values {
	return feed(q.PageQuery.values(), q.Type, q.Agent, q.Window)
}

// feed are the parameters that select events.
func feed(v values, typ EventType, agent string, window ActivityWindow) values {
	return v.text("type", string(typ)).text("agent_id", agent).number("last_n_hours", int64(window))
}

// Activities lists the events of all agents, newest first, page by page. An
// error is the last thing that comes.
func (c *Client) Activities(ctx context.Context, q ActivityQuery) iter.Seq2[ActivityEvent, error] {
	return walk[ActivityEvent](ctx, c, path("activities"), q.values())
}

// ActivityPage reads one page of [Client.Activities].
func (c *Client) ActivityPage(ctx context.Context, q ActivityQuery, opts ...Option) (Page[ActivityEvent], error) {
	return getPage[ActivityEvent](ctx, c, path("activities"), q.values(), opts)
}

// ReportActivities reports up to 1000 runtime events. All are stored or none; the
// error names every one that is wrong as events[i]. It takes [IdempotencyKey].
func (c *Client) ReportActivities(ctx context.Context, events []Report, opts ...Option) (ReportResult, error) {
	in := struct {
		Events []Report `json:"events"`
	}{events}
	return post[ReportResult](ctx, c, path("activities"), in, opts)
}
