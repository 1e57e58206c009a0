package httpapi

import (
	"context"
	"net/http"
	"net/url"

	"orgd/app"
	"orgd/domain/access"
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/receipt"
)

// departments are the handlers of departments.
type departments struct{ svc *app.Departments }

// mine reads the department in the path and checks that the caller may perform
// the route's operation in it, before the body is looked at.
func (x *exchange) mine() (name.Name, error) {
	n, err := x.departmentKey()
	if err != nil {
		return n, err
	}
	return n, access.CheckIn(x.session.Actor(), x.route.op, n.Key)
}

// get serves GET /departments/{name}.
func (h departments) get(x *exchange) error {
	n, err := x.departmentKey()
	if err != nil {
		return err
	}
	d, err := h.svc.Department(x.ctx(), n.Key)
	if err != nil {
		return err
	}
	return x.show(departmentReply(d, http.StatusOK))
}

// places reads which page of departments is asked for, and the place that it
// begins behind.
func (x *exchange) places() (p paging, after company.Place, err error) {
	if p, err = x.query().paging(x, defaultLimit, 1); p.at != nil {
		after = company.Place(p.at[0])
	}
	return p, after, err
}

// list serves GET /departments.
func (h departments) list(x *exchange) error {
	p, after, err := x.places()
	if err != nil {
		return err
	}
	rows, err := h.svc.List(x.ctx(), after, p.limit+1)
	if err != nil {
		return err
	}
	return page(x, p, rows, writeDepartment, func(d app.Department) position {
		return position{string(d.Place)}
	})
}

// create serves POST /departments.
func (h departments) create(x *exchange) error {
	doc, err := x.document(false)
	if err != nil {
		return err
	}
	p, err := department.ParseNew(doc)
	if err != nil {
		return err
	}
	reply := func(d app.Department) receipt.Reply { return departmentReply(d, http.StatusCreated) }
	d, err := h.svc.Found(x.ctx(), x.call(), app.FoundDepartment{Patch: p, Reply: reply})
	if err != nil {
		return err
	}
	return x.send(reply(d))
}

// update serves PATCH /departments/{name}.
func (h departments) update(x *exchange) error {
	n, err := x.mine()
	if err != nil {
		return err
	}
	doc, err := x.document(true)
	if err != nil {
		return err
	}
	p, err := department.ParsePatch(doc)
	if err != nil {
		return err
	}
	call, err := x.conditionalCall()
	if err != nil {
		return err
	}
	d, err := h.svc.Change(x.ctx(), call, app.ChangeDepartment{Key: n.Key, Patch: p})
	if err != nil {
		return err
	}
	return x.send(departmentReply(d, http.StatusOK))
}

// remove serves DELETE /departments/{name}.
func (h departments) remove(x *exchange) error {
	n, err := x.mine()
	if err != nil {
		return err
	}
	call, err := x.conditionalCall()
	if err != nil {
		return err
	}
	if err := h.svc.Dissolve(x.ctx(), call, n.Key); err != nil {
		return err
	}
	return x.noContent()
}

// reorderAgents serves POST /departments/{name}/reorder-agents.
func (h departments) reorderAgents(x *exchange) error {
	n, err := x.mine()
	if err != nil {
		return err
	}
	doc, err := x.document(false)
	if err != nil {
		return err
	}
	order, err := agentOrder(doc)
	if err != nil {
		return err
	}
	call, err := x.conditionalCall()
	if err != nil {
		return err
	}
	d, list, err := h.svc.Reorder(x.ctx(), call, app.ReorderAgents{Key: n.Key, Order: order, Reply: reorderedReply})
	if err != nil {
		return err
	}
	r := reorderedReply(d, list)
	if list != nil {
		return x.send(r)
	}
	return longList[agent.Record]{reply: r, member: "data", row: writeStored, read: func(ctx context.Context, last *agent.Record) ([]agent.Record, error) {
		return h.svc.Members(ctx, n.Key, last)
	}}.answer(x, x.send)
}

// agentOrder reads {"agent_names": [...]}. Names are compared by their keys, so
// whether one stands there twice is only seen when they are resolved.
func agentOrder(doc jsondoc.Value) ([]identity.Ref, error) {
	var names []string
	bounds := jsondoc.Bounds{MaxItems: agent.MaxReorder, MinLen: 1, MaxLen: name.MaxLength}
	var order []identity.Ref
	err := jsondoc.ReadWhole(doc, func(r *jsondoc.Reader) {
		r.Texts("agent_names", &names, bounds)
		r.Require("agent_names")
		for _, text := range names {
			ref, err := identity.ParseRef(text)
			if err != nil {
				r.Fail("agent_names", "%s", err)
			}
			order = append(order, ref)
		}
	})
	return order, err
}

// reorderedReply shows a department's agents in their order, under the tag of
// the department, which holds the order.
func reorderedReply(d department.Department, list []agent.Record) receipt.Reply {
	return receipt.Reply{
		Status:   http.StatusCreated,
		Body:     envelope(1024*len(list), array(list, writeStored)),
		ETag:     etag(d.Tag(), ""),
		Location: departmentPath(d.Name),
	}
}

// departmentReply shows one department.
func departmentReply(d app.Department, status int) receipt.Reply {
	r := receipt.Reply{
		Status: status,
		Body:   envelope(1024, func(w *jsondoc.Writer) { writeDepartment(w, d) }),
		ETag:   etag(d.Tag(), shownDigest(d)),
	}
	if status == http.StatusCreated {
		r.Location = departmentPath(d.Name)
	}
	return r
}

func departmentPath(n name.Name) string { return prefix + "/departments/" + url.PathEscape(n.Text) }

func writeDepartment(w *jsondoc.Writer, d app.Department) {
	w.Open()
	d.Write(w, d.Names.Show)
	w.Close()
}
