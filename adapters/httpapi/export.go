package httpapi

import (
	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/adapters/httpapi/yamldoc"
	"orgd/app"
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
	"orgd/domain/organization"
)

// exporter writes a document part by part.
type exporter struct {
	*request.LongAnswer
	form exportForm
	left []string // lists that are not open yet
	list string   // the one that is open, "" before the first
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

func newExporter(to *request.LongAnswer, form exportForm) *exporter {
	return &exporter{LongAnswer: to, form: form, left: []string{organization.FieldDepartments, organization.FieldAgents}}
}

func (e *exporter) company(c company.Company) error {
	return e.took(e.form.begin(e.Buffer(), organization.AppendCompany(nil, c)))
}

func (e *exporter) department(d app.Department) error {
	return e.item(organization.FieldDepartments, func(dst []byte) []byte {
		return organization.AppendDepartment(dst, d.Department, d.Names.Show)
	})
}

func (e *exporter) agent(a agent.Agent, show identity.Show) error {
	return e.item(organization.FieldAgents, func(dst []byte) []byte { return organization.AppendAgent(dst, a, show) })
}

func (e *exporter) item(list string, part func([]byte) []byte) error {
	dst, err := e.form.item(e.openTo(list), e.n, part)
	e.n++
	return e.took(dst, err)
}

// openTo opens the lists up to the one wanted.
func (e *exporter) openTo(list string) []byte {
	dst := e.Buffer()
	for e.list != list {
		if e.list != "" {
			dst = e.form.closeList(dst, e.n)
		}
		e.list, e.left, e.n = e.left[0], e.left[1:], 0
		dst = e.form.openList(dst, e.list)
	}
	return dst
}

func (e *exporter) end() error {
	dst := e.form.closeList(e.openTo(organization.FieldAgents), e.n)
	return e.took(e.form.end(dst), nil)
}

func (e *exporter) took(dst []byte, err error) error {
	if err != nil {
		return err
	}
	return e.Write(dst)
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
