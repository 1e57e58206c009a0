// Package document reads and writes the organization as one JSON text, which may be too
// long for memory. It is read and written part by part.
package document

import (
	"orgd/adapters/httpapi/internal/protocol"
	"orgd/adapters/httpapi/internal/request"
	"orgd/domain/organization"
)

// Read reads the document in the body of a request.
func Read(r *request.Request, prune bool) (*organization.Document, *Body, error) {
	if _, err := request.BodyType(r.HTTP.Header, protocol.JSON); err != nil {
		return nil, nil, err
	}
	text, err := r.Spool()
	if err != nil {
		return nil, nil, err
	}
	return read(text, prune)
}

func read(text *request.Spool, prune bool) (*organization.Document, *Body, error) {
	b := &Body{text: text}
	to := organization.NewBuilder()
	if err := splitJSON(b, to); err != nil {
		return nil, nil, to.Broken(err)
	}
	doc, err := to.Document(prune)
	return doc, b, err
}
