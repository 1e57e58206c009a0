package httpapi

import (
	"errors"
	"net/http"

	"orgd/adapters/httpapi/internal/document"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/idempotency"
	"orgd/domain/jsondoc"
	"orgd/domain/organization"
)

// organizations are the handlers of the organization as one document.
type organizations struct{ svc *app.Documents }

// export serves GET /organization. The document is sent while it is read.
func (h organizations) export(r *request.Request) error {
	out := document.NewExport(r)
	return out.Finish(h.svc.Export(r.Ctx(), r.Call(), app.Export{Company: out.Company, Department: out.Department, Agent: out.Agent}))
}

// plan serves POST /organization/plan.
func (h organizations) plan(r *request.Request) (err error) {
	q := r.Query()
	prune := q.Flag("prune")
	if q.Err != nil {
		return q.Err
	}
	doc, body, err := document.Read(r, prune)
	if err != nil {
		return err
	}
	changes := document.NewChanges()
	defer func() { err = errors.Join(err, changes.Close()) }()
	hash, err := h.svc.Plan(r.Ctx(), r.Call(), app.PlanDocument{
		Document: doc, Entries: body, Prune: prune, Incarnation: r.Env.Incarnation(),
		Emit: changes.Add, Restart: changes.Restart, Reply: changes.Reply,
	})
	if err != nil {
		return err
	}
	return changes.Send(r, hash)
}

// apply serves POST /organization/apply.
func (h organizations) apply(r *request.Request) error {
	q := r.Query()
	prune := q.Flag("prune")
	hash := planHash(q)
	if q.Err != nil {
		return q.Err
	}
	call, err := r.ReasonedCall()
	if err != nil {
		return err
	}
	doc, body, err := document.Read(r, prune)
	if err != nil {
		return err
	}
	done, err := h.svc.Apply(r.Ctx(), call, app.ApplyDocument{
		Document: doc, Entries: body, Prune: prune, Incarnation: r.Env.Incarnation(), Hash: hash, Reply: appliedReply,
	})
	if err != nil {
		return err
	}
	return r.Send(appliedReply(done))
}

// planHash returns the parameter with the hash of a plan, or "".
func planHash(q *request.Query) string {
	text := q.Text("plan_hash", 64)
	if text != "" && !organization.IsHash(text) {
		q.Fail("plan_hash: must be 64 hexadecimal digits, as a plan has them")
	}
	return text
}

// appliedReply is the reply with what a document has changed.
func appliedReply(a app.Applied) idempotency.Reply {
	return idempotency.Reply{Status: http.StatusOK, Body: request.Envelope(256, request.Object(func(w *jsondoc.Writer) {
		w.Field("plan_hash").Text(a.Hash)
		w.Field("created").Int(int64(a.Created))
		w.Field("updated").Int(int64(a.Updated))
		w.Field("deleted").Int(int64(a.Deleted))
		w.Field("reordered").Int(int64(a.Reordered))
	}))}
}
