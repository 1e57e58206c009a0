package main

import (
	"fmt"
	"slices"
	"strings"
)

// python writes TypedDicts.
type python struct{}

const pythonHead = `"""The types of the API. Made by make generate from its description."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Literal, Optional, TypedDict, Union

if sys.version_info >= (3, 11):
    from typing import NotRequired
elif TYPE_CHECKING:
    from typing_extensions import NotRequired
`

func (python) scalar(kind string) string {
	return map[string]string{
		"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "any": "Any",
	}[kind]
}

func (python) list(of string) string          { return "list[" + of + "]" }
func (python) mapOf(values string) string     { return "dict[str, " + values + "]" }
func (python) literals(texts []string) string { return "Literal[" + strings.Join(texts, ", ") + "]" }

func (python) object(name string, s schema, typ func(schema) string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "\n\nclass %s(TypedDict):\n", name)
	if doc := s.first(); doc != "" {
		fmt.Fprintf(&b, "    \"\"\"%s\"\"\"\n\n", doc)
	}
	for _, p := range s.Properties {
		t := typ(p.schema)
		if !slices.Contains(s.Required, p.name) {
			t = "NotRequired[" + t + "]"
		}
		fmt.Fprintf(&b, "    %s: %s\n", p.name, t)
		if doc := p.first(); doc != "" {
			fmt.Fprintf(&b, "    \"\"\"%s\"\"\"\n", doc)
		}
	}
	return b.String()
}

// An alias is evaluated when the module is loaded, and Python 3.10 has no "|" for texts.
func (python) alias(name string, _ schema, typ string) string {
	parts := strings.Split(typ, " | ")
	last := len(parts) - 1
	switch {
	case len(parts) == 1:
		return fmt.Sprintf("\n%s = %s\n", name, typ)
	case parts[last] == "None":
		return fmt.Sprintf("\n%s = Optional[%s]\n", name, strings.Join(parts[:last], ", "))
	}
	return fmt.Sprintf("\n%s = Union[%s]\n", name, strings.Join(parts, ", "))
}
