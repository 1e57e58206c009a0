package httpapi

import (
	"context"
	"net/http"
	"strconv"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/app"
	"orgd/domain/company"
	"orgd/domain/jsondoc"
	"orgd/domain/name"
	"orgd/domain/receipt"
)

// companies are the handlers of the company.
type companies struct{ svc *app.Company }

// get serves GET /company.
func (h companies) get(x *exchange) error {
	co, err := h.svc.Company(x.ctx())
	if err != nil {
		return err
	}
	return h.whole(x, co, x.show)
}

// update serves PATCH /company.
func (h companies) update(x *exchange) error {
	doc, err := x.document(true)
	if err != nil {
		return err
	}
	p, err := company.ParsePatch(doc)
	if err != nil {
		return err
	}
	call, err := x.conditionalCall()
	if err != nil {
		return err
	}
	co, err := h.svc.Change(x.ctx(), call, p)
	if err != nil {
		return err
	}
	return h.whole(x, co, x.send)
}

// departments serves GET /company/departments.
func (h companies) departments(x *exchange) error {
	return h.list(receipt.Reply{Status: http.StatusOK}).answer(x, x.send)
}

// list answers with all departments, and the status and headers of r.
func (h companies) list(r receipt.Reply) longList[app.Department] {
	return longList[app.Department]{reply: r, read: h.svc.Departments, row: writeNamed}
}

// maxDepartments bounds one reorder of the departments.
const maxDepartments = 10_000

// reorder serves POST /company/reorder-departments.
func (h companies) reorder(x *exchange) error {
	doc, err := x.document(false)
	if err != nil {
		return err
	}
	order, err := departmentOrder(doc)
	if err != nil {
		return err
	}
	call, err := x.conditionalCall()
	if err != nil {
		return err
	}
	co, list, err := h.svc.Reorder(x.ctx(), call, app.ReorderDepartments{Order: order, Reply: reorderedDepartments})
	if err != nil {
		return err
	}
	if list != nil {
		return x.send(reorderedDepartments(co, list))
	}
	return h.list(reorderedDepartments(co, nil)).answer(x, x.send)
}

// departmentOrder reads {"department_names": [...]}.
func departmentOrder(doc jsondoc.Value) ([]name.Key, error) {
	var names []string
	var order []name.Key
	err := jsondoc.ReadWhole(doc, func(r *jsondoc.Reader) {
		r.Texts("department_names", &names, jsondoc.Bounds{MaxItems: maxDepartments, MinLen: 1, MaxLen: name.MaxLength})
		r.Require("department_names")
		for _, text := range names {
			n, err := name.Parse(text)
			if err != nil {
				r.Fail("department_names", "%s", err)
			}
			order = append(order, n.Key)
		}
	})
	return order, err
}

// reorderedDepartments shows the departments in order, under the tag of the company,
// which holds the order.
func reorderedDepartments(co company.Company, list []app.Department) receipt.Reply {
	return receipt.Reply{Status: http.StatusOK, Body: envelope(1024*len(list), array(list, writeDepartment)), ETag: protocol.ETag(co.Tag(), "")}
}

// whole answers with the company and its departments.
func (h companies) whole(x *exchange, co company.Company, short func(receipt.Reply) error) error {
	l := h.list(receipt.Reply{Status: http.StatusOK})
	l.data = func(w *jsondoc.Writer, list func(*jsondoc.Writer)) {
		w.Open()
		co.Write(w)
		list(w.Field("departments"))
		w.Field("revision").Int(co.Revision)
		w.Field("updated_at").Time(co.UpdatedAt)
		w.Close()
	}
	var sum digester
	l.row = func(ctx context.Context, w *jsondoc.Writer, d app.Department) error {
		if err := writeNamed(ctx, w, d); err != nil {
			return err
		}
		sum.add(d.ID, strconv.FormatInt(d.Revision, 10))
		addNames(sum.add, d.Names, d.Agents())
		return nil
	}
	l.tag = func(written bool) string {
		if written {
			return protocol.ETag(co.Tag(), sum.text())
		}
		return protocol.ETag(co.Tag(), x.env.ids.NewID())
	}
	return l.answer(x, short)
}
