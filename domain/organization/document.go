// Package organization holds the organization as one document, and plans how an
// organization becomes as a document describes it.
//
// A document has names instead of ids, so it can be applied to any organization. Its
// parts are read and written by the packages that own them.
package organization

import (
	"fmt"
	"strings"

	"orgd/domain/agent"
	"orgd/domain/company"
	"orgd/domain/department"
	"orgd/domain/fault"
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
	// FieldAsOf is the member of an agent's entry that says when and by whom that was
	// written elsewhere.
	FieldAsOf = "as_of"
)

var memberNames = []string{FieldFormat, FieldCompany, FieldDepartments, FieldAgents}

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

var (
	// ErrMalformed is a document that is wrong whatever the organization is.
	ErrMalformed = fault.New(fault.RequestValidation, "not a document of an organization")
	// ErrRefused is a document that cannot be applied to the organization as it
	// is.
	ErrRefused = fault.New(fault.Validation, "the document cannot be applied")
	// ErrPrune is a document that is to be applied with everything else deleted, and
	// lacks a list.
	ErrPrune = fault.New(fault.Validation, "prune: needs a document with both departments and agents")
)

// maxProblems is how many problems an error names.
const maxProblems = 1000

// Where is where a part begins in the text of a document.
type Where struct {
	Line int    // counted from 1, 0 if it is unknown
	Text string // for the end of a sentence, such as " (line 12)", "" to say nothing
}

// OnLine is the place of a part that begins at a line.
func OnLine(line int) Where { return Where{line, fmt.Sprintf(" (line %d)", line)} }

// problems collects what is wrong with a document. The zero value is empty.
type problems struct {
	texts     []string
	mistakes  []fault.Mistake // what the texts say
	count     int
	malformed bool // see ErrMalformed
}

// add adds an error of a part.
func (p *problems) add(err error, where Where) {
	f := fault.Of(err).OnLine(where.Line)
	p.malformed = p.malformed || f.Code == fault.RequestValidation
	if p.count++; p.count <= maxProblems {
		p.texts = append(p.texts, f.Msg+where.Text)
		p.mistakes = append(p.mistakes, f.Mistakes()...)
	}
}

func (p *problems) err() error {
	if p.count == 0 {
		return nil
	}
	if more := p.count - len(p.texts); more > 0 {
		last := fault.More(more)
		p.texts, p.mistakes = append(p.texts, last.Text), append(p.mistakes, last)
	}
	kind := ErrRefused
	if p.malformed {
		kind = ErrMalformed
	}
	return kind.With("%s", strings.Join(p.texts, "; ")).WithMistakes(p.mistakes)
}
