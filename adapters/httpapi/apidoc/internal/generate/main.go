// Command generate writes openapi.yaml: what is written by hand in interface.yaml, and the
// schemas of the nouns, which are made of the list of their fields. It runs in the directory
// of both.
package main

import (
	"bytes"
	"fmt"
	"log"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"
)

// origin stands in the second line of the document.
const origin = "\n# Made by make generate from interface.yaml and the list of fields.\n"

// The lines of interface.yaml that are replaced.
const (
	answersHere  = "    # The answers in JSON, and those with errors, follow; make generate writes them.\n"
	schemasHere  = "    # The schemas of nouns and envelopes follow; make generate writes them.\n"
	examplesHere = "    # The examples of errors follow; make generate writes them.\n"
)

func main() {
	written, err := os.ReadFile("interface.yaml")
	if err != nil {
		log.Fatal(err)
	}
	text, err := document(written)
	if err == nil {
		err = os.WriteFile("openapi.yaml", text, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}

// document returns the whole document.
func document(written []byte) ([]byte, error) {
	var doc struct {
		Components struct{ Schemas map[string]kind }
	}
	if err := yaml.Unmarshal(written, &doc); err != nil {
		return nil, err
	}
	schemas, err := schemas(doc.Components.Schemas)
	if err != nil {
		return nil, err
	}
	first, rest, _ := bytes.Cut(written, []byte("\n"))
	text := operations(slices.Concat(first, []byte(origin), rest))
	for _, part := range []struct {
		here string
		text []byte
	}{{answersHere, slices.Concat(successes(), refusals())}, {schemasHere, schemas}, {examplesHere, examples()}} {
		if n := bytes.Count(text, []byte(part.here)); n != 1 {
			return nil, fmt.Errorf("interface.yaml has %d lines %q, want one", n, part.here)
		}
		text = bytes.Replace(text, []byte(part.here), part.text, 1)
	}
	return withNullables(text)
}
