package main

import "orgd/adapters/httpapi/apidoc"

// SchemaCmd prints the JSON Schema of documents.
type SchemaCmd struct{}

// Run prints the schema on standard output.
func (SchemaCmd) Run(t *Terminal) error {
	_, err := t.Stdout.Write(apidoc.OrganizationSchema())
	return err
}
