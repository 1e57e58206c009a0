package httpapi

import (
	"net/http"
	"strconv"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/agent"
	"orgd/domain/fault"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/label"
	"orgd/domain/revision"
)

// labelPath is an agent and a label in the path.
type labelPath struct {
	ref   identity.Ref
	label string
}

// labelOf returns what reads the path of a label.
func labelOf(parse func(string) (string, error)) func(*request.Request) (labelPath, error) {
	return func(r *request.Request) (p labelPath, err error) {
		if p.ref, err = r.AgentRef(); err != nil {
			return p, err
		}
		p.label, err = labelIn(r, parse)
		return p, err
	}
}

func labelIn(r *request.Request, parse func(string) (string, error)) (string, error) {
	text, err := parse(r.Param("label"))
	if err != nil {
		return "", label.ErrInvalid.With("label in the path: %s", fault.Of(err).Msg)
	}
	return text, nil
}

// labels serves GET /agents/{agent_name}/labels.
func (h agents) labels(r *request.Request) error {
	all, err := find(r, (*request.Request).AgentRef, h.svc.Labels)
	if err != nil {
		return err
	}
	return r.SendData(request.Array(all, writeLabel))
}

func writeLabel(w *jsondoc.Writer, l app.Label) {
	w.Open()
	w.Field("label").Text(l.Name)
	w.Field("version").Int(l.Version)
	w.Field("fixed").Bool(l.Fixed)
	w.Field("protected").Bool(l.Protected)
	w.Field("set_by").Text(l.SetBy)
	w.Field("set_at").Time(l.SetAt)
	w.Field("reason").TextOrNull(l.Reason)
	w.Close()
}

// resolve serves GET /agents/{agent_name}/labels/{label}. Who has the answer already costs
// no look at the content.
func (h agents) resolve(r *request.Request) error {
	p, err := labelOf(label.Parse)(r)
	if err != nil {
		return err
	}
	a, err := h.svc.Resolve(r.Ctx(), p.ref, p.label)
	if err != nil {
		return err
	}
	tag := r.Tag(resolvedTag(revision.Tag{ID: string(a.ID) + "-label-" + a.Label, Revision: a.Version}, "", a))
	if protocol.ClientHas(r.HTTP.Header, tag) {
		return r.NotModified(tag)
	}
	if a, err = h.svc.Content(r.Ctx(), a); err != nil {
		return err
	}
	r.Writer.Header()["Etag"] = []string{tag}
	return r.SendData(a.Write)
}

// resolvedTag is the entity tag of agents as a label names them: of all that is shown but the
// contents, which the versions name, and of the place and the cursor of a list.
func resolvedTag(t revision.Tag, cursor string, rows ...agent.Resolved) string {
	var sum digester
	for _, a := range rows {
		sum.add(string(a.ID), a.Name, a.Department, string(a.Status), strconv.FormatInt(a.Version, 10), string(a.OrderKey))
	}
	sum.add(cursor)
	return protocol.ETag(t, sum.text())
}

// placeLabel serves PUT /agents/{agent_name}/labels/{label}.
func (h agents) placeLabel(r *request.Request) error {
	p, in, call, err := readChange(r, labelOf(label.ParseSettable), parsePlacing)
	if err != nil {
		return err
	}
	in.Ref, in.Label = p.ref, p.label
	placed, err := h.svc.PlaceLabel(r.Ctx(), call, in)
	if err != nil {
		return err
	}
	reply := idempotency.Reply{
		Status: http.StatusOK,
		Body:   request.Envelope(1024, func(w *jsondoc.Writer) { writeLabel(w, placed.Label) }),
		ETag:   agentTag(placed.Agent.Tag(), agent.Current()),
	}
	if placed.New {
		reply.Status = http.StatusCreated
		reply.Location = request.Prefix + "/agents/" + string(placed.Agent.ID()) + "/labels/" + placed.Name
	}
	return r.Send(reply)
}

func parsePlacing(doc jsondoc.Value) (in app.PlaceLabel, err error) {
	err = jsondoc.ReadWhole(doc, func(r *jsondoc.Reader) {
		r.Int("version", &in.Version, 1, maxVersion)
		r.TextOrNull("reason", &in.Reason, 1, agent.MaxReason)
		fixed := false
		if r.Has("fixed") {
			r.Bool("fixed", &fixed)
			in.Fixed = &fixed
		}
		r.Require("version")
	})
	return in, err
}

// removeLabel serves DELETE /agents/{agent_name}/labels/{label}.
func (h agents) removeLabel(r *request.Request) error {
	p, call, err := readTarget(r, labelOf(label.ParseSettable))
	if err != nil {
		return err
	}
	if err := h.svc.RemoveLabel(r.Ctx(), call, p.ref, p.label); err != nil {
		return err
	}
	return r.NoContent()
}

// labelHistory serves GET /agents/{agent_name}/labels/{label}/history.
func (h agents) labelHistory(r *request.Request) error {
	at, err := labelOf(label.ParseSettable)(r)
	if err != nil {
		return err
	}
	p, err := r.Query().Paging(request.DefaultLimit, 1)
	if err != nil {
		return err
	}
	q := agent.Moves{Label: at.label, Limit: p.Limit + 1}
	if p.At != nil {
		if q.Before, err = strconv.ParseInt(p.At[0], 10, 64); err != nil {
			return protocol.ErrCursor
		}
	}
	rows, err := h.svc.LabelHistory(r.Ctx(), at.ref, q)
	if err != nil {
		return err
	}
	return request.SendSmallPage(r, p, rows, writeMove, func(m agent.Move) protocol.Position {
		return protocol.Position{strconv.FormatInt(m.Revision, 10)}
	})
}

func writeMove(w *jsondoc.Writer, m agent.Move) {
	w.Open()
	w.Field("version").IntOrNull(jsondoc.NonZero(m.To))
	w.Field("from_version").IntOrNull(jsondoc.NonZero(m.From))
	w.Field("by").Text(m.By)
	w.Field("at").Time(m.At)
	w.Field("reason").TextOrNull(m.Reason)
	w.Field("way").Text(string(m.Way))
	w.Close()
}

// labeled serves GET /labels/{label}/agents.
func (h agents) labeled(r *request.Request) error {
	name, err := labelIn(r, label.Parse)
	if err != nil {
		return err
	}
	q := r.Query()
	in := agent.LabelQuery{
		Label: name, Department: q.Name("department").Key,
		Status: request.Word(q, "status", maxFilter, identity.ParseStatus), Owner: q.Owner("owner"), Tags: q.Tags("tag"),
	}
	p, err := q.Paging(request.DefaultLimit, 2)
	if err != nil {
		return err
	}
	if p.At != nil {
		in.After = &agent.Position{OrderKey: agent.OrderKey(p.At[0]), ID: agent.ID(p.At[1])}
	}
	in.Limit = p.Limit + 1
	rows, err := h.svc.Labeled(r.Ctx(), in)
	if err != nil {
		return err
	}
	next := func(a agent.Resolved) protocol.Position {
		return protocol.Position{string(a.OrderKey), string(a.ID)}
	}
	// How many there are tells whether there is a next page. Its cursor is that of one of the rows,
	// under the same key as that of the last one.
	cursor := ""
	if len(rows) > 0 {
		cursor = r.Cursor(p, next(rows[len(rows)-1]))
	}
	tag := r.Tag(resolvedTag(revision.Tag{ID: "labels-" + name, Revision: int64(len(rows))}, cursor, rows...))
	if protocol.ClientHas(r.HTTP.Header, tag) {
		return r.NotModified(tag)
	}
	r.Writer.Header()["Etag"] = []string{tag}
	write := func(w *jsondoc.Writer, a agent.Resolved) { a.Write(w) }
	return request.SendPage(r, p, rows, write, next)
}
