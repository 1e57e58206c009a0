package httpapi

import (
	"cmp"
	"context"
	"net/http"
	"net/url"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/access"
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	bounds "orgd/domain/page"
	"orgd/domain/revision"
)

// departments are the handlers of departments.
type departments struct{ svc *app.Departments }

// managedDepartment reads the department in the path and checks that the caller may
// perform the operation of the route in it, before the body is read.
func managedDepartment(r *request.Request) (name.Key, error) {
	key, err := r.Department()
	if err != nil {
		return "", err
	}
	return key, access.CheckIn(r.Session.Actor(), r.Route.Op, key)
}

// get serves GET /departments/{name}.
func (h departments) get(r *request.Request) error {
	d, err := find(r, (*request.Request).Department, h.svc.Department)
	if err != nil {
		return err
	}
	return sendDepartment(r, d, http.StatusOK)
}

// departmentsPage reads which page of departments is asked for, and the order key of the
// department before it.
func departmentsPage(r *request.Request) (p request.Paging, after company.OrderKey, err error) {
	if p, err = r.Query().Paging(request.DefaultLimit, 1); p.At != nil {
		after = company.OrderKey(p.At[0])
	}
	return p, after, err
}

// list serves GET /departments.
func (h departments) list(r *request.Request) error {
	p, after, err := departmentsPage(r)
	if err != nil {
		return err
	}
	rows, err := h.svc.List(r.Ctx(), after, p.Limit+1)
	if err != nil {
		return err
	}
	page := rows[:min(bounds.Fits(rows), p.Limit)]
	cursor := request.NextPage(r, p, rows, len(page), func(d app.Department) protocol.Position { return protocol.Position{string(d.OrderKey)} })
	a := r.LongJSON(idempotency.Reply{Status: http.StatusOK}, revision.Tag{}, nil)
	size := 0
	for _, d := range page {
		size += d.Size()
	}
	if size > bounds.LongBytes {
		a.Start()
	}
	request.WritePage(a.W, p.Limit, func(w *jsondoc.Writer) string {
		w.OpenList()
		for i := 0; i < len(page) && err == nil; i++ {
			err = cmp.Or(a.Err, writeNamed(a.Ctx, w, page[i]))
		}
		w.CloseList()
		return cursor
	})
	return a.Finish(err)
}

// create serves POST /departments.
func (h departments) create(r *request.Request) error {
	p, call, err := readNew(r, department.ParseNew)
	if err != nil {
		return err
	}
	d, err := h.svc.Create(r.Ctx(), call, app.CreateDepartment{Patch: p, Reply: createdReply})
	if err != nil {
		return err
	}
	return sendDepartment(r, d, http.StatusCreated)
}

// update serves PATCH /departments/{name}.
func (h departments) update(r *request.Request) error {
	key, p, call, err := readChange(r, managedDepartment, department.ParsePatch)
	if err != nil {
		return err
	}
	d, err := h.svc.Change(r.Ctx(), call, app.ChangeDepartment{Key: key, Patch: p})
	if err != nil {
		return err
	}
	return sendDepartment(r, d, http.StatusOK)
}

// remove serves DELETE /departments/{name}.
func (h departments) remove(r *request.Request) error {
	return removeTarget(r, managedDepartment, h.svc.Delete)
}

// reorderAgents serves POST /departments/{name}/reorder-agents.
func (h departments) reorderAgents(r *request.Request) error {
	// Duplicates are found when the names are resolved, because their keys are compared.
	key, order, call, err := readChange(r, managedDepartment, orderOf("agent_names", agent.MaxReorder, identity.ParseRef))
	if err != nil {
		return err
	}
	d, list, err := h.svc.Reorder(r.Ctx(), call, app.ReorderAgents{Key: key, Order: order, Reply: reorderedReply})
	if err != nil {
		return err
	}
	if list != nil {
		return r.Send(reorderedReply(d, list))
	}
	return request.LongList[agent.Record]{
		Reply: reorderedReply(d, nil),
		Read: func(ctx context.Context, last *agent.Record) ([]agent.Record, error) {
			return h.svc.Members(ctx, key, last)
		},
		Row: func(_ context.Context, w *jsondoc.Writer, a agent.Record) error { writeStored(w, a); return nil },
	}.Send(r)
}

// reorderedReply is the reply with a department's agents in their order, under the tag of
// the department, which holds the order.
func reorderedReply(d department.Department, list []agent.Record) idempotency.Reply {
	return idempotency.Reply{
		Status:   http.StatusCreated,
		Body:     request.Envelope(1024*len(list), request.Array(list, writeStored)),
		ETag:     protocol.ETag(d.Tag(), ""),
		Location: departmentPath(d.Name),
	}
}

// sendDepartment answers with one department.
func sendDepartment(r *request.Request, d app.Department, status int) error {
	if err := bounds.Allow(r.Ctx(), d.Size()); err != nil {
		return err
	}
	reply := idempotency.Reply{Status: status}
	if status == http.StatusCreated {
		reply.Location = departmentPath(d.Name)
	}
	a := r.LongJSON(reply, d.Tag(), func() string { return departmentDigest(d) })
	if d.Size() > bounds.LongBytes {
		a.Start()
	}
	err := a.Err
	if err == nil {
		request.WriteEnvelope(a.W, func(w *jsondoc.Writer) { err = writeNamed(a.Ctx, w, d) })
	}
	return a.Finish(err)
}

// createdReply is the reply with a new department; without a body if it is not short.
func createdReply(d app.Department, short bool) idempotency.Reply {
	r := idempotency.Reply{Status: http.StatusCreated, Location: departmentPath(d.Name)}
	if short {
		r.Body = request.Envelope(1024, func(w *jsondoc.Writer) { writeDepartment(w, d) })
		r.ETag = protocol.ETag(d.Tag(), departmentDigest(d))
	}
	return r
}

func departmentPath(n name.Name) string {
	return request.Prefix + "/departments/" + url.PathEscape(n.Text)
}

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
