package httpapi

import (
	"io"

	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/adapters/httpapi/yamldoc"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
	"orgd/domain/organization"
)

// maxEntry bounds one part of a document, as the bodies that bring such parts
// one by one are bounded.
const maxEntry = request.DefaultMaxBody

// errLargeEntry is a part of a document that is too large.
var errLargeEntry = fault.New(fault.RequestValidation, "a part of the document is too large")

// organizationBody is the text of a document. It knows where its agents are and
// reads them again when they are asked for.
type organizationBody struct {
	text   *request.Spool
	agents []extent
	// side holds, as JSON, the agents that do not stand in the text as JSON, which
	// is faster to read.
	side *request.Spool
}

// extent is where an entry stands.
type extent struct {
	at   int64
	size int
	side bool
}

// readOrganization reads the document in the request's body. The caller closes
// it.
func readOrganization(r *request.Request, prune bool) (*organization.Document, *organizationBody, error) {
	typ, err := request.BodyType(r.HTTP.Header, protocol.JSON, yamldoc.MediaType)
	if err != nil {
		return nil, nil, err
	}
	text, err := r.Spool()
	if err != nil {
		return nil, nil, err
	}
	b := &organizationBody{text: text, side: request.NewSpool()}
	to := organization.NewBuilder()
	if typ == yamldoc.MediaType {
		err = splitYAML(b, to)
	} else {
		err = splitJSON(b, to)
	}
	if err != nil {
		return nil, b, to.Broken(err)
	}
	doc, err := to.Document(prune)
	return doc, b, err
}

func (b *organizationBody) close() error {
	if b == nil {
		return nil
	}
	return b.side.Close()
}

// Agent implements [organization.Entries].
func (b *organizationBody) Agent(i int) (jsondoc.Value, error) {
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
func (b *organizationBody) keep(v jsondoc.Value) error {
	text := v.Append(nil)
	b.agents = append(b.agents, extent{at: b.side.Size(), size: len(text), side: true})
	_, err := b.side.Write(text)
	return err
}

// member hands over a member of the document that was read as a whole. where is
// what errors say of its place in the text.
func (b *organizationBody) member(to *organization.Builder, field string, v jsondoc.Value, where string) error {
	if !to.Field(field) {
		return nil
	}
	switch {
	case field == organization.FieldFormat:
		to.Format(v)
	case field == organization.FieldCompany:
		to.Company(v, where)
	case v.Kind() != jsondoc.KindArray:
		to.NotList(field)
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
