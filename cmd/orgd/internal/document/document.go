// Package document reads documents of an organization, plans and applies them, and
// prints what they change and what is wrong with them.
package document

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"go.yaml.in/yaml/v3"

	"orgd/cmd/orgd/internal/terminal"
	"orgd/domain/identity"
)

// File is the text of a file in YAML or JSON.
type File struct {
	Name string // for error texts
	Text []byte
	yaml bool
}

// Read reads a file, or standard input for "-". Its text is YAML, unless its name
// ends in .json or the text begins with a brace.
func Read(t *terminal.Terminal, file string) (File, error) {
	d := File{Name: file}
	var err error
	if file == terminal.StdFile {
		d.Name = "standard input"
		d.Text, err = io.ReadAll(t.Stdin)
	} else {
		d.Text, err = os.ReadFile(file)
	}
	switch strings.ToLower(filepath.Ext(file)) {
	case ".json":
	case ".yaml", ".yml":
		d.yaml = true
	default:
		d.yaml = !bytes.HasPrefix(bytes.TrimLeft(d.Text, " \t\r\n"), []byte("{"))
	}
	return d, err
}

// Instructions reads a file with the instructions of an agent. It is a usage error if
// they are longer than an agent's may be.
func Instructions(t *terminal.Terminal, file string) (string, error) {
	d, err := Read(t, file)
	if err != nil {
		return "", err
	}
	text := string(d.Text)
	if problem := identity.CheckInstructions(text); problem != "" {
		return "", terminal.Usagef("--instructions-file: %s: %s", d.Name, problem)
	}
	return text, nil
}

// maxSearched is the size of a text, in bytes, up to which the lines of fields are
// looked up in JSON. In longer ones only entries have lines: the service reports these.
const maxSearched = 32 << 20

// locate returns a function that finds the lines of fields. JSON is parsed as
// YAML.
func (d File) locate() Locate {
	root := sync.OnceValue(func() *yaml.Node {
		var root yaml.Node
		if !d.yaml && len(d.Text) > maxSearched || yaml.Unmarshal(d.Text, &root) != nil || len(root.Content) == 0 {
			return nil
		}
		return root.Content[0]
	})
	return func(path string, near int) (string, int, string) {
		if path == "" {
			return d.Name, near, path
		}
		return d.Name, max(lineOf(root(), path), near), path
	}
}

// lineOf returns the line of the part of a document at a path, or of the innermost
// part around it; 0 if the document has neither.
func lineOf(n *yaml.Node, path string) (line int) {
	for path != "" && n != nil {
		var name string
		var item int
		name, item, path = FirstStep(path)
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

// FirstStep splits a path after its first step: a name, or the number of an item,
// which is -1 for a name.
func FirstStep(path string) (name string, item int, rest string) {
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

// member returns a member of an object, nil if it does not exist.
func member(object *yaml.Node, name string) (key, value *yaml.Node) {
	for i := 0; i+1 < len(object.Content); i += 2 {
		if object.Content[i].Value == name {
			return object.Content[i], object.Content[i+1]
		}
	}
	return nil, nil
}
