package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v3"

	"orgd/client"
)

// recordFlag names a file with fields of what is made or changed.
type recordFlag struct {
	File string `short:"f" placeholder:"FILE" help:"Take fields from a file, YAML or JSON, under the names of the interface; - is standard input. Flags stand above it."`
}

// fields reads the file, if there is one.
func (f recordFlag) fields(p *process) (client.Object, error) {
	if f.File == "" {
		return client.Object{}, nil
	}
	doc, err := p.readDocument(f.File)
	if err != nil {
		return nil, err
	}
	node, err := doc.node()
	if err != nil {
		return nil, usageError{fmt.Errorf("%s: %w", doc.name, err)}
	}
	if node.Kind != yaml.MappingNode {
		return nil, usageError{fmt.Errorf("%s: must be an object with fields", doc.name)}
	}
	value, err := plain(node)
	if err != nil {
		return nil, usageError{fmt.Errorf("%s: %w", doc.name, err)}
	}
	return value.(map[string]any), nil // as a mapping is
}

// node reads the document, of which an empty one is null.
func (d document) node() (*yaml.Node, error) {
	if json.Valid(d.text) {
		return readJSON(d.text)
	}
	var root yaml.Node
	if err := yaml.Unmarshal(d.text, &root); err != nil || len(root.Content) == 0 {
		return &root, err
	}
	return root.Content[0], nil
}

// plain is a node as JSON has it, with numbers as they are written.
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

// wrong is a mistake in a document. The nodes of JSON have no lines.
func wrong(n *yaml.Node, format string, args ...any) error {
	if n.Line > 0 {
		format = fmt.Sprintf("line %d: ", n.Line) + format
	}
	return fmt.Errorf(format, args...)
}

// put sets the field at a path, such as model.provider, to what was given.
func put[T any](o client.Object, path string, given *T) {
	if given != nil {
		set(o, path, *given)
	}
}

// putWord is put for words, where "" is what was not given.
func putWord[T ~string](o client.Object, path string, given T) {
	if given != "" {
		set(o, path, given)
	}
}

// putOrNull is put for what may be absent, where "" takes it away.
func putOrNull(o client.Object, path string, given *string) {
	if given != nil && *given == "" {
		set(o, path, nil)
		return
	}
	put(o, path, given)
}

func set(o map[string]any, path string, value any) {
	outer, inner, deeper := strings.Cut(path, ".")
	if !deeper {
		o[outer] = value
		return
	}
	below, ok := o[outer].(map[string]any)
	if !ok {
		below = map[string]any{}
		o[outer] = below
	}
	set(below, inner, value)
}

// input makes the fields of something new what the client wants. A field that
// it does not have is a mistake of whoever typed it.
func input[T any](o client.Object) (in T, err error) {
	text, err := json.Marshal(o)
	if err != nil {
		return in, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	d.DisallowUnknownFields()
	if err := d.Decode(&in); err != nil {
		return in, usageError{errors.New(strings.TrimPrefix(err.Error(), "json: "))}
	}
	return in, nil
}

// errNothing is what a change without fields comes to.
var errNothing = usageError{errors.New("there is nothing to change: give a flag or --file")}

// errNameless is what something new without a name comes to.
var errNameless = usageError{errors.New("it needs a name")}

// number is a number as it is typed.
type number client.Decimal

// UnmarshalText implements encoding.TextUnmarshaler.
func (n *number) UnmarshalText(text []byte) error {
	if _, err := client.Decimal(text).Rat(); err != nil || len(text) == 0 {
		return errors.New("must be a number")
	}
	*n = number(text)
	return nil
}

// MarshalJSON implements json.Marshaler.
func (n number) MarshalJSON() ([]byte, error) { return client.Decimal(n).MarshalJSON() }

// reasonFlag says why.
type reasonFlag struct {
	Reason string `placeholder:"TEXT" help:"Why; it is kept with each version of an agent that this writes."`
}

func (f reasonFlag) options() (opts []client.Option) {
	if f.Reason != "" {
		opts = append(opts, client.ChangeReason(f.Reason))
	}
	return opts
}

// yesFlag is for commands that destroy.
type yesFlag struct {
	Yes bool `help:"Do not ask."`
}

// doomed is something that shall be deleted.
type doomed struct {
	title string // for the question
	id    string // or name
	tag   string // what was shown has
}

// remove asks, and deletes what has not changed since it was read.
func (f yesFlag) remove(ctx context.Context, p *process, names []string, read func(name string) (doomed, error), remove func(id string, guard client.Option) error) error {
	if err := p.canAsk(f.Yes); err != nil {
		return err
	}
	var all []doomed
	var titles []string
	for _, name := range names {
		one, err := read(name)
		if err != nil {
			return err
		}
		all = append(all, one)
		titles = append(titles, one.title)
	}
	if err := p.confirm(ctx, fmt.Sprintf("Delete %s?", strings.Join(titles, ", ")), f.Yes); err != nil {
		return err
	}
	for _, one := range all {
		if err := remove(one.id, client.IfMatch(one.tag)); err != nil {
			return err
		}
		p.say("Deleted %s.", one.title)
	}
	return nil
}
