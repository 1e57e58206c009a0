package httpapi

import (
	"net/http"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/domain/ceremony"
	"orgd/domain/department"
	"orgd/domain/jsondoc"
	"orgd/domain/receipt"
)

// ceremonyPolicy serves GET /departments/{name}/ceremony-policy.
func (h departments) ceremonyPolicy(x *exchange) error {
	n, err := x.departmentKey()
	if err != nil {
		return err
	}
	d, err := h.svc.Department(x.ctx(), n.Key)
	if err != nil {
		return err
	}
	return x.show(policyReply(d.Department))
}

// putCeremonyPolicy serves PUT /departments/{name}/ceremony-policy.
func (h departments) putCeremonyPolicy(x *exchange) error {
	n, err := mine(x)
	if err != nil {
		return err
	}
	doc, err := x.document(false)
	if err != nil {
		return err
	}
	policy, err := ceremony.Parse(doc)
	if err != nil {
		return err
	}
	call, err := x.conditionalCall()
	if err != nil {
		return err
	}
	createOnly, err := protocol.ParseCreateOnly(x.Request.Header)
	if err != nil {
		return err
	}
	if createOnly {
		call.If = call.If.AndAbsent()
	}
	d, err := h.svc.SetCeremonyPolicy(x.ctx(), call, n.Key, &policy)
	if err != nil {
		return err
	}
	return x.send(policyReply(d))
}

// removeCeremonyPolicy serves DELETE /departments/{name}/ceremony-policy.
func (h departments) removeCeremonyPolicy(x *exchange) error {
	n, err := mine(x)
	if err != nil {
		return err
	}
	call, err := x.conditionalCall()
	if err != nil {
		return err
	}
	if _, err := h.svc.SetCeremonyPolicy(x.ctx(), call, n.Key, nil); err != nil {
		return err
	}
	return x.noContent()
}

// resolvedCeremonyPolicy serves GET /departments/{name}/ceremony-policy/resolved.
func (h departments) resolvedCeremonyPolicy(x *exchange) error {
	n, err := x.departmentKey()
	if err != nil {
		return err
	}
	keys, err := h.svc.ResolvedCeremonyPolicy(x.ctx(), n.Key)
	if err != nil {
		return err
	}
	return x.send(receipt.Reply{Status: http.StatusOK, Body: envelope(512, object(func(w *jsondoc.Writer) {
		for _, k := range keys {
			w.Field(k.Key).Open()
			w.Field("value").Value(k.Value)
			w.Field("origin").Text(string(k.Origin))
			w.Close()
		}
	}))})
}

// policyReply shows a department's own policy, null if it has none, under the
// tag of the department.
func policyReply(d department.Department) receipt.Reply {
	return receipt.Reply{
		Status: http.StatusOK,
		Body:   envelope(512, func(w *jsondoc.Writer) { w.FreeOrNull((*jsondoc.Object)(d.CeremonyPolicy)) }),
		ETag:   protocol.ETag(d.Tag(), ""),
	}
}
