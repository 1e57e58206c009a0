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
	// Action is what was done, nil in entries of releases that did not write it: one of the
	// change log, or such as "session.issued".
	Action *ChangeAction `json:"action"`
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
	// Change is what the change log shows of the entry, nil for what is not in it.
	Change *ChangeEvent `json:"change"`
}

// AuditQuery selects entries. Conditions that are not empty must all hold.
type AuditQuery struct {
	PageQuery
	Actor    string
	Resource string
	// Since is the earliest time, Until the first that is too late.
	Since, Until time.Time
	// WithoutReports leaves out the entries of reported events.
	WithoutReports bool
}

func (q AuditQuery) values() values {
	return q.PageQuery.values().text("actor", q.Actor).text("resource", q.Resource).time("since", q.Since).time("until", q.Until).flag("without_reports", q.WithoutReports)
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
