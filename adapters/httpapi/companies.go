package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/company"
	"orgd/domain/idempotency"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
)

// companies are the handlers of the company.
type companies struct{ svc *app.Company }

// get serves GET /company.
func (h companies) get(r *request.Request) error {
	co, err := h.svc.Company(r.Ctx())
	if err != nil {
		return err
	}
	return h.send(r, co)
}

// update serves PATCH /company.
func (h companies) update(r *request.Request) error {
	p, call, err := readConditional(r, company.ParsePatch)
	if err != nil {
		return err
	}
	co, err := h.svc.Change(r.Ctx(), call, p)
	if err != nil {
		return err
	}
	return h.send(r, co)
}

// departments serves GET /company/departments.
func (h companies) departments(r *request.Request) error {
	return h.list(idempotency.Reply{Status: http.StatusOK}).Send(r)
}

// list is the answer with all departments, and the status and headers of reply.
func (h companies) list(reply idempotency.Reply) request.LongList[app.Department] {
	return request.LongList[app.Department]{Reply: reply, Read: h.svc.Departments, Row: writeNamed}
}

// maxDepartments bounds one reorder, in departments.
const maxDepartments = 10_000

// reorder serves POST /company/reorder-departments.
func (h companies) reorder(r *request.Request) error {
	order, call, err := readConditional(r, orderOf("department_names", maxDepartments, departmentKey))
	if err != nil {
		return err
	}
	co, list, err := h.svc.Reorder(r.Ctx(), call, app.ReorderDepartments{Order: order, Reply: reorderedDepartments})
	if err != nil {
		return err
	}
	if list != nil {
		return r.Send(reorderedDepartments(co, list))
	}
	return h.list(reorderedDepartments(co, nil)).Send(r)
}

func departmentKey(text string) (name.Key, error) {
	n, err := name.Parse(text)
	return n.Key, err
}

// reorderedDepartments is the reply with the departments in order, under the tag of the
// company, which holds the order.
func reorderedDepartments(co company.Company, list []app.Department) idempotency.Reply {
	return idempotency.Reply{Status: http.StatusOK, Body: request.Envelope(1024*len(list), request.Array(list, writeDepartment)), ETag: protocol.ETag(co.Tag(), "")}
}

// send answers with the company and its departments.
func (h companies) send(r *request.Request, co company.Company) error {
	l := h.list(idempotency.Reply{Status: http.StatusOK})
	l.Data = func(w *jsondoc.Writer, list func(*jsondoc.Writer)) {
		w.Open()
		co.Write(w)
		list(w.Field("departments"))
		w.Field("revision").Int(co.Revision)
		w.Field("updated_at").Time(co.UpdatedAt)
		w.Close()
	}
	var sum digester
	l.Tag, l.Digest = co.Tag(), sum.text
	l.Row = func(ctx context.Context, w *jsondoc.Writer, d app.Department) error {
		if err := writeNamed(ctx, w, d); err != nil {
			return err
		}
		sum.add(d.ID, strconv.FormatInt(d.Revision, 10))
		sum.addNames(d.Names, d.Agents())
		return nil
	}
	return l.Send(r)
}
