package document

import (
	"io"

	"orgd/adapters/httpapi/internal/request"
	"orgd/domain/fault"
	"orgd/domain/jsondoc"
)

// maxEntry bounds one part of a document, in bytes, as bodies of one such part are
// bounded.
const maxEntry = request.DefaultMaxBody

// errLargeEntry is a part of a document that is too large.
var errLargeEntry = fault.New(fault.RequestValidation, "a part of the document is too large")

// Body is the text of a document. It keeps where its agents are, and reads each of them
// again on request.
type Body struct {
	text   *request.Spool
	agents []extent
}

// extent is where an agent is in the text, in bytes.
type extent struct {
	at   int64
	size int
}

// Agent implements [organization.Entries].
func (b *Body) Agent(i int) (jsondoc.Value, error) {
	e := b.agents[i]
	text := make([]byte, e.size)
	if _, err := io.ReadFull(io.NewSectionReader(b.text, e.at, int64(e.size)), text); err != nil {
		return jsondoc.Value{}, err
	}
	return jsondoc.Parse(text)
}
