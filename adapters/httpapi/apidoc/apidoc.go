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
)

// The document, which would be a fiftieth of the program, and the same as JSON: a
// library that converts it would be ten times as large.
var (
	//go:embed openapi.yaml.gz
	compressedYAML []byte
	//go:embed openapi.json.gz
	compressedJSON []byte
)

// YAML returns the document as it was made. It is unpacked at the first call.
// Callers must not change it.
var YAML = sync.OnceValue(func() []byte { return unpack(compressedYAML) })

// JSON returns the same document as JSON, with its members in the same order.
// It is unpacked at the first call. Callers must not change it.
var JSON = sync.OnceValue(func() []byte { return unpack(compressedJSON) })

func unpack(compressed []byte) []byte {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err == nil {
		var text []byte
		if text, err = io.ReadAll(r); err == nil {
			return text
		}
	}
	panic("apidoc: the embedded document cannot be unpacked: " + err.Error())
}
