package document

import (
	"orgd/adapters/httpapi/apidoc"
	"orgd/cmd/orgd/internal/terminal"
)

// Schema prints the JSON Schema of documents.
type Schema struct{}

// Run prints the schema on standard output.
func (Schema) Run(t *terminal.Terminal) error {
	_, err := t.Stdout.Write(apidoc.OrganizationSchema())
	return err
}
