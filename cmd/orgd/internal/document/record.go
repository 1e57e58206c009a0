package document

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"go.yaml.in/yaml/v3"

	"orgd/client"
	"orgd/cmd/orgd/internal/terminal"
)

// RecordFlag names a file with fields of an object that is created or changed.
type RecordFlag struct {
	File string `short:"f" placeholder:"FILE" help:"Take fields from a file, YAML or JSON, under the names of the interface; - is standard input. Flags stand above it."`
}

// Fields reads the file. It returns no fields if none is given.
func (f RecordFlag) Fields(t *terminal.Terminal) (client.Object, error) {
	if f.File == "" {
		return client.Object{}, nil
	}
	doc, err := Read(t, f.File)
	if err != nil {
		return nil, err
	}
	node, err := doc.node()
	if err != nil {
		return nil, terminal.Usagef("%s: %w", doc.Name, err)
	}
	if node.Kind != yaml.MappingNode {
		return nil, terminal.Usagef("%s: must be an object with fields", doc.Name)
	}
	value, err := plain(node)
	if err != nil {
		return nil, terminal.Usagef("%s: %w", doc.Name, err)
	}
	return value.(map[string]any), nil // a mapping
}

// node parses the text. An empty one is null.
func (d File) node() (*yaml.Node, error) {
	if json.Valid(d.Text) {
		return terminal.ParseJSON(d.Text)
	}
	var root, more yaml.Node
	texts := yaml.NewDecoder(bytes.NewReader(d.Text))
	if err := texts.Decode(&root); err != nil {
		if errors.Is(err, io.EOF) {
			err = nil
		}
		return &root, err
	}
	if texts.Decode(&more) == nil {
		return nil, wrong(&more, "is a second document; a file has one")
	}
	return root.Content[0], nil
}

// plain returns a node as the JSON value that it is, with numbers as they are
// written.
func plain(n *yaml.Node) (any, error) {
	text, err := appendJSON(nil, n)
	if err != nil {
		return nil, err
	}
	return decode(text)
}

// appendJSON appends the JSON value that a node is, with its members in order.
func appendJSON(dst []byte, n *yaml.Node) (_ []byte, err error) {
	switch n.Kind {
	case yaml.MappingNode:
		return appendObject(dst, n)
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, item := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendJSON(dst, item); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case yaml.AliasNode:
		return nil, wrong(n, "aliases are not taken")
	}
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return append(dst, "null"...), nil
	case "!!bool":
		return append(dst, strings.ToLower(n.Value)...), nil
	case "!!int", "!!float":
		if !json.Valid([]byte(n.Value)) {
			return nil, wrong(n, "%s is not a number of JSON", n.Value)
		}
		return append(dst, n.Value...), nil
	default: // texts, and what looks like a time
		return append(dst, terminal.JSON(n.Value)...), nil
	}
}

func appendObject(dst []byte, n *yaml.Node) (_ []byte, err error) {
	seen := map[string]bool{}
	dst = append(dst, '{')
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if seen[key.Value] {
			return nil, wrong(key, "%s stands here twice", key.Value)
		}
		if seen[key.Value] = true; i > 0 {
			dst = append(dst, ',')
		}
		dst = append(append(dst, terminal.JSON(key.Value)...), ':')
		if dst, err = appendJSON(dst, n.Content[i+1]); err != nil {
			return nil, err
		}
	}
	return append(dst, '}'), nil
}

// wrong returns the error of a node. The nodes of JSON have no lines.
func wrong(n *yaml.Node, format string, args ...any) error {
	if n.Line > 0 {
		format = fmt.Sprintf("line %d: ", n.Line) + format
	}
	return fmt.Errorf(format, args...)
}
