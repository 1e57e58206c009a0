package organization

import (
	"fmt"
	"strings"

	"orgd/domain/fault"
)

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

// problems collects what is wrong with a document. The zero value is empty.
type problems struct {
	texts     []string
	count     int
	malformed bool // see ErrMalformed
}

// add adds an error with a suffix.
func (p *problems) add(err error, suffix string) {
	f := fault.Of(err)
	p.malformed = p.malformed || f.Code == fault.RequestValidation
	if p.count++; p.count <= maxProblems {
		p.texts = append(p.texts, f.Msg+suffix)
	}
}

func (p *problems) err() error {
	if p.count == 0 {
		return nil
	}
	text := strings.Join(p.texts, "; ")
	if more := p.count - len(p.texts); more > 0 {
		text += fmt.Sprintf("; and %d more", more)
	}
	if p.malformed {
		return ErrMalformed.With("%s", text)
	}
	return ErrRefused.With("%s", text)
}
