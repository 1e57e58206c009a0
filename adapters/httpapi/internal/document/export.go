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
	form *exportForm
	left []string // lists that are not open yet
	list string   // the open list, "" before the first
	n    int      // its items so far
	part []byte   // the JSON text of the part that is written
}

// exportForm is how a document is written: what is around and between its parts, and how
// the JSON text of a part is appended.
type exportForm struct {
	mediaType     string
	begin, end    string
	list          [2]string // around the name of a list
	first, next   string    // before the first item of a list, and before any other
	closed, empty string    // after a list with items, and one without
	company, item func(dst, json []byte) ([]byte, error)
}

// exportJSON writes a document into the envelope of a success.
var exportJSON = exportForm{
	mediaType: protocol.JSON,
	begin:     `{"data":{"format":1,"company":`,
	end:       `},"error":null,"error_detail":null,"success":true}`,
	list:      [2]string{`,"`, `":[`}, next: ",", closed: "]", empty: "]",
	company: appendJSON, item: appendJSON,
}

func appendJSON(dst, json []byte) ([]byte, error) { return append(dst, json...), nil }

// exportYAML writes a document alone.
var exportYAML = exportForm{
	mediaType: yamldoc.MediaType,
	begin:     "format: 1\n",
	list:      [2]string{"", ":"}, first: "\n", empty: " []\n",
	company: func(dst, json []byte) ([]byte, error) {
		v, err := jsondoc.ParseStored(json)
		return yamldoc.AppendMember(dst, organization.FieldCompany, v, 0), err
	},
	item: func(dst, json []byte) ([]byte, error) {
		v, err := jsondoc.ParseStored(json)
		return yamldoc.AppendItem(dst, v, 2), err
	},
}

// NewExport begins the answer, in YAML if the request prefers that.
func NewExport(r *request.Request) *Export {
	r.Writer.Header().Add("Vary", "Accept")
	form := &exportJSON
	if protocol.Prefers(r.HTTP.Header, yamldoc.MediaType, protocol.JSON) {
		form = &exportYAML
	}
	return &Export{out: r.LongAnswer(form.mediaType), form: form, left: []string{organization.FieldDepartments, organization.FieldAgents}}
}

// Company writes the company.
func (e *Export) Company(c company.Company) error {
	e.part = organization.AppendCompany(e.part[:0], c)
	return e.put(e.form.company(append(e.out.Buffer(), e.form.begin...), e.part))
}

// Department writes a department.
func (e *Export) Department(d app.Department) error {
	e.part = organization.AppendDepartment(e.part[:0], d.Department, d.Names.Show)
	return e.item(organization.FieldDepartments)
}

// Agent writes an agent.
func (e *Export) Agent(a agent.Agent, names identity.Show) error {
	e.part = organization.AppendAgent(e.part[:0], a, names)
	return e.item(organization.FieldAgents)
}

// item writes the part as the next item of a list.
func (e *Export) item(list string) error {
	dst := e.openTo(list)
	before := e.form.next
	if e.n == 0 {
		before = e.form.first
	}
	e.n++
	return e.put(e.form.item(append(dst, before...), e.part))
}

// openTo opens the lists up to the one wanted.
func (e *Export) openTo(list string) []byte {
	dst := e.out.Buffer()
	for e.list != list {
		if e.list != "" {
			dst = e.closeList(dst)
		}
		e.list, e.left, e.n = e.left[0], e.left[1:], 0
		dst = append(append(append(dst, e.form.list[0]...), e.list...), e.form.list[1]...)
	}
	return dst
}

func (e *Export) closeList(dst []byte) []byte {
	if e.n == 0 {
		return append(dst, e.form.empty...)
	}
	return append(dst, e.form.closed...)
}

// Finish ends the answer. err is the error of making it, if any.
func (e *Export) Finish(err error) error {
	if err == nil {
		dst := e.closeList(e.openTo(organization.FieldAgents))
		err = e.out.Put(append(dst, e.form.end...))
	}
	return e.out.Finish(err)
}

func (e *Export) put(dst []byte, err error) error {
	if err != nil {
		return err
	}
	return e.out.Put(dst)
}
