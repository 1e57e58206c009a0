// Package document reads and writes the organization as one JSON or YAML text, which may
// be too long for memory. It is read and written part by part.
package document

import (
	"orgd/adapters/httpapi/internal/document/yamldoc"
	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/domain/organization"
)

// Read reads the document in the body of a request. The caller closes the body, also
// after an error.
func Read(r *request.Request, prune bool) (*organization.Document, *Body, error) {
	typ, err := request.BodyType(r.HTTP.Header, protocol.JSON, yamldoc.MediaType)
	if err != nil {
		return nil, nil, err
	}
	text, err := r.Spool()
	if err != nil {
		return nil, nil, err
	}
	return read(text, typ == yamldoc.MediaType, prune)
}

func read(text *request.Spool, yaml, prune bool) (*organization.Document, *Body, error) {
	b := &Body{text: text, side: request.NewSpool()}
	to := organization.NewBuilder()
	split := splitJSON
	if yaml {
		split = splitYAML
	}
	if err := split(b, to); err != nil {
		return nil, b, to.Broken(err)
	}
	doc, err := to.Document(prune)
	return doc, b, err
}
