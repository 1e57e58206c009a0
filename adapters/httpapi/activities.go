package httpapi

import (
	"net/http"
	"time"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/activity"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/ports"
)

// activities are the handlers of the feed of events.
type activities struct {
	svc   *app.Activities
	clock ports.Clock
}

// list serves GET /activities.
func (h activities) list(r *request.Request) error {
	q := r.Query()
	var in app.Feed
	var window activity.Window
	in.Agent, in.Type, window = feedFilters(q)
	p, err := q.Paging(request.DefaultLimit, 3)
	if err != nil {
		return err
	}
	if window != 0 {
		in.Since = window.Since(h.clock.Now())
	}
	if p.At != nil {
		// The window counts from the time of the first page.
		if in.After, err = feedPosition(p.At); err == nil && window != 0 {
			in.Since, err = protocol.ParseTime(p.At[2])
		}
		if err != nil {
			return err
		}
	}
	in.Limit = p.Limit + 1
	rows, err := h.svc.Feed(r.Ctx(), in)
	if err != nil {
		return err
	}
	return request.SendPage(r, p, rows, writeActivity, func(e activity.Encoded) protocol.Position { return eventPosition(e.Position, in.Since) })
}

// feedFilters reads the filters of a feed.
func feedFilters(q *request.Query) (agent *identity.Ref, typ activity.Type, window activity.Window) {
	agent = q.Ref("agent_id")
	typ = request.Word(q, "type", maxFilter, activity.ParseType)
	return agent, typ, request.Word(q, "last_n_hours", 8, activity.ParseWindow)
}

// ofAgent serves GET /agents/{agent_name}/activity.
func (h activities) ofAgent(r *request.Request) error {
	ref, err := r.AgentRef()
	if err != nil {
		return err
	}
	p, err := r.Query().Paging(request.DefaultLimit, 3)
	if err != nil {
		return err
	}
	q := activity.Query{Limit: p.Limit + 1}
	if p.At != nil {
		if q.After, err = feedPosition(p.At); err != nil {
			return err
		}
	}
	rows, err := h.svc.OfAgent(r.Ctx(), ref, q)
	if err != nil {
		return err
	}
	return request.SendPage(r, p, rows, writeActivity, func(e activity.Encoded) protocol.Position { return eventPosition(e.Position, time.Time{}) })
}

func eventPosition(at activity.Position, since time.Time) protocol.Position {
	return protocol.Position{protocol.FormatTime(at.At), string(at.ID), protocol.FormatTime(since)}
}

func feedPosition(p protocol.Position) (*activity.Position, error) {
	at, err := protocol.ParseTime(p[0])
	return &activity.Position{At: at, ID: activity.ID(p[1])}, err
}

// career serves GET /agents/{agent_name}/history.
func (h activities) career(r *request.Request) error {
	events, err := find(r, (*request.Request).AgentRef, h.svc.Career)
	if err != nil {
		return err
	}
	return r.SendData(request.Array(events, writeCareerEvent))
}

// report serves POST /activities.
func (h activities) report(r *request.Request) error {
	doc, err := r.Document()
	if err != nil {
		return err
	}
	n, err := h.svc.Report(r.Ctx(), r.Call(), app.ReportActivity{Batch: doc, Reply: countedReply})
	if err != nil {
		return err
	}
	return r.Send(countedReply(n))
}

func countedReply(n app.Reported) idempotency.Reply {
	return idempotency.Reply{
		Status: http.StatusCreated,
		Body: request.Envelope(64, request.Object(func(w *jsondoc.Writer) {
			w.Field("accepted").Int(int64(n.Accepted))
			w.Field("duplicates").Int(int64(n.Duplicates))
			w.Field("warnings").Texts(n.Warnings)
		})),
		Location: request.Prefix + "/activities",
	}
}

// writeActivity writes an ActivityEvent.
func writeActivity(w *jsondoc.Writer, e activity.Encoded) { w.Raw(e.Text) }

// writeCareerEvent writes a CareerEvent.
func writeCareerEvent(w *jsondoc.Writer, e activity.Event) {
	w.Open()
	w.Field("event_type").Text(string(e.Type))
	w.Field("timestamp").Time(e.At)
	w.Field("description").Text(e.Description)
	w.Field("initiated_by").Text(e.By)
	w.Field("metadata").Free(e.Metadata)
	w.Close()
}
