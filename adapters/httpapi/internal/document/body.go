package document

import (
	"io"

	"orgd/adapters/httpapi/internal/request"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/domain/organization"
)

// maxEntry bounds one part of a document, in bytes, as bodies of one such part are
// bounded.
const maxEntry = request.DefaultMaxBody

// errLargeEntry is a part of a document that is too large.
var errLargeEntry = fault.New(fault.RequestValidation, "a part of the document is too large")

// Body is the text of a document. It keeps the offsets of its agents, and reads each of
// them again on request.
type Body struct {
	text   *request.Spool
	agents []extent
	// side holds the agents that are not JSON in the text. They are stored as JSON, which
	// is faster to read.
	side *request.Spool
}

// extent is where an agent is in text or side, in bytes.
type extent struct {
	at   int64
	size int
	side bool
}

// Close removes what the body has stored beside the text. A nil body has nothing.
func (b *Body) Close() error {
	if b == nil {
		return nil
	}
	return b.side.Close()
}

// Agent implements [organization.Entries].
func (b *Body) Agent(i int) (jsondoc.Value, error) {
	e := b.agents[i]
	from := b.text
	if e.side {
		from = b.side
	}
	text := make([]byte, e.size)
	if _, err := io.ReadFull(io.NewSectionReader(from, e.at, int64(e.size)), text); err != nil {
		return jsondoc.Value{}, err
	}
	return jsondoc.Parse(text)
}

// keep stores an agent as JSON.
func (b *Body) keep(v jsondoc.Value) error {
	text := v.Append(nil)
	b.agents = append(b.agents, extent{at: b.side.Size(), size: len(text), side: true})
	_, err := b.side.Write(text)
	return err
}

// member adds a member of the document that was read as a whole. where is for
// errors.
func (b *Body) member(to *organization.Builder, field string, v jsondoc.Value, where organization.Where) error {
	if !to.Field(field, where.Line) {
		return nil
	}
	switch {
	case field == organization.FieldFormat:
		to.Format(v, where.Line)
	case field == organization.FieldCompany:
		to.Company(v, where)
	case v.Kind() != jsondoc.KindArray:
		to.NotList(field, where.Line)
	default:
		for _, item := range v.Items() {
			if field == organization.FieldDepartments {
				to.Department(item, where)
				continue
			}
			to.Agent(item, where)
			if err := b.keep(item); err != nil {
				return err
			}
		}
	}
	return nil
}
