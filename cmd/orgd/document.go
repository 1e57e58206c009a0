package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"orgd/client"
)

// document is a file that describes an organization.
type document struct {
	name string // as people know it
	text []byte
	yaml bool
}

// stdinFile is the name of a file that stands for standard input.
const stdinFile = "-"

// readDocument reads a file, in YAML unless its name or its first character says
// that it is JSON.
func (p *process) readDocument(file string) (document, error) {
	d := document{name: file}
	var err error
	if file == stdinFile {
		d.name = "standard input"
		d.text, err = io.ReadAll(p.stdin)
	} else {
		d.text, err = os.ReadFile(file)
	}
	switch strings.ToLower(filepath.Ext(file)) {
	case ".json":
	case ".yaml", ".yml":
		d.yaml = true
	default:
		d.yaml = !bytes.HasPrefix(bytes.TrimLeft(d.text, " \t\r\n"), []byte("{"))
	}
	return d, err
}

// proposal is what to send of the document.
func (d document) proposal(service *client.Client, to connection, prune bool) proposal {
	return proposal{
		service: service, server: to.server, name: d.name, places: d.places(),
		doc: client.OrganizationDocument{Text: d.text, YAML: d.yaml, Prune: prune},
	}
}

// largestSearched is how long a text may be, in bytes, for the lines of its
// fields to be looked for. In longer ones the entries have lines, which the
// service tells.
const largestSearched = 32 << 20

// places finds the lines of fields. JSON is read as the YAML that it is, too.
func (d document) places() places {
	root := sync.OnceValue(func() *yaml.Node {
		var root yaml.Node
		if len(d.text) > largestSearched || yaml.Unmarshal(d.text, &root) != nil || len(root.Content) == 0 {
			return nil
		}
		return root.Content[0]
	})
	return func(path string, near int) (string, int, string) {
		if path == "" {
			return d.name, near, path
		}
		return d.name, max(lineOf(root(), path), near), path
	}
}

// lineOf is the line of the part of a document that a path names, or of the
// innermost part around it; 0 if the document has nothing of it.
func lineOf(n *yaml.Node, path string) (line int) {
	for path != "" && n != nil {
		var name string
		var item int
		name, item, path = firstStep(path)
		switch {
		case n.Kind == yaml.SequenceNode && item >= 0 && item < len(n.Content):
			n = n.Content[item]
			line = n.Line
		case n.Kind == yaml.MappingNode && item < 0:
			key, value := member(n, name)
			if key == nil {
				return line
			}
			n, line = value, key.Line
		default:
			return line
		}
	}
	return line
}

// firstStep takes the first step off a path: a name, or the number of an item,
// which is negative for a name.
func firstStep(path string) (name string, item int, rest string) {
	if inner, ok := strings.CutPrefix(path, "["); ok {
		digits, rest, _ := strings.Cut(inner, "]")
		item, err := strconv.Atoi(digits)
		if err != nil {
			return "", -1, ""
		}
		return "", item, strings.TrimPrefix(rest, ".")
	}
	if quoted, err := strconv.QuotedPrefix(path); err == nil {
		name, _ = strconv.Unquote(quoted) // it is quoted
		return name, -1, strings.TrimPrefix(path[len(quoted):], ".")
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		return path, -1, ""
	}
	return path[:end], -1, strings.TrimPrefix(path[end:], ".")
}

// member finds a member of an object.
func member(object *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(object.Content); i += 2 {
		if object.Content[i].Value == name {
			return object.Content[i], object.Content[i+1]
		}
	}
	return nil, nil
}
