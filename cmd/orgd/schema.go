package main

import "orgd"

type schemaCmd struct{}

// Run prints the schema on standard output.
func (schemaCmd) Run(p *process) error {
	_, err := p.stdout.Write(orgd.OrganizationSchema())
	return err
}
