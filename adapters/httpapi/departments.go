package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/app"
	"orgd/domain/access"
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	bounds "orgd/domain/page"
	"orgd/domain/receipt"
)

// departments are the handlers of departments.
type departments struct{ svc *app.Departments }

// mine reads the department in the path and checks that the caller may perform
// the route's operation in it, before the body is looked at.
func mine(x *exchange) (name.Name, error) {
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
	return sendDepartment(x, d, http.StatusOK, x.show)
}

// places reads which page of departments is asked for, and the place that it
// begins behind.
func places(x *exchange) (p paging, after company.Place, err error) {
	if p, err = x.query().paging(x, defaultLimit, 1); p.at != nil {
		after = company.Place(p.at[0])
	}
	return p, after, err
}

// list serves GET /departments.
func (h departments) list(x *exchange) error {
	p, after, err := places(x)
	if err != nil {
		return err
	}
	rows, err := h.svc.List(x.ctx(), after, p.limit+1)
	if err != nil {
		return err
	}
	shown := rows[:min(bounds.Fits(rows), p.limit)]
	cursor := behind(x, p, rows, len(shown), func(d app.Department) protocol.Position { return protocol.Position{string(d.Place)} })
	a := x.longJSON(receipt.Reply{Status: http.StatusOK}, nil)
	size := 0
	for _, d := range shown {
		size += d.Size()
	}
	if size > bounds.LongBytes {
		a.start()
	}
	writePage(a.w, p.limit, func(w *jsondoc.Writer) string {
		w.OpenList()
		for i := 0; i < len(shown) && err == nil; i++ {
			err = cmp.Or(a.err, writeNamed(a.ctx, w, shown[i]))
		}
		w.CloseList()
		return cursor
	})
	return a.finish(err, x.send)
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
	d, err := h.svc.Found(x.ctx(), x.call(), app.FoundDepartment{Patch: p, Reply: foundReply})
	if err != nil {
		return err
	}
	return sendDepartment(x, d, http.StatusCreated, x.send)
}

// update serves PATCH /departments/{name}.
func (h departments) update(x *exchange) error {
	n, err := mine(x)
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
	return sendDepartment(x, d, http.StatusOK, x.send)
}

// remove serves DELETE /departments/{name}.
func (h departments) remove(x *exchange) error {
	n, err := mine(x)
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
	n, err := mine(x)
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
	if list != nil {
		return x.send(reorderedReply(d, list))
	}
	return longList[agent.Record]{
		reply: reorderedReply(d, nil),
		read: func(ctx context.Context, last *agent.Record) ([]agent.Record, error) {
			return h.svc.Members(ctx, n.Key, last)
		},
		row: func(_ context.Context, w *jsondoc.Writer, a agent.Record) error { writeStored(w, a); return nil },
	}.answer(x, x.send)
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
		ETag:     protocol.ETag(d.Tag(), ""),
		Location: departmentPath(d.Name),
	}
}

// sendDepartment answers with one department.
func sendDepartment(x *exchange, d app.Department, status int, short func(receipt.Reply) error) error {
	if err := bounds.Allow(x.ctx(), d.Size()); err != nil {
		return err
	}
	r := receipt.Reply{Status: status}
	if status == http.StatusCreated {
		r.Location = departmentPath(d.Name)
	}
	a := x.longJSON(r, func(written bool) string {
		if written {
			return protocol.ETag(d.Tag(), shownDigest(d))
		}
		return protocol.ETag(d.Tag(), x.env.ids.NewID())
	})
	if d.Size() > bounds.LongBytes {
		a.start()
	}
	err := a.err
	if err == nil {
		writeEnvelope(a.w, func(w *jsondoc.Writer) { err = writeNamed(a.ctx, w, d) })
	}
	return a.finish(err, short)
}

// foundReply is the answer for a new department; without a body if it is not short.
func foundReply(d app.Department, short bool) receipt.Reply {
	r := receipt.Reply{Status: http.StatusCreated, Location: departmentPath(d.Name)}
	if short {
		r.Body = envelope(1024, func(w *jsondoc.Writer) { writeDepartment(w, d) })
		r.ETag = protocol.ETag(d.Tag(), shownDigest(d))
	}
	return r
}

func departmentPath(n name.Name) string { return prefix + "/departments/" + url.PathEscape(n.Text) }

func writeDepartment(w *jsondoc.Writer, d app.Department) {
	w.Open()
	d.Write(w, d.Names.Show)
	w.Close()
}

// writeNamed writes a department and reads the names in it with ctx.
func writeNamed(ctx context.Context, w *jsondoc.Writer, d app.Department) error {
	d.Names.Continue(ctx)
	writeDepartment(w, d)
	return d.Names.Err()
}
