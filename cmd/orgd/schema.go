package main

import "orgd/adapters/httpapi/apidoc"

type schemaCmd struct{}

// Run prints the schema on standard output.
func (schemaCmd) Run(p *process) error {
	_, err := p.stdout.Write(apidoc.OrganizationSchema())
	return err
}
