// Package web holds the pages for browsers: the reference of the API and the
// console. Their files are plain HTML, CSS and modules of JavaScript, in docs
// and console; "make generate" packs them.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io"
	"path"
	"strings"
	"sync"
)

// packed has the files as they are sent. Unpacked they would be three times as
// large.
//
//go:embed packed
var packed embed.FS

const packedSuffix = ".gz"

// Site is a page with what belongs to it, by name. The page itself is
// index.html.
type Site map[string]File

// File is one file of a site.
type File struct {
	Type   string // for the header Content-Type
	Tag    string // differs from that of every other content
	Packed []byte // by gzip; not to be changed
	// Unpack returns the file as it was written, for clients that do not unpack. It is not
	// to be changed. It is unpacked once, when the first of them asks: anybody may ask for
	// it any number of times and read it slowly.
	Unpack func() ([]byte, error)
}

// Docs is the reference of the API, which reads the description that the service serves.
var Docs = sync.OnceValue(func() Site { return open("docs") })

// Console is the console.
var Console = sync.OnceValue(func() Site { return open("console") })

func open(name string) Site {
	dir := path.Join("packed", name)
	entries, err := packed.ReadDir(dir)
	site := Site{}
	for _, e := range entries {
		var content []byte
		if content, err = packed.ReadFile(path.Join(dir, e.Name())); err != nil {
			break
		}
		file := strings.TrimSuffix(e.Name(), packedSuffix)
		sum := sha256.Sum256(content)
		site[file] = File{
			Type: typeOf(file), Tag: hex.EncodeToString(sum[:12]), Packed: content,
			Unpack: sync.OnceValues(func() ([]byte, error) { return unpack(content) }),
		}
	}
	if err != nil {
		panic("web: the embedded files cannot be read: " + err.Error())
	}
	return site
}

// typeOf does not ask the system, whose tables differ.
func typeOf(name string) string {
	switch path.Ext(name) {
	case ".html":
		return "text/html; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return "application/octet-stream"
}

func unpack(packed []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return nil, fmt.Errorf("web: unpack: %w", err)
	}
	content, err := io.ReadAll(r)
	if err != nil {
		return nil, fmt.Errorf("web: unpack: %w", err)
	}
	return content, nil
}
