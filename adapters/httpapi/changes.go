package httpapi

import (
	"time"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/activity"
	"orgd/domain/audit"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/ports"
)

// changes are the handlers of the change log.
type changes struct {
	svc   *app.Changes
	clock ports.Clock
}

// list serves GET /changes.
func (h changes) list(r *request.Request) error {
	q := r.Query()
	agent, in, window := changeFilters(q)
	since := q.Time("since")
	in.Until = q.Time("until")
	p, err := q.Paging(request.DefaultLimit, 3)
	if err != nil {
		return err
	}
	in.Since = later(since, window.Since(h.clock.Now()))
	if p.At != nil {
		at, err := protocol.ParseTime(p.At[0])
		if err == nil && window != 0 { // it counts from the time of the first page
			in.Since, err = protocol.ParseTime(p.At[2])
		}
		if err != nil {
			return err
		}
		in.After = &audit.Position{At: at, ID: p.At[1]}
	}
	in.Limit = p.Limit + 1
	rows, err := h.svc.List(r.Ctx(), app.ListChanges{Query: in, Agent: agent})
	if err != nil {
		return err
	}
	write := func(w *jsondoc.Writer, e audit.Entry) { e.WriteChange(w) }
	return request.SendSmallPage(r, p, rows, write, func(e audit.Entry) protocol.Position {
		return protocol.Position{protocol.FormatTime(e.At), e.ID, protocol.FormatTime(in.Since)}
	})
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

// changeFilters reads the filters of the change log.
func changeFilters(q *request.Query) (agent *identity.Ref, in audit.Query, window activity.Window) {
	in = audit.Query{
		Actor:      q.Text("actor", 1024),
		Actions:    request.Word(q, "action", maxFilter, audit.ActionsOf),
		Department: q.Name("department").Key,
	}
	return q.Ref("agent_id"), in, request.Word(q, "last_n_hours", 8, activity.ParseWindow)
}

// followChanges serves GET /changes/stream.
func (h streams) followChanges(r *request.Request) error {
	return h.serve(r, func(q *request.Query, now time.Time) app.Follow {
		agent, in, window := changeFilters(q)
		return app.Follow{Agent: agent, Changes: &in, Since: window.Since(now)}
	})
}
