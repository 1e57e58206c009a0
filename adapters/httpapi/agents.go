package httpapi

import (
	"net/http"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/app"
	"orgd/domain/agent"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/receipt"
)

// agents are the handlers of agents and their versions.
type agents struct{ svc *app.Agents }

// get serves GET /agents/{agent_name}.
func (h agents) get(x *exchange) error {
	ref, err := x.agentRef()
	if err != nil {
		return err
	}
	a, err := h.svc.Agent(x.ctx(), ref)
	if err != nil {
		return err
	}
	return x.showData(protocol.ETag(a.Tag(), ""), object(a.Write))
}

// list serves GET /agents.
func (h agents) list(x *exchange) error {
	q := x.query()
	in := agent.Query{
		Status: word(q, "status", identity.ParseStatus),
		Level:  word(q, "level", identity.ParseLevel),
	}
	department := q.name("department")
	in.Department = department.Key
	in.Prefix = q.prefix("q")
	write := view(q)
	p, err := q.paging(x, defaultLimit, 3)
	if err != nil {
		return err
	}
	if p.at != nil {
		if in.After, err = agentPlace(p.at); err != nil {
			return err
		}
	}
	in.Limit = p.limit + 1
	rows, err := h.svc.List(x.ctx(), in)
	if err != nil {
		return err
	}
	return page(x, p, rows, write, func(a agent.Record) protocol.Position {
		if in.Prefix == "" {
			return protocol.Position{string(a.Place), string(a.ID), ""}
		}
		return protocol.Position{"", "", protocol.Pack(a.Name)}
	})
}

// agentPlace reads the position of an agent: its place and id, or its name. A
// cursor holds names as they are written, which are shorter than their keys.
func agentPlace(p protocol.Position) (*agent.Position, error) {
	if p[2] == "" {
		return &agent.Position{Place: agent.Place(p[0]), ID: agent.ID(p[1])}, nil
	}
	n, err := name.Parse(protocol.Unpack(p[2]))
	if err != nil {
		return nil, protocol.ErrCursor
	}
	return &agent.Position{Name: n.Key}, nil
}

// view returns how a list shows its agents: whole, or without the instructions.
func view(q *query) func(*jsondoc.Writer, agent.Record) {
	switch q.text("view", 16) {
	case "":
		return writeStored
	case "summary":
		return func(w *jsondoc.Writer, a agent.Record) { object(a.WriteSummary)(w) }
	}
	q.fail("view: must be summary")
	return nil
}

// create serves POST /agents.
func (h agents) create(x *exchange) error {
	doc, err := x.document(false)
	if err != nil {
		return err
	}
	p, err := agent.ParseNew(doc)
	if err != nil {
		return err
	}
	reason, err := protocol.ChangeReason(x.Request.Header)
	if err != nil {
		return err
	}
	reply := func(a agent.Agent) receipt.Reply { return agentReply(a, http.StatusCreated) }
	a, err := h.svc.Hire(x.ctx(), x.call(), app.HireAgent{Patch: p.Because(reason), Reply: reply})
	if err != nil {
		return err
	}
	return x.send(reply(a))
}

// update serves PATCH /agents/{agent_name}.
func (h agents) update(x *exchange) error {
	ref, err := x.agentRef()
	if err != nil {
		return err
	}
	doc, err := x.document(true)
	if err != nil {
		return err
	}
	p, err := agent.ParsePatch(doc)
	if err != nil {
		return err
	}
	reason, err := protocol.ChangeReason(x.Request.Header)
	if err != nil {
		return err
	}
	call, err := x.conditionalCall()
	if err != nil {
		return err
	}
	a, err := h.svc.Change(x.ctx(), call, app.ChangeAgent{Ref: ref, Patch: p.Because(reason)})
	if err != nil {
		return err
	}
	return x.send(agentReply(a, http.StatusOK))
}

// remove serves DELETE /agents/{agent_name}.
func (h agents) remove(x *exchange) error {
	ref, err := x.agentRef()
	if err != nil {
		return err
	}
	call, err := x.conditionalCall()
	if err != nil {
		return err
	}
	if err := h.svc.Fire(x.ctx(), call, ref); err != nil {
		return err
	}
	return x.noContent()
}

// agentReply shows one agent.
func agentReply(a agent.Agent, status int) receipt.Reply {
	r := receipt.Reply{
		Status: status,
		Body:   envelope(2048+len(a.Identity.Instructions), func(w *jsondoc.Writer) { writeAgent(w, a) }),
		ETag:   protocol.ETag(a.Tag(), ""),
	}
	if status == http.StatusCreated {
		r.Location = prefix + "/agents/" + string(a.ID())
	}
	return r
}

func writeStored(w *jsondoc.Writer, a agent.Record) { object(a.Write)(w) }

func writeAgent(w *jsondoc.Writer, a agent.Agent) { object(a.Write)(w) }
