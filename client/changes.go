package client

import (
	"context"
	"iter"
	"net/url"
	"time"
)

// ChangeFilter selects changes. Conditions that are not empty must all hold.
type ChangeFilter struct {
	// Action is one of the actions, or the first part of some, such as "agent".
	Action ChangeAction
	// Agent is the id or name of an agent; of a deleted one, its id.
	Agent      string
	Department string
	Actor      string
	// Window counts back from the time of the first page, or of opening a stream.
	Window ActivityWindow
}

func (f ChangeFilter) add(v values) values {
	return v.text("action", string(f.Action)).text("agent_id", f.Agent).text("department", f.Department).
		text("actor", f.Actor).number("last_n_hours", int64(f.Window))
}

// ChangeQuery selects a page of changes.
type ChangeQuery struct {
	PageQuery
	ChangeFilter
	// Since and Until select the changes at Since or later and before Until; zero times
	// select everything.
	Since, Until time.Time
}

func (q ChangeQuery) values() values {
	return q.add(q.PageQuery.values()).time("since", q.Since).time("until", q.Until)
}

// Changes lists the change log, newest first, page by page. An error is the last thing
// that comes.
func (c *Client) Changes(ctx context.Context, q ChangeQuery) iter.Seq2[ChangeEvent, error] {
	return walk[ChangeEvent](ctx, c, path("changes"), q.values())
}

// ChangePage reads one page of [Client.Changes].
func (c *Client) ChangePage(ctx context.Context, q ChangeQuery, opts ...Option) (Page[ChangeEvent], error) {
	return getPage[ChangeEvent](ctx, c, path("changes"), q.values(), opts)
}

// ChangeStreamQuery selects changes to follow.
type ChangeStreamQuery struct {
	ChangeFilter
	// After is the [StreamChange.Position] to go on behind, of a stream with the same
	// conditions; "" begins now.
	After string
	// Opened, unless it is nil, is called each time a connection is open.
	Opened func()
}

// StreamChange is a change of the stream.
type StreamChange struct {
	ChangeEvent
	// Position and Resync are those of a [StreamEvent]; [Client.Changes] has what is missing.
	Position string
	Resync   bool
}

// StreamChanges follows the change log, as [Client.StreamActivities] follows events.
func (c *Client) StreamChanges(ctx context.Context, q ChangeStreamQuery) iter.Seq2[StreamChange, error] {
	s := &stream{client: c, path: "/changes/stream", query: q.add(values{url.Values{}}), place: q.After, opened: q.Opened}
	return items(ctx, s, s.change)
}

// change reads what is at a position.
func (s *stream) change(at string, data []byte) (e StreamChange, err error) {
	e.Position, e.Resync = at, data == nil
	return e, s.decode(at, data, &e.ChangeEvent)
}
