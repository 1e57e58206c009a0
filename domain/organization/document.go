// Package organization holds the organization as one document: what stands in
// it, what has to change so that the organization is as a document says, and in
// which order.
//
// A document names things, never by ids, so it means the same everywhere. Its
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
	// FieldPreviousName is the member of an agent's entry that says which name
	// it had before.
	FieldPreviousName = "previous_name"
)

// AppendCompany appends the company as documents have it, as JSON text.
func AppendCompany(dst []byte, c company.Company) []byte { return appendText(dst, c.Write) }

// AppendDepartment appends a department as documents have it, as JSON text.
func AppendDepartment(dst []byte, d department.Department, show identity.Show) []byte {
	return appendText(dst, func(w *jsondoc.Writer) { d.WriteEntry(w, show) })
}

// AppendAgent appends an agent as documents have it, as JSON text.
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
