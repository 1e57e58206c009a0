// Package organization holds the organization as one document, and plans how an
// organization becomes as a document describes it.
//
// A document has names instead of ids, so it can be applied to any organization. Its
// parts are read and written by the packages that own them.
package organization

import (
	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/identity"
	"orgd/domain/jsondoc"
)

// Format is the version of the form of documents.
const Format = 1

// The members of a document, in order.
const (
	FieldFormat      = "format"
	FieldCompany     = "company"
	FieldDepartments = "departments"
	FieldAgents      = "agents"
	// FieldPreviousName is the member of an agent's entry that has its previous name.
	FieldPreviousName = "previous_name"
)

// AppendCompany appends the company as a JSON text, in the form of documents.
func AppendCompany(dst []byte, c company.Company) []byte { return appendText(dst, c.Write) }

// AppendDepartment appends a department as a JSON text, in the form of documents.
func AppendDepartment(dst []byte, d department.Department, show identity.Show) []byte {
	return appendText(dst, func(w *jsondoc.Writer) { d.WriteEntry(w, show) })
}

// AppendAgent appends an agent as a JSON text, in the form of documents.
func AppendAgent(dst []byte, a agent.Agent, show identity.Show) []byte {
	return appendText(dst, func(w *jsondoc.Writer) { a.WriteEntry(w, show) })
}

func appendText(dst []byte, members func(*jsondoc.Writer)) []byte {
	w := jsondoc.NewWriter(dst)
	w.Open()
	members(w)
	w.Close()
	return w.Bytes()
}
