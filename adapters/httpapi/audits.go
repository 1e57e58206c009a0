package httpapi

import (
	"strconv"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/jsondoc"
	"orgd/ports"
)

// audits are the handlers of the audit trail.
type audits struct {
	log   ports.AuditLog
	trail *app.Trail
}

func writeEntry(w *jsondoc.Writer, e audit.Entry) { e.Write(w) }

// list serves GET /audit.
func (h audits) list(r *request.Request) error {
	q := r.Query()
	if q.Has("follow") && q.Flag("follow") {
		return h.follow(r, q)
	}
	in := entryFilters(q)
	in.Since, in.Until = q.Time("since"), q.Time("until")
	if q.Flag("without_reports") {
		in.Part = audit.WithoutReports
	}
	p, err := q.Paging(request.DefaultLimit, 2)
	if err != nil {
		return err
	}
	if p.At != nil {
		at, err := protocol.ParseTime(p.At[0])
		if err != nil {
			return err
		}
		in.After = &audit.Position{At: at, ID: p.At[1]}
	}
	in.Limit = p.Limit + 1
	rows, err := h.log.Entries(r.Ctx(), in)
	if err != nil {
		return err
	}
	return request.SendSmallPage(r, p, rows, writeEntry, func(e audit.Entry) protocol.Position { return protocol.Position{protocol.FormatTime(e.At), e.ID} })
}

func entryFilters(q *request.Query) audit.Query {
	return audit.Query{Actor: q.Text("actor", 1024), Resource: audit.Resource(q.Text("resource", 512))}
}

// follow serves GET /audit?follow=true. Its cursors are good for any filter.
func (h audits) follow(r *request.Request, q *request.Query) error {
	p, err := q.Paging(request.DefaultLimit, 4)
	if err != nil {
		return err
	}
	in, since := entryFilters(q), q.Time("since")
	if q.Flag("without_reports") {
		in.Part = audit.WithoutReports
	}
	if q.Has("until") {
		q.Fail("until: does not go with follow")
	}
	if q.Err != nil {
		return q.Err
	}
	var at app.TrailPosition
	if p.At == nil {
		at, err = h.trail.Begin(r.Ctx(), since)
	} else {
		at, err = parseTrailPosition(p.At)
	}
	if err != nil {
		return err
	}
	page, err := h.trail.After(r.Ctx(), at, in, p.Limit)
	if err != nil {
		return err
	}
	return request.SendFollowed(r, p, page.Entries, writeEntry, trailPosition(page.Next), page.More)
}

// trailPosition returns a position as a cursor has it.
func trailPosition(p app.TrailPosition) protocol.Position {
	at, id := "", ""
	if p.Older != nil {
		at, id = protocol.FormatTime(p.Older.At), p.Older.ID
	}
	return protocol.Position{strconv.FormatInt(int64(p.UpTo), 36), protocol.FormatTime(p.At), at, id}
}

func parseTrailPosition(parts protocol.Position) (p app.TrailPosition, err error) {
	upTo, err := strconv.ParseInt(parts[0], 36, 64)
	if err != nil {
		return p, protocol.ErrCursor
	}
	p.UpTo = activity.Seq(upTo)
	if p.At, err = protocol.ParseTime(parts[1]); err != nil || parts[2] == "" {
		return p, err
	}
	at, err := protocol.ParseTime(parts[2])
	p.Older = &audit.Position{At: at, ID: parts[3]}
	return p, err
}
