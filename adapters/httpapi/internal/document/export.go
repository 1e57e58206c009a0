package document

import (
	"orgd/adapters/httpapi/internal/document/yamldoc"
	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/organization"
)

// Export is the answer with the whole organization. Its methods write the company, then
// the departments, then the agents.
type Export struct {
	out  *request.LongAnswer
	form exportForm
	left []string // lists that are not open yet
	list string   // the open list, "" before the first
	n    int      // its items so far
}

// exportForm is how a document is written. Each method appends to dst; parts are
// JSON text.
type exportForm interface {
	mediaType() string
	// begin writes what comes before the lists.
	begin(dst, company []byte) ([]byte, error)
	openList(dst []byte, name string) []byte
	// item writes item number n of a list, which part appends.
	item(dst []byte, n int, part func([]byte) []byte) ([]byte, error)
	// closeList ends a list of n items.
	closeList(dst []byte, n int) []byte
	end(dst []byte) []byte
}

// NewExport begins the answer, in YAML if the request prefers that.
func NewExport(r *request.Request) *Export {
	r.Writer.Header().Add("Vary", "Accept")
	var form exportForm = exportJSON{}
	if protocol.Prefers(r.HTTP.Header, yamldoc.MediaType, protocol.JSON) {
		form = exportYAML{}
	}
	return &Export{out: r.LongAnswer(form.mediaType()), form: form, left: []string{organization.FieldDepartments, organization.FieldAgents}}
}

// Company writes the company.
func (e *Export) Company(c company.Company) error {
	return e.write(e.form.begin(e.out.Buffer(), organization.AppendCompany(nil, c)))
}

// Department writes a department.
func (e *Export) Department(d app.Department) error {
	return e.item(organization.FieldDepartments, func(dst []byte) []byte {
		return organization.AppendDepartment(dst, d.Department, d.Names.Show)
	})
}

// Agent writes an agent.
func (e *Export) Agent(a agent.Agent, names identity.Show) error {
	return e.item(organization.FieldAgents, func(dst []byte) []byte { return organization.AppendAgent(dst, a, names) })
}

func (e *Export) item(list string, part func([]byte) []byte) error {
	dst, err := e.form.item(e.openTo(list), e.n, part)
	e.n++
	return e.write(dst, err)
}

// openTo opens the lists up to the one wanted.
func (e *Export) openTo(list string) []byte {
	dst := e.out.Buffer()
	for e.list != list {
		if e.list != "" {
			dst = e.form.closeList(dst, e.n)
		}
		e.list, e.left, e.n = e.left[0], e.left[1:], 0
		dst = e.form.openList(dst, e.list)
	}
	return dst
}

// Finish ends the answer. err is the error of making it, if any.
func (e *Export) Finish(err error) error {
	if err == nil {
		dst := e.form.closeList(e.openTo(organization.FieldAgents), e.n)
		err = e.write(e.form.end(dst), nil)
	}
	return e.out.Finish(err)
}

func (e *Export) write(dst []byte, err error) error {
	if err != nil {
		return err
	}
	return e.out.Put(dst)
}

// exportJSON writes a document into the envelope of a success.
type exportJSON struct{}

func (exportJSON) mediaType() string { return protocol.JSON }

func (exportJSON) begin(dst, company []byte) ([]byte, error) {
	dst = append(dst, `{"data":{"format":1,"company":`...)
	return append(dst, company...), nil
}

func (exportJSON) openList(dst []byte, name string) []byte {
	dst = append(dst, `,"`...)
	dst = append(dst, name...)
	return append(dst, `":[`...)
}

func (exportJSON) item(dst []byte, n int, part func([]byte) []byte) ([]byte, error) {
	if n > 0 {
		dst = append(dst, ',')
	}
	return part(dst), nil
}

func (exportJSON) closeList(dst []byte, _ int) []byte { return append(dst, ']') }

func (exportJSON) end(dst []byte) []byte {
	return append(dst, `},"error":null,"error_detail":null,"success":true}`...)
}

// exportYAML writes a document alone.
type exportYAML struct{}

func (exportYAML) mediaType() string { return yamldoc.MediaType }

func (exportYAML) begin(dst, company []byte) ([]byte, error) {
	v, err := jsondoc.ParseStored(company)
	dst = append(dst, "format: 1\n"...)
	return yamldoc.AppendMember(dst, organization.FieldCompany, v, 0), err
}

func (exportYAML) openList(dst []byte, name string) []byte {
	return append(append(dst, name...), ':')
}

func (exportYAML) item(dst []byte, n int, part func([]byte) []byte) ([]byte, error) {
	v, err := jsondoc.ParseStored(part(nil))
	if n == 0 {
		dst = append(dst, '\n')
	}
	return yamldoc.AppendItem(dst, v, 2), err
}

func (exportYAML) closeList(dst []byte, n int) []byte {
	if n > 0 {
		return dst
	}
	return append(dst, " []\n"...)
}

func (exportYAML) end(dst []byte) []byte { return dst }
