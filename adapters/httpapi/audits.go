package httpapi

import (
	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/domain/audit"
	"orgd/domain/jsondoc"
	"orgd/ports"
)

// audits are the handlers of the audit trail.
type audits struct{ log ports.AuditLog }

// list serves GET /audit.
func (h audits) list(r *request.Request) error {
	q := r.Query()
	in := audit.Query{
		Actor:    q.Text("actor", 1024),
		Resource: audit.Resource(q.Text("resource", 512)),
		Since:    q.Time("since"),
		Until:    q.Time("until"),
	}
	p, err := q.Paging(request.DefaultLimit, 2)
	if err != nil {
		return err
	}
	if p.At != nil {
		at, err := protocol.ParseTime(p.At[0])
		if err != nil {
			return err
		}
		in.After = &audit.Position{At: at, ID: p.At[1]}
	}
	in.Limit = p.Limit + 1
	rows, err := h.log.Entries(r.Ctx(), in)
	if err != nil {
		return err
	}
	return request.SendSmallPage(r, p, rows, writeEntry, func(e audit.Entry) protocol.Position { return protocol.Position{protocol.FormatTime(e.At), e.ID} })
}

func writeEntry(w *jsondoc.Writer, e audit.Entry) {
	w.Open()
	w.Field("id").Text(e.ID)
	w.Field("timestamp").Time(e.At)
	w.Field("actor").Text(e.Actor)
	w.Field("route").Text(e.Route)
	w.Field("resource").Text(string(e.Resource))
	w.Field("revision_from").IntOrNull(jsondoc.NonZero(e.From))
	w.Field("revision_to").IntOrNull(jsondoc.NonZero(e.To))
	w.Field("request_id").Text(e.RequestID)
	w.Close()
}
