package httpapi

import (
	"net/http"
	"strconv"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/agent"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/revision"
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
	in := agent.Query{
		Status: request.Word(q, "status", maxFilter, identity.ParseStatus),
		Level:  request.Word(q, "level", maxFilter, identity.ParseLevel),
	}
	department := q.Name("department")
	in.Department = department.Key
	in.Prefix = q.Prefix("q")
	write := view(q)
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
	return request.SendPage(r, p, rows, write, func(a agent.Record) protocol.Position {
		if in.Prefix == "" {
			return protocol.Position{string(a.OrderKey), string(a.ID), ""}
		}
		return protocol.Position{"", "", protocol.Pack(a.Name)}
	})
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

// view returns how a list writes its agents: whole, or without the instructions.
func view(q *request.Query) func(*jsondoc.Writer, agent.Record) {
	switch q.Text("view", 16) {
	case "":
		return writeStored
	case "summary":
		return func(w *jsondoc.Writer, a agent.Record) { request.Object(a.WriteSummary)(w) }
	}
	q.Fail("view: must be summary")
	return nil
}

// create serves POST /agents.
func (h agents) create(r *request.Request) error {
	p, call, err := readNew(r, agent.ParseNew)
	if err != nil {
		return err
	}
	reply := func(a agent.Record) idempotency.Reply { return agentReply(a, http.StatusCreated) }
	a, err := h.svc.Hire(r.Ctx(), call, app.HireAgent{Patch: p, Reply: reply})
	if err != nil {
		return err
	}
	return r.Send(reply(a))
}

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
	return r.Send(agentReply(a, http.StatusOK))
}

// remove serves DELETE /agents/{agent_name}.
func (h agents) remove(r *request.Request) error {
	return removeTarget(r, (*request.Request).AgentRef, h.svc.Fire)
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
	r := idempotency.Reply{
		Status: status,
		Body:   request.Envelope(1024+a.Size(), request.Object(a.Write)),
		ETag:   agentTag(a.Tag(), agent.Current()),
	}
	if status == http.StatusCreated {
		r.Location = request.Prefix + "/agents/" + string(a.ID)
	}
	return r
}

func writeStored(w *jsondoc.Writer, a agent.Record) { request.Object(a.Write)(w) }
