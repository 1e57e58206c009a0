package client

import (
	"context"
	"net/http"
	"net/url"
)

// CompanyDays reads what all departments together did on each of the last days, 1 to 90; 0
// means 90.
func (c *Client) CompanyDays(ctx context.Context, days int, opts ...Option) (DailyFigures, error) {
	return c.days(ctx, path("company", "days"), days, opts)
}

// DepartmentDays reads the same of a department. It counts an event for the department that
// the agent was in when the event came in.
func (c *Client) DepartmentDays(ctx context.Context, name string, days int, opts ...Option) (DailyFigures, error) {
	return c.days(ctx, path("departments", name, "days"), days, opts)
}

// AgentDays reads the same of an agent, in whatever department it was.
func (c *Client) AgentDays(ctx context.Context, agent string, days int, opts ...Option) (DailyFigures, error) {
	return c.days(ctx, path("agents", agent, "days"), days, opts)
}

func (c *Client) days(ctx context.Context, path string, days int, opts []Option) (DailyFigures, error) {
	q := values{url.Values{}}.number("days", int64(days))
	return fetch[DailyFigures](ctx, c, request{method: http.MethodGet, path: path, query: q.Values}, opts)
}
