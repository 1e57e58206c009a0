package client

import (
	"context"
	"iter"
	"time"
)

// ActivityEvent is one thing that happened to an agent, or that it did.
type ActivityEvent struct {
	ID        string    `json:"id"`
	EventType EventType `json:"event_type"`
	Timestamp time.Time `json:"timestamp"`
	AgentID   string    `json:"agent_id"`
	// AgentName is the name at the time of the event.
	AgentName   string `json:"agent_name"`
	Description string `json:"description"`
	// RelatedIDs say what else is involved; "actor" is who made a lifecycle event.
	RelatedIDs map[string]string `json:"related_ids"`
	// Data is what was reported with a runtime event, nil for lifecycle events.
	// [Object.Decode] stores it in a [TaskCompleted] or the like.
	Data Object `json:"data"`
}

// CareerEvent is one step of an agent's career.
type CareerEvent struct {
	EventType   EventType `json:"event_type"`
	Timestamp   time.Time `json:"timestamp"`
	Description string    `json:"description"`
	// InitiatedBy is the subject that made the change.
	InitiatedBy string `json:"initiated_by"`
	// Metadata has from, to and version where they apply.
	Metadata map[string]string `json:"metadata"`
}

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

// ReportResult says how many reported events were new.
type ReportResult struct {
	Accepted   int64 `json:"accepted"`
	Duplicates int64 `json:"duplicates"`
	// Warnings name members of data that look like ones that are counted and are none, and days of agents
	// whose costs were reported in two ways that differ.
	Warnings []string `json:"warnings"`
}

// ReportActivities reports up to 1000 runtime events. All are stored or none; the
// error names every one that is wrong as events[i]. It takes [IdempotencyKey].
func (c *Client) ReportActivities(ctx context.Context, events []Report, opts ...Option) (ReportResult, error) {
	in := struct {
		Events []Report `json:"events"`
	}{events}
	return post[ReportResult](ctx, c, path("activities"), in, opts)
}
