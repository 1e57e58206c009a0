// Package apidoc holds the description of the HTTP interface: one OpenAPI 3.1
// document, served as it is. What is written by hand is interface.yaml; the
// schemas of the nouns are made of the list of their fields, in fields.
//
// The document is part of the promise to clients. Its tests check it against
// itself; the tests of the server check every answer against it.
package apidoc

import (
	"bytes"
	"compress/gzip"
	_ "embed"
	"io"
	"sync"

	"github.com/goccy/go-yaml"
)

// compressed is openapi.yaml, which would be a hundredth of the program.
//
//go:embed openapi.yaml.gz
var compressed []byte

// YAML returns the document as it was made. It is unpacked at the first call.
// Callers must not change it.
var YAML = sync.OnceValue(func() []byte {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err == nil {
		var text []byte
		if text, err = io.ReadAll(r); err == nil {
			return text
		}
	}
	panic("apidoc: the embedded document cannot be unpacked: " + err.Error())
})

// JSON returns the same document as JSON, with its members in the same order.
// It is converted at the first call. Callers must not change it.
var JSON = sync.OnceValue(func() []byte {
	text, err := yaml.YAMLToJSON(YAML())
	if err != nil {
		panic("apidoc: the embedded document is no YAML: " + err.Error())
	}
	return text
})
