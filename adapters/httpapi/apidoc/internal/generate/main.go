// Command generate writes openapi.yaml: what is written by hand in interface.yaml, and the
// schemas of the nouns, which are made of the list of their fields. It also writes what the
// program has of it. It runs in the directory of both.
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"log"
	"os"
	"slices"

	goccy "github.com/goccy/go-yaml"
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
	if err != nil {
		log.Fatal(err)
	}
	json, err := goccy.YAMLToJSON(text)
	if err != nil {
		log.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"openapi.yaml": text, "openapi.yaml.gz": pack(text), "openapi.json.gz": pack(json),
	} {
		if err := os.WriteFile(name, content, 0o644); err != nil {
			log.Fatal(err)
		}
	}
}

func pack(text []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(text)
	}
	if err = cmp.Or(err, w.Close()); err != nil {
		log.Fatal(err)
	}
	return b.Bytes()
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
