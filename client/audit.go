package client

import (
	"context"
	"errors"
	"iter"
	"time"
)

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

// AuditFollow says where [Client.FollowAudit] begins, and what of it comes.
type AuditFollow struct {
	// After is the Position of an entry that came before. If it is "", the first entries are
	// those of Since; a zero Since is the oldest that is kept.
	After    string
	Since    time.Time
	Actor    string
	Resource string
	// WithoutReports leaves out the entries of reported events.
	WithoutReports bool
	// Opened, if not nil, is called when the service has answered for the first time.
	Opened func()
}

// values are those of the next page. The first one has one entry, so that each has a position.
func (q AuditFollow) values() values {
	page := PageQuery{Limit: 200, Cursor: q.After}
	if q.After == "" {
		page.Limit = 1
	}
	return AuditQuery{PageQuery: page, Actor: q.Actor, Resource: q.Resource, Since: q.Since, WithoutReports: q.WithoutReports}.
		values().flag("follow", true)
}

// FollowedEntry is an entry, and where to go on behind it: who goes on there misses none,
// and may get some once more.
type FollowedEntry struct {
	Position string
	AuditEntry
}

// followEvery is the time between two looks for audit entries.
const followEvery = time.Second

// lateCommits is how much later than the entries of others one may be committed.
const lateCommits = 10 * time.Minute

// FollowAudit follows the audit trail in the order of the commits. None is left out, also if
// the loop ends and begins again much later, with the last Position; an entry may come more
// than once, which its ID shows. It needs [RoleAdmin].
//
// A Position is refused when the service has got another cursor key. Then the entries come again from ten minutes
// before the last one, or all that are kept if this loop has had none.
//
// An error comes as an item of its own, and a loop that goes on has the client try again. The
// last item is the error of ctx, unless the loop is left.
func (c *Client) FollowAudit(ctx context.Context, q AuditFollow) iter.Seq2[FollowedEntry, error] {
	return func(yield func(FollowedEntry, error) bool) {
		var last time.Time // of the entries that have come
		for {
			page, err := getPage[AuditEntry](ctx, c, path("audit"), q.values(), nil)
			if ctx.Err() != nil {
				yield(FollowedEntry{}, ctx.Err())
				return
			}
			if q.After != "" && errors.Is(err, ErrRequestValidation) {
				q.After, q.Since = "", time.Time{}
				if !last.IsZero() {
					q.Since = last.Add(-lateCommits)
				}
				continue
			}
			if err != nil && !yield(FollowedEntry{}, err) {
				return
			}
			if err == nil && q.Opened != nil {
				q.Opened()
				q.Opened = nil
			}
			for i, e := range page.Items {
				if i == len(page.Items)-1 {
					q.After = page.Next
				}
				if e.Timestamp.After(last) {
					last = e.Timestamp
				}
				if !yield(FollowedEntry{q.After, e}, nil) {
					return
				}
			}
			if err == nil {
				q.After = page.Next
			}
			if !page.more && !sleep(ctx, followEvery) {
				yield(FollowedEntry{}, ctx.Err())
				return
			}
		}
	}
}
