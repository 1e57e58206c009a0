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
	if q.Flag("without_reports") {
		in.Part = audit.WithoutReports
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
	write := func(w *jsondoc.Writer, e audit.Entry) { e.Write(w) }
	return request.SendSmallPage(r, p, rows, write, func(e audit.Entry) protocol.Position { return protocol.Position{protocol.FormatTime(e.At), e.ID} })
}
