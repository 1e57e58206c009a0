// Command types writes the types of the clients, which are made of the description of the
// API. It runs in the directory of those for Python and TypeScript.
package main

import (
	"log"
	"os"

	"go.yaml.in/yaml/v3"
)

const description = "../adapters/httpapi/apidoc/openapi.yaml"

// files are what it writes, by their paths in the directory of the clients.
var files = map[string]func(document) string{
	"python/src/orgd/types.py": func(d document) string { return pythonHead + d.types(python{}) },
	"../client/types.go":       document.golang,
	"typescript/src/types.ts":  func(d document) string { return typescriptHead + d.types(typescript{}) },
}

func main() {
	text, err := os.ReadFile(description)
	if err != nil {
		log.Fatal(err)
	}
	var d document
	if err := yaml.Unmarshal(text, &d); err != nil {
		log.Fatal(err)
	}
	for name, write := range files {
		if err := os.WriteFile(name, []byte(write(d)), 0o644); err != nil {
			log.Fatal(err)
		}
	}
}
