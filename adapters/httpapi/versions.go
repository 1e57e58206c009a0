package httpapi

import (
	"net/http"
	"strconv"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/agent"
	"orgd/domain/fault"
	"orgd/domain/idempotency"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/revision"
)

// versionsLimit is how many versions a page has if the request does not say.
const versionsLimit = 20

// maxVersion bounds version numbers to what every JSON client reads exactly.
const maxVersion = 1<<53 - 1

var errVersion = fault.New(fault.RequestValidation,
	"version_num in the path: must be a whole number from 1, without sign or leading zero")

// versions serves GET /agents/{agent_id}/versions.
func (h agents) versions(r *request.Request) error {
	ref, err := r.AgentRef()
	if err != nil {
		return err
	}
	p, err := r.Query().Paging(versionsLimit, 1)
	if err != nil {
		return err
	}
	var before int64
	if p.At != nil {
		if before, err = strconv.ParseInt(p.At[0], 10, 64); err != nil {
			return protocol.ErrCursor
		}
	}
	_, rows, err := h.svc.Versions(r.Ctx(), ref, before, p.Limit+1)
	if err != nil {
		return err
	}
	return request.SendPage(r, p, rows, writeVersion, func(v identity.Version) protocol.Position {
		return protocol.Position{strconv.FormatInt(v.Number, 10)}
	})
}

// version serves GET /agents/{agent_id}/versions/{version_num}.
func (h agents) version(r *request.Request) error {
	ref, err := r.AgentRef()
	if err != nil {
		return err
	}
	number, ok := request.ParseNumber(r.Param("version_num"))
	if !ok || number < 1 {
		return errVersion
	}
	v, err := h.svc.Version(r.Ctx(), ref, number)
	if err != nil {
		return err
	}
	return r.Send(idempotency.Reply{
		Status: http.StatusOK,
		Body:   request.Envelope(1024+len(v.Text), func(w *jsondoc.Writer) { writeVersion(w, v) }),
		ETag:   protocol.ETag(revision.Tag{ID: string(v.Content.ID) + "-version", Revision: v.Number}, ""),
	})
}

// writeVersion writes a VersionSnapshot.
func writeVersion(w *jsondoc.Writer, v identity.Version) {
	w.Open()
	w.Field("entity_id").Text(string(v.Content.ID))
	w.Field("version").Int(v.Number)
	w.Field("content_hash").Text(v.Hash)
	w.Field("snapshot").Raw(v.Text) // as it was stored: the hash is of that
	w.Field("saved_by").Text(v.SavedBy)
	w.Field("saved_at").Time(v.SavedAt)
	w.Field("imported").Bool(v.Imported)
	w.Field("restored_from").IntOrNull(v.RestoredFrom)
	w.Field("reason").TextOrNull(v.Reason)
	w.Close()
}

// rollback serves POST /agents/{agent_id}/versions/rollback.
func (h agents) rollback(r *request.Request) error {
	ref, err := r.AgentRef()
	if err != nil {
		return err
	}
	q := r.Query()
	dryRun := q.Flag("dry_run")
	if q.Err != nil {
		return q.Err
	}
	in, call, err := readConditional(r, parseRollback)
	if err != nil {
		return err
	}
	in.Ref, in.DryRun, in.Reply = ref, dryRun, identityReply
	a, err := h.svc.Rollback(r.Ctx(), call, in)
	if err != nil {
		return err
	}
	reply := identityReply(a)
	if dryRun {
		reply.ETag = "" // there is no such state
	}
	return r.Send(reply)
}

func parseRollback(doc jsondoc.Value) (in app.RollbackAgent, err error) {
	err = jsondoc.ReadWhole(doc, func(r *jsondoc.Reader) {
		r.Int("target_version", &in.Target, 1, maxVersion)
		r.TextOrNull("reason", &in.Reason, 1, agent.MaxReason)
		r.Require("target_version")
	})
	return in, err
}

// identityReply is the reply with the identity of an agent, under the agent's tag.
func identityReply(a agent.Record) idempotency.Reply {
	return idempotency.Reply{
		Status: http.StatusOK,
		Body:   request.Envelope(1024+a.Size(), func(w *jsondoc.Writer) { w.Raw(a.Identity) }),
		ETag:   agentTag(a.Tag(), agent.Current()),
	}
}
