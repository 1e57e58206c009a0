package httpapi

import (
	"net/http"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/domain/ceremony"
	"orgd/domain/department"
	"orgd/domain/idempotency"
	"orgd/domain/jsondoc"
)

// ceremonyPolicy serves GET /departments/{name}/ceremony-policy.
func (h departments) ceremonyPolicy(r *request.Request) error {
	d, err := find(r, (*request.Request).Department, h.svc.Department)
	if err != nil {
		return err
	}
	return r.Send(policyReply(d.Department))
}

// putCeremonyPolicy serves PUT /departments/{name}/ceremony-policy.
func (h departments) putCeremonyPolicy(r *request.Request) error {
	key, policy, call, err := readChange(r, managedDepartment, ceremony.Parse)
	if err != nil {
		return err
	}
	createOnly, err := protocol.ParseCreateOnly(r.HTTP.Header)
	if err != nil {
		return err
	}
	if createOnly {
		call.If = call.If.AndAbsent()
	}
	d, err := h.svc.SetCeremonyPolicy(r.Ctx(), call, key, &policy)
	if err != nil {
		return err
	}
	return r.Send(policyReply(d))
}

// removeCeremonyPolicy serves DELETE /departments/{name}/ceremony-policy.
func (h departments) removeCeremonyPolicy(r *request.Request) error {
	key, call, err := readTarget(r, managedDepartment)
	if err != nil {
		return err
	}
	if _, err := h.svc.SetCeremonyPolicy(r.Ctx(), call, key, nil); err != nil {
		return err
	}
	return r.NoContent()
}

// resolvedCeremonyPolicy serves GET /departments/{name}/ceremony-policy/resolved.
func (h departments) resolvedCeremonyPolicy(r *request.Request) error {
	keys, err := find(r, (*request.Request).Department, h.svc.ResolvedCeremonyPolicy)
	if err != nil {
		return err
	}
	return r.SendObject(func(w *jsondoc.Writer) {
		for _, k := range keys {
			w.Field(k.Key).Open()
			w.Field("value").Value(k.Value)
			w.Field("origin").Text(string(k.Origin))
			w.Close()
		}
	})
}

// policyReply is the reply with a department's own policy, null if it has none, under the
// tag of the department.
func policyReply(d department.Department) idempotency.Reply {
	return idempotency.Reply{
		Status: http.StatusOK,
		Body:   request.Envelope(512, func(w *jsondoc.Writer) { w.FreeOrNull((*jsondoc.Object)(d.CeremonyPolicy)) }),
		ETag:   protocol.ETag(d.Tag(), ""),
	}
}
