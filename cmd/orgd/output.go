package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// outputFlag says how data is printed.
type outputFlag struct {
	Output string `short:"o" enum:"table,json,yaml" default:"table" placeholder:"FORMAT" help:"How to print: table, json or yaml (default ${default})."`
}

// resultFlag says whether what was changed is printed too.
type resultFlag struct {
	Output string `short:"o" enum:",json,yaml" default:"" placeholder:"FORMAT" help:"Also print what it is then: json or yaml."`
}

func (f resultFlag) print(p *process, v any) error {
	if f.Output == "" {
		return nil
	}
	return outputFlag(f).print(p, v, nil)
}

// print writes v on standard output, as a table if that is asked for.
func (f outputFlag) print(p *process, v any, fill func(*table)) error {
	if f.Output == "table" {
		t := p.table()
		fill(t)
		return t.flush()
	}
	text, err := f.encode(v)
	if err != nil {
		return err
	}
	_, err = p.stdout.Write(text)
	return err
}

// printOne writes v as one of several that come one after the other: JSON on a
// line, or a document of YAML.
func (f outputFlag) printOne(p *process, v any) error {
	text, err := encodeJSON(v, "")
	if err == nil && f.Output == "yaml" {
		text, err = toYAML(text)
		text = append([]byte("---\n"), text...)
	}
	if err != nil {
		return err
	}
	_, err = p.stdout.Write(text)
	return err
}

// encode is v as JSON, or as YAML with the same names in the same order.
func (f outputFlag) encode(v any) ([]byte, error) {
	text, err := encodeJSON(v, "  ")
	if err == nil && f.Output == "yaml" {
		text, err = toYAML(text)
	}
	return text, err
}

func encodeJSON(v any, indent string) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return b.Bytes(), err
}

// toYAML writes JSON as YAML in the style that people like.
func toYAML(text []byte) ([]byte, error) {
	n, err := readJSON(text)
	if err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	var b bytes.Buffer
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		return nil, fmt.Errorf("write YAML: %w", err)
	}
	return b.Bytes(), e.Close()
}

// readJSON reads one value with its members in order and its numbers as they are.
func readJSON(text []byte) (*yaml.Node, error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	return nodeOf(d)
}

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
		if strings.HasPrefix(strings.TrimLeft(v, "\n "), "\t") {
			n.Style = yaml.DoubleQuotedStyle // a block must not begin with a tab
		}
		return n, nil
	case json.Number:
		if strings.ContainsAny(v.String(), ".eE") {
			return scalar("!!float", v.String()), nil
		}
		return scalar("!!int", v.String()), nil
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
