package httpapi

import (
	"net/http"

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
	body := envelope(0, array[app.Department](nil, nil))
	return longList{body: body, member: "data"}.answer(x, h.svc.Departments, x.send)
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
	o, err := h.svc.Reorder(x.ctx(), call, app.ReorderDepartments{Order: order, Reply: departmentsReply})
	if err != nil {
		return err
	}
	return x.send(departmentsReply(o))
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

// departmentsReply shows the departments in order, under the tag of the
// company, which holds the order.
func departmentsReply(o app.Organization) receipt.Reply {
	return receipt.Reply{
		Status: http.StatusOK,
		Body:   envelope(1024*len(o.Departments), array(o.Departments, writeDepartment)),
		ETag:   etag(o.Tag(), ""),
	}
}

// whole answers with the company and its departments.
func (h companies) whole(x *exchange, co company.Company, short func(receipt.Reply) error) error {
	body := envelope(512, object(func(w *jsondoc.Writer) {
		co.Write(w)
		array[app.Department](nil, nil)(w.Field("departments"))
		w.Field("revision").Int(co.Revision)
		w.Field("updated_at").Time(co.UpdatedAt)
	}))
	tag := func(digest string) string { return etag(co.Tag(), digest) }
	return longList{body: body, member: "departments", tag: tag}.answer(x, h.svc.Departments, short)
}
