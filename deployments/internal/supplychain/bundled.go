package main

import "path/filepath"

// npm is where the packages are that no module of Go is made for.
const npm = "npm"

// bundled are the packages that the program has inside without linking them:
// Swagger UI, for the reference of the API. Their licences lie below the module
// of the program.
func bundled(root string) []module {
	return []module{{
		path: "swagger-ui-dist", version: "5.29.0", registry: npm,
		root: filepath.Join(root, "adapters", "httpapi", "web", "swagger-ui"),
	}}
}
