package main

import (
	"fmt"
	"slices"
	"strings"
)

// typescript writes interfaces.
type typescript struct{}

const typescriptHead = "// The types of the API. Made by make generate from its description.\n"

func (typescript) scalar(kind string) string {
	return map[string]string{
		"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null", "any": "unknown",
	}[kind]
}

func (typescript) list(of string) string {
	if strings.Contains(of, " ") && !strings.HasPrefix(of, "Record<") {
		of = "(" + of + ")"
	}
	return of + "[]"
}

func (typescript) mapOf(values string) string     { return "Record<string, " + values + ">" }
func (typescript) literals(texts []string) string { return strings.Join(texts, " | ") }

func (typescript) object(name string, s schema, typ func(schema) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%sexport interface %s {\n", comment("\n", s), name)
	for _, p := range s.Properties {
		optional := ""
		if !slices.Contains(s.Required, p.name) {
			optional = "?"
		}
		fmt.Fprintf(&b, "%s  %s%s: %s;\n", comment("  ", p.schema), p.name, optional, typ(p.schema))
	}
	if s.More != nil && s.More.any {
		b.WriteString("  [key: string]: unknown;\n")
	}
	return b.String() + "}\n"
}

func (typescript) alias(name string, s schema, typ string) string {
	return fmt.Sprintf("%sexport type %s = %s;\n", comment("\n", s), name, typ)
}

func comment(before string, s schema) string {
	if doc := s.first(); doc != "" {
		return before + "/** " + doc + " */\n"
	}
	return strings.Trim(before, " ")
}
