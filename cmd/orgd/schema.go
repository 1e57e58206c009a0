package main

import (
	"orgd/adapters/httpapi/apidoc"
	"orgd/cmd/orgd/internal/terminal"
)

// SchemaCmd prints the JSON Schema of documents.
type SchemaCmd struct{}

// Run prints the schema on standard output.
func (SchemaCmd) Run(t *terminal.Terminal) error {
	_, err := t.Stdout.Write(apidoc.OrganizationSchema())
	return err
}
