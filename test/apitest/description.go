package apitest

import "net/http"

// Description is the API description of a service. Tests outside of this
// package compare single answers with it, by the same rules as the suite does.
type Description struct{ doc *document }

// Describe reads a description, in the JSON that a service serves.
func Describe(text []byte) (*Description, error) {
	doc, err := parseDocument(text)
	if err != nil {
		return nil, err
	}
	return &Description{doc}, nil
}

// Operation returns the operationId of what a request is for, or "" if that is
// not described.
func (d *Description) Operation(r *http.Request) string {
	op, _ := d.doc.find(r.Method, r.URL.EscapedPath())
	return op.id
}

// Check returns everything that is wrong with an answer. The request may have
// been any, well formed or not, and its own body is not looked at; of a stream of
// events the answer is the beginning.
func (d *Description) Check(r *http.Request, status int, header http.Header, body []byte) []error {
	a := &reply{status: status, header: header, body: body}
	return a.check(d.doc, r, nil, true)
}
