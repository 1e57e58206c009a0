package client

import (
	"context"
	"iter"
	"time"
)

// AuditEntry is one change that was made.
type AuditEntry struct {
	ID        string    `json:"id"`
	Timestamp time.Time `json:"timestamp"`
	// Actor is the subject that made the change.
	Actor string `json:"actor"`
	// Route is the method and the template of the path.
	Route string `json:"route"`
	// Resource is what changed, such as "agents/" and an id.
	Resource string `json:"resource"`
	// RevisionFrom is nil for a creation, RevisionTo for a deletion, both for what
	// has no revision.
	RevisionFrom *int64 `json:"revision_from"`
	RevisionTo   *int64 `json:"revision_to"`
	// RequestID is the [RequestID] of the request.
	RequestID string `json:"request_id"`
}

// AuditQuery selects entries. Conditions that are not empty must all hold.
type AuditQuery struct {
	PageQuery
	Actor    string
	Resource string
	// Since is the earliest time, Until the first that is too late.
	Since, Until time.Time
}

func (q AuditQuery) values() values {
	return q.PageQuery.values().text("actor", q.Actor).text("resource", q.Resource).time("since", q.Since).time("until", q.Until)
}

// Audit lists the changes that were made, newest first. It needs [RoleAdmin]. An
// error is the last thing that comes.
func (c *Client) Audit(ctx context.Context, q AuditQuery) iter.Seq2[AuditEntry, error] {
	return walk[AuditEntry](ctx, c, path("audit"), q.values())
}

// AuditPage reads one page of [Client.Audit].
func (c *Client) AuditPage(ctx context.Context, q AuditQuery, opts ...Option) (Page[AuditEntry], error) {
	return getPage[AuditEntry](ctx, c, path("audit"), q.values(), opts)
}
