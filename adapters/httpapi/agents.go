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
	"orgd/domain/name"
	"orgd/domain/revision"
	"orgd/domain/search"
)

// agents are the handlers of agents and their versions.
type agents struct{ svc *app.Agents }

// get serves GET /agents/{agent_name}.
func (h agents) get(r *request.Request) error {
	a, err := find(r, (*request.Request).AgentRef, h.svc.Agent)
	if err != nil {
		return err
	}
	return r.SendObjectIfNew(agentTag(a.Tag(), agent.Current()), a.Write)
}

// list serves GET /agents.
func (h agents) list(r *request.Request) error {
	q := r.Query()
	if q.Has("search") {
		return h.search(r, q)
	}
	in := agentFilter(q)
	in.Prefix = q.Prefix("q")
	write := view(q)
	if q.Flag("deleted") {
		return h.deleted(r, q)
	}
	p, err := q.Paging(request.DefaultLimit, 3)
	if err != nil {
		return err
	}
	if p.At != nil {
		if in.After, err = agentPosition(p.At); err != nil {
			return err
		}
	}
	in.Limit = p.Limit + 1
	rows, err := h.svc.List(r.Ctx(), in)
	if err != nil {
		return err
	}
	item := func(w *jsondoc.Writer, a agent.Record) {
		w.Open()
		write(a, w)
		w.Close()
	}
	return request.SendPage(r, p, rows, item, func(a agent.Record) protocol.Position {
		if in.Prefix == "" {
			return protocol.Position{string(a.OrderKey), string(a.ID), ""}
		}
		return protocol.Position{"", "", protocol.Pack(a.Name)}
	})
}

// agentFilter reads the filters of a list of agents.
func agentFilter(q *request.Query) (in agent.Query) {
	in.Status = request.Word(q, "status", maxFilter, identity.ParseStatus)
	in.Level = request.Word(q, "level", maxFilter, identity.ParseLevel)
	in.Department = q.Name("department").Key
	in.Owner = q.Owner("owner")
	in.Tags = q.Tags("tag")
	return in
}

// errSearch is a search that would have another order, or would be of another list.
var errSearch = fault.New(fault.Validation, "search does not go together with q or deleted")

// search serves GET /agents?search=TEXT.
func (h agents) search(r *request.Request, q *request.Query) error {
	in := agent.SearchQuery{Query: agentFilter(q), Text: q.Search("search")}
	write, refused := view(q), q.Flag("deleted") || q.Has("q")
	p, err := q.Paging(request.DefaultLimit, 2)
	if err != nil {
		return err
	}
	if refused {
		return errSearch
	}
	if p.At != nil {
		in.After = &agent.Position{OrderKey: agent.OrderKey(p.At[0]), ID: agent.ID(p.At[1])}
	}
	in.Limit = p.Limit
	found, err := h.svc.Search(r.Ctx(), in)
	if err != nil {
		return err
	}
	position := func(at agent.Position) protocol.Position {
		return protocol.Position{string(at.OrderKey), string(at.ID)}
	}
	var reached protocol.Position
	if found.Reached != nil {
		reached = position(*found.Reached)
	}
	return request.SendFound(r, p, found.Hits, reached, func(w *jsondoc.Writer, hit agent.Hit) {
		w.Open()
		write(hit.Record, w)
		request.Array(hit.Matches, writeMatch)(w.Field("matches"))
		w.Close()
	}, func(hit agent.Hit) protocol.Position { return position(hit.Position()) })
}

func writeMatch(w *jsondoc.Writer, m search.Match) {
	w.Open()
	w.Field("field").Text(m.Field)
	w.Field("line").Int(int64(m.Line))
	w.Field("text").Text(m.Text)
	w.Close()
}

// agentPosition reads the position of an agent: its order key and id, or its name. A
// cursor holds names as they are written, which are shorter than their keys.
func agentPosition(p protocol.Position) (*agent.Position, error) {
	if p[2] == "" {
		return &agent.Position{OrderKey: agent.OrderKey(p[0]), ID: agent.ID(p[1])}, nil
	}
	n, err := name.Parse(protocol.Unpack(p[2]))
	if err != nil {
		return nil, protocol.ErrCursor
	}
	return &agent.Position{Name: n.Key}, nil
}

// view returns how a list writes the members of its agents: all, or all but the
// instructions.
func view(q *request.Query) func(agent.Record, *jsondoc.Writer) {
	switch q.Text("view", 16) {
	case "":
	case "summary":
		return agent.Record.WriteSummary
	default:
		q.Fail("view: must be summary")
	}
	return agent.Record.Write
}

// create serves POST /agents.
func (h agents) create(r *request.Request) error {
	p, call, err := readNew(r, agent.ParseNew)
	if err != nil {
		return err
	}
	a, err := h.svc.Hire(r.Ctx(), call, app.HireAgent{Patch: p, Reply: hiredReply})
	if err != nil {
		return err
	}
	return sendAgent(r, a, http.StatusCreated)
}

func hiredReply(a agent.Record) idempotency.Reply { return agentReply(a, http.StatusCreated) }

// update serves PATCH /agents/{agent_name}.
func (h agents) update(r *request.Request) error {
	ref, p, call, err := readChange(r, (*request.Request).AgentRef, agent.ParsePatch)
	if err != nil {
		return err
	}
	a, err := h.svc.Change(r.Ctx(), call, app.ChangeAgent{Ref: ref, Patch: p})
	if err != nil {
		return err
	}
	return sendAgent(r, a, http.StatusOK)
}

// remove serves DELETE /agents/{agent_name}.
func (h agents) remove(r *request.Request) error {
	q := r.Query()
	end := h.svc.Fire
	if q.Flag("purge") {
		end = h.svc.Purge
	}
	if q.Err != nil {
		return q.Err
	}
	return removeTarget(r, (*request.Request).AgentRef, end)
}

// agentTag is the entity tag of an agent. A release that adds a field changes the body of
// an agent and not its revision, so the number of a schema behind the first is part of it.
func agentTag(t revision.Tag, s agent.Schema) string {
	if s.Number() == 1 {
		return protocol.ETag(t, "")
	}
	return protocol.ETag(t, strconv.Itoa(s.Number()))
}

// agentReply is the reply with one agent.
func agentReply(a agent.Record, status int) idempotency.Reply {
	r := agentHead(a, status)
	r.Body = request.Envelope(1024+a.Size(), request.Object(a.Write))
	return r
}

// sendAgent answers with one agent.
func sendAgent(r *request.Request, a agent.Record, status int) error {
	return r.SendReply(agentHead(a, status), request.Object(a.Write))
}

// agentHead is the reply with one agent, without its body.
func agentHead(a agent.Record, status int) idempotency.Reply {
	r := idempotency.Reply{Status: status, ETag: agentTag(a.Tag(), agent.Current())}
	if status == http.StatusCreated {
		r.Location = request.Prefix + "/agents/" + string(a.ID)
	}
	return r
}

func writeStored(w *jsondoc.Writer, a agent.Record) { request.Object(a.Write)(w) }
