package document

import (
	"io"
	"net/http"
	"strings"

	"orgd/adapters/httpapi/internal/request"
	"orgd/domain/idempotency"
	"orgd/domain/jsondoc"
	"orgd/domain/organization"
)

// Changes are the changes of a plan, which may be too long for memory. The caller closes
// them.
type Changes struct{ text *request.Spool }

// NewChanges returns an empty list.
func NewChanges() Changes { return Changes{request.NewSpool()} }

// Add appends a change.
func (l Changes) Add(c organization.Change) error {
	w := jsondoc.NewWriter(nil)
	w.Open()
	w.Field("path").Text(c.Path)
	w.Field("action").Text(string(c.Action))
	comma := []byte(",")
	if l.text.Size() == 0 {
		comma = nil
	}
	// Old and new may be long, and are not copied.
	for _, part := range [][]byte{comma, w.Bytes(), []byte(`,"old":`), c.Old, []byte(`,"new":`), c.New, []byte("}")} {
		if _, err := l.text.Write(part); err != nil {
			return err
		}
	}
	return nil
}

// Restart removes all changes.
func (l Changes) Restart() error { return l.text.Reset() }

// Close removes the temporary file, if there is one.
func (l Changes) Close() error { return l.text.Close() }

// around returns the parts of the answer before and after the changes.
func around(hash string) (before, after string) {
	return `{"data":{"plan_hash":"` + hash + `","changes":[`, `]},"error":null,"error_detail":null,"success":true}`
}

// Reply returns the answer with the changes and the hash of the plan, or nil if it is too
// long to be kept.
func (l Changes) Reply(hash string) *idempotency.Reply {
	text, ok := l.text.InMemory()
	if !ok {
		return nil
	}
	before, after := around(hash)
	return &idempotency.Reply{Status: http.StatusOK, Body: []byte(before + string(text) + after)}
}

// Send sends the answer of any length.
func (l Changes) Send(r *request.Request, hash string) error {
	if reply := l.Reply(hash); reply != nil {
		return r.Send(*reply)
	}
	out := r.LongAnswer()
	before, after := around(hash)
	_, err := io.Copy(out, io.MultiReader(strings.NewReader(before), l.text.Reader(), strings.NewReader(after)))
	return out.Finish(err)
}
