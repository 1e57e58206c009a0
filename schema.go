package orgd

import "orgd/adapters/httpapi/apidoc"

// OrganizationSchema returns the JSON Schema of the document of an organization,
// for editors.
func OrganizationSchema() []byte { return apidoc.OrganizationSchema() }
