package document

import (
	"encoding/json"
	"fmt"

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
	var root yaml.Node
	if err := yaml.Unmarshal(d.Text, &root); err != nil || len(root.Content) == 0 {
		return &root, err
	}
	return root.Content[0], nil
}

// plain returns a node as the JSON value that it is, with numbers as they are
// written.
func plain(n *yaml.Node) (any, error) {
	switch n.Kind {
	case yaml.MappingNode:
		return plainObject(n)
	case yaml.SequenceNode:
		list := []any{}
		for _, item := range n.Content {
			value, err := plain(item)
			if err != nil {
				return nil, err
			}
			list = append(list, value)
		}
		return list, nil
	case yaml.AliasNode:
		return nil, wrong(n, "aliases are not taken")
	}
	switch tag := n.ShortTag(); tag {
	case "!!null":
		return nil, nil
	case "!!bool":
		var yes bool
		return yes, n.Decode(&yes)
	case "!!int", "!!float":
		if !json.Valid([]byte(n.Value)) {
			return nil, wrong(n, "%s is not a number of JSON", n.Value)
		}
		return json.Number(n.Value), nil
	default: // texts, and what looks like a time
		return n.Value, nil
	}
}

func plainObject(n *yaml.Node) (any, error) {
	object := map[string]any{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if _, twice := object[key.Value]; twice {
			return nil, wrong(key, "%s stands here twice", key.Value)
		}
		value, err := plain(n.Content[i+1])
		if err != nil {
			return nil, err
		}
		object[key.Value] = value
	}
	return object, nil
}

// wrong returns the error of a node. The nodes of JSON have no lines.
func wrong(n *yaml.Node, format string, args ...any) error {
	if n.Line > 0 {
		format = fmt.Sprintf("line %d: ", n.Line) + format
	}
	return fmt.Errorf(format, args...)
}
