package client

import (
	"context"
	"iter"
)

// SearchQuery selects agents in which a text stands. Conditions that are not empty must
// all hold.
type SearchQuery struct {
	PageQuery
	// Text has 3 to 128 characters; 2 are enough where one is of a script that writes no spaces
	// between words. It is found in names, roles, descriptions, tags and
	// instructions, in any letter case.
	Text string
	// Department is the name of a department.
	Department string
	Status     AgentStatus
	Level      AgentLevel
	// Owner is a subject, in the letter case in which it is written.
	Owner string
	// Tags are tags of which an agent has all.
	Tags []string
	// Summary leaves out the instructions, by far the longest field.
	Summary bool
}

func (q SearchQuery) values() values {
	v := AgentQuery{
		PageQuery: q.PageQuery, Department: q.Department, Status: q.Status, Level: q.Level, Owner: q.Owner, Tags: q.Tags, Summary: q.Summary,
	}.values()
	v.Set("search", q.Text) // also if it is empty: without it, all agents are listed
	return v
}

// Search lists the agents in which a text stands, in the order of the organization, page
// by page. An error is the last thing that comes.
func (c *Client) Search(ctx context.Context, q SearchQuery) iter.Seq2[FoundAgent, error] {
	return walk[FoundAgent](ctx, c, path("agents"), q.values())
}

// SearchPage reads one page of [Client.Search]. A page may have fewer agents than others,
// or none, though there is a next one: how much is searched for a page has a bound.
func (c *Client) SearchPage(ctx context.Context, q SearchQuery, opts ...Option) (Page[FoundAgent], error) {
	return getPage[FoundAgent](ctx, c, path("agents"), q.values(), opts)
}
