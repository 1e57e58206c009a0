package httpapi

import (
	"net/http"
	"strconv"
	"time"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/agent"
	"orgd/domain/idempotency"
	"orgd/domain/jsondoc"
)

// deleted serves GET /agents?deleted=true. The filters of a list of agents have been read.
func (h agents) deleted(r *request.Request, q *request.Query) error {
	if !q.Alone("deleted") {
		q.Fail("deleted: goes only with limit and cursor")
	}
	p, err := q.Paging(request.DefaultLimit, 2)
	if err != nil {
		return err
	}
	d := agent.Deletions{Limit: p.Limit + 1}
	if p.At != nil {
		at, err := strconv.ParseInt(p.At[0], 10, 64)
		if err != nil {
			return protocol.ErrCursor
		}
		d.After = &agent.DeletionPosition{At: time.UnixMilli(at).UTC(), ID: agent.ID(p.At[1])}
	}
	rows, err := h.svc.Deleted(r.Ctx(), d)
	if err != nil {
		return err
	}
	return request.SendSmallPage(r, p, rows, writeDeletion, func(d agent.Deletion) protocol.Position {
		return protocol.Position{strconv.FormatInt(d.At.UnixMilli(), 10), string(d.ID)}
	})
}

func writeDeletion(w *jsondoc.Writer, d agent.Deletion) {
	w.Open()
	w.Field("id").Text(string(d.ID))
	w.Field("name").Text(d.Name)
	w.Field("department").Text(d.Department)
	w.Field("deleted_at").Time(d.At)
	w.Field("deleted_by").Text(d.By)
	w.Close()
}

// restore serves POST /agents/{agent_name}/restore.
func (h agents) restore(r *request.Request) error {
	ref, in, call, err := readChange(r, (*request.Request).AgentRef, agent.ParseRestoring)
	if err != nil {
		return err
	}
	reply := func(a agent.Record) idempotency.Reply { return agentReply(a, http.StatusOK) }
	a, err := h.svc.Restore(r.Ctx(), call, app.RestoreAgent{Ref: ref, Restoring: in, Reply: reply})
	if err != nil {
		return err
	}
	return r.Send(reply(a))
}
