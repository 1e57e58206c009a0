package main

import (
	"bytes"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// orNullRef is a member that refers to a component and may be null.
var orNullRef = regexp.MustCompile(`^( *)anyOf: \[\{\$ref: '#/components/schemas/(\w+)'\}, \{type: 'null'\}\]\n$`)

// withNullables writes references to scalars and maps that may be null as such with two types:
// generators lose the null of the others. Lists of words stay, as types of their own.
func withNullables(text []byte) ([]byte, error) {
	var doc struct {
		Components struct{ Schemas map[string]yaml.Node }
	}
	if err := yaml.Unmarshal(text, &doc); err != nil {
		return nil, err
	}
	var out []byte
	lines := bytes.SplitAfter(text, []byte("\n"))
	for i, line := range lines {
		m := orNullRef.FindSubmatch(line)
		if m == nil {
			out = append(out, line...)
			continue
		}
		inline, err := nullable(doc.Components.Schemas[string(m[2])], string(m[1]), isDescribed(lines[i+1:], m[1]))
		if err != nil {
			return nil, err
		}
		if inline == nil {
			inline = line
		}
		out = append(out, inline...)
	}
	return out, nil
}

// isDescribed reports whether a description is among the members that follow.
func isDescribed(lines [][]byte, indent []byte) bool {
	for _, line := range lines {
		rest, ok := bytes.CutPrefix(line, indent)
		if !ok {
			return false
		}
		if bytes.HasPrefix(rest, []byte("description:")) {
			return true
		}
	}
	return false
}

// nullable returns the keywords of a scalar or map that may be null, a line each, nil of
// anything else. Without its description, if it is described already.
func nullable(schema yaml.Node, indent string, described bool) (lines []byte, err error) {
	for i := 0; i+1 < len(schema.Content); i += 2 {
		key, value := schema.Content[i].Value, schema.Content[i+1]
		switch {
		case key == "enum", key == "properties", key == "type" && (value.Kind != yaml.ScalarNode || value.Value == "array"):
			return nil, nil
		case key == "description" && described:
			continue
		case key == "type":
			lines = append(lines, indent+"type: ["+value.Value+", 'null']\n"...)
			continue
		}
		text, err := yaml.Marshal(value)
		if err != nil {
			return nil, err
		}
		if bytes.Count(text, []byte("\n")) > 1 {
			text = bytes.ReplaceAll(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"), []byte("\n"+indent))
		}
		lines = append(lines, indent+key+": "+strings.TrimSpace(string(text))+"\n"...)
	}
	return lines, nil
}
