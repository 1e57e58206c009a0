package document

import (
	"orgd/adapters/httpapi/internal/request"
	"orgd/app"
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/identity"
	"orgd/domain/organization"
)

// Export is the answer with the whole organization. Its methods write the company, then
// the departments, then the agents.
type Export struct {
	out  *request.LongAnswer
	left []string // lists that are not open yet
	list string   // the open list, "" before the first
	n    int      // its items so far
}

// NewExport begins the answer.
func NewExport(r *request.Request) *Export {
	return &Export{out: r.LongAnswer(), left: []string{organization.FieldDepartments, organization.FieldAgents}}
}

// Company writes the company.
func (e *Export) Company(c company.Company) error {
	return e.out.Put(organization.AppendCompany(append(e.out.Buffer(), `{"data":{"format":1,"company":`...), c))
}

// Department writes a department.
func (e *Export) Department(d app.Department) error {
	return e.out.Put(organization.AppendDepartment(e.item(organization.FieldDepartments), d.Department, d.Names.Show))
}

// Agent writes an agent.
func (e *Export) Agent(a agent.Agent, names identity.Show) error {
	return e.out.Put(organization.AppendAgent(e.item(organization.FieldAgents), a, names))
}

// item begins the next item of a list.
func (e *Export) item(list string) []byte {
	dst := e.openTo(list)
	if e.n > 0 {
		dst = append(dst, ',')
	}
	e.n++
	return dst
}

// openTo opens the lists up to the one wanted.
func (e *Export) openTo(list string) []byte {
	dst := e.out.Buffer()
	for e.list != list {
		if e.list != "" {
			dst = append(dst, ']')
		}
		e.list, e.left, e.n = e.left[0], e.left[1:], 0
		dst = append(append(append(dst, `,"`...), e.list...), `":[`...)
	}
	return dst
}

// Finish ends the answer. err is the error of making it, if any.
func (e *Export) Finish(err error) error {
	if err == nil {
		err = e.out.Put(append(e.openTo(organization.FieldAgents), `]},"error":null,"error_detail":null,"success":true}`...))
	}
	return e.out.Finish(err)
}
