package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// OutputFlag says how data is printed.
type OutputFlag struct {
	Output string `short:"o" enum:"table,json,yaml" default:"table" placeholder:"FORMAT" help:"How to print: table, json or yaml (default ${default})."`
}

// ResultFlag says whether a changed object is printed, and how.
type ResultFlag struct {
	Output string `short:"o" enum:",json,yaml" default:"" placeholder:"FORMAT" help:"Also print what it is then: json or yaml."`
}

// Print prints v on standard output, if the flag is given.
func (f ResultFlag) Print(t *Terminal, v any) error {
	if f.Output == "" {
		return nil
	}
	return OutputFlag(f).Print(t, v, nil)
}

// Print prints v on standard output. If a table is asked for, it prints what fill
// adds to one instead.
func (f OutputFlag) Print(t *Terminal, v any, fill func(*Table)) error {
	if f.Output == "table" {
		table := t.Table()
		fill(table)
		return table.Flush()
	}
	text, err := f.encode(v, "  ")
	if err != nil {
		return err
	}
	_, err = t.Stdout.Write(text)
	return err
}

// PrintOne prints v as one item of a stream: JSON on a line, or a document of
// YAML.
func (f OutputFlag) PrintOne(t *Terminal, v any) error {
	text, err := f.encode(v, "")
	if err != nil {
		return err
	}
	if f.Output == "yaml" {
		text = append([]byte("---\n"), text...)
	}
	_, err = t.Stdout.Write(text)
	return err
}

// encode returns v as JSON, or as YAML with the same names in the same order.
func (f OutputFlag) encode(v any, indent string) ([]byte, error) {
	if f.Output == "csv" || f.Output == "name" {
		return nil, Usagef("--output: only a list is printed as %s", f.Output)
	}
	text, err := encodeJSON(v, indent)
	if err == nil && f.Output == "yaml" {
		return ToYAML(text, nil)
	}
	return text, err
}

// JSON returns v as JSON on one line, without a line break at its end.
func JSON(v any) string {
	text, err := encodeJSON(v, "")
	if err != nil {
		return fmt.Sprint(v) // cannot happen to values that come from JSON
	}
	return strings.TrimSuffix(string(text), "\n")
}

func encodeJSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return EscapeJSON(b.Bytes()), err
}

// ToYAML returns JSON as YAML in block style, with what style, unless nil, changes of it.
func ToYAML(text []byte, style func(*yaml.Node)) ([]byte, error) {
	n, err := ParseJSON(text)
	if err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	if style != nil {
		style(n)
	}
	return YAML(n)
}

// YAML returns a node as a text in block style.
func YAML(n *yaml.Node) ([]byte, error) {
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	if err := e.Close(); err != nil {
		return nil, err
	}
	return EscapeYAML(b.Bytes()), nil
}

// ParseJSON returns one JSON value as YAML, with its members in order and its
// numbers as they are written.
func ParseJSON(text []byte) (*yaml.Node, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return nodeOf(d)
}

// YAMLNumber matches the numbers of YAML's core schema. The library takes some that are large
// for texts.
var YAMLNumber = regexp.MustCompile(`^([-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?|0o[0-7]+|0x[0-9a-fA-F]+)$`)

// nodeOf reads the next value.
func nodeOf(d *json.Decoder) (*yaml.Node, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	scalar := func(tag, value string) *yaml.Node {
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: tag, Value: value}
	}
	switch v := token.(type) {
	case string:
		n := scalar("!!str", v)
		if strings.HasPrefix(strings.TrimLeft(v, "\n "), "\t") || hides([]byte(v)) || YAMLNumber.MatchString(v) {
			n.Style = yaml.DoubleQuotedStyle // a block must not begin with a tab, and has no escapes
		}
		return n, nil
	case json.Number:
		return scalar("", v.String()), nil // with a tag, large ones would show it
	case bool:
		return scalar("!!bool", strconv.FormatBool(v)), nil
	case nil:
		return scalar("!!null", "null"), nil
	}
	n := &yaml.Node{Kind: yaml.SequenceNode}
	if token == json.Delim('{') {
		n.Kind = yaml.MappingNode
	}
	for d.More() { // names and values in turn, or items
		inner, err := nodeOf(d)
		if err != nil {
			return nil, err
		}
		n.Content = append(n.Content, inner)
	}
	_, err = d.Token() // the end
	return n, err
}
