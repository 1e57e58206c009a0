package client

import (
	"context"
	"iter"
)

// FigureSort is what the figures of agents are ordered by. Agents without data come last.
type FigureSort string

// The orders of figures.
const (
	SortByName    FigureSort = "name"
	SortBySuccess FigureSort = "success" // the worst success rate first
	SortByQuality FigureSort = "quality" // the worst score first
	SortByCost    FigureSort = "cost"    // the highest cost first
	SortByTasks   FigureSort = "tasks"   // the most completed tasks first
)

// FiguresQuery selects the figures of agents. Conditions that are not empty must all hold.
type FiguresQuery struct {
	PageQuery
	// Window is of how many days the figures are, 30 if it is empty.
	Window WindowSize
	// Sort is what they are ordered by, the name if it is empty.
	Sort FigureSort
	// Department is the name of a department.
	Department string
	Status     AgentStatus
	Level      AgentLevel
	// Owner is a subject, in the letter case in which it is written.
	Owner string
	// Tags are tags of which an agent has all.
	Tags []string
}

func (q FiguresQuery) values() values {
	agents := AgentQuery{PageQuery: q.PageQuery, Department: q.Department, Status: q.Status, Level: q.Level, Owner: q.Owner, Tags: q.Tags}
	return agents.values().text("window", string(q.Window)).text("sort", string(q.Sort))
}

// AgentFigures lists the figures of agents, page by page. What is reported meanwhile may move
// an agent to another page. An error is the last thing that comes.
func (c *Client) AgentFigures(ctx context.Context, q FiguresQuery) iter.Seq2[AgentFigures, error] {
	return walk[AgentFigures](ctx, c, path("company", "agents", "figures"), q.values())
}

// AgentFiguresPage reads one page of [Client.AgentFigures].
func (c *Client) AgentFiguresPage(ctx context.Context, q FiguresQuery, opts ...Option) (Page[AgentFigures], error) {
	return getPage[AgentFigures](ctx, c, path("company", "agents", "figures"), q.values(), opts)
}
