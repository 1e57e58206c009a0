package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// schema is what the types of the clients need of a schema of the description.
type schema struct {
	Ref         string    `yaml:"$ref"`
	Type        kinds     `yaml:"type"`
	Format      string    `yaml:"format"`
	Description string    `yaml:"description"`
	Required    []string  `yaml:"required"`
	Properties  members   `yaml:"properties"`
	More        *more     `yaml:"additionalProperties"`
	Items       *schema   `yaml:"items"`
	Enum        []any     `yaml:"enum"`
	Const       any       `yaml:"const"`
	Default     yaml.Node `yaml:"default"`
	Minimum     float64   `yaml:"minimum"`
	AnyOf       []schema  `yaml:"anyOf"`
	OneOf       []schema  `yaml:"oneOf"`
}

// kinds are one type, or several.
type kinds []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (k *kinds) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		*k = kinds{n.Value}
		return nil
	}
	return n.Decode((*[]string)(k))
}

// more says what properties an object has that are not listed: Values, or any.
type more struct {
	Values *schema
	any    bool
}

// UnmarshalYAML implements yaml.Unmarshaler.
func (m *more) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		return n.Decode(&m.any)
	}
	return n.Decode(&m.Values)
}

// member is a schema with its name.
type member struct {
	name string
	schema
}

// members are in the order of the description.
type members []member

// UnmarshalYAML implements yaml.Unmarshaler.
func (m *members) UnmarshalYAML(n *yaml.Node) error {
	for i := 0; i+1 < len(n.Content); i += 2 {
		one := member{name: n.Content[i].Value}
		if err := n.Content[i+1].Decode(&one.schema); err != nil {
			return fmt.Errorf("%s: %w", one.name, err)
		}
		*m = append(*m, one)
	}
	return nil
}

// isObject reports whether it becomes a type with members.
func (s schema) isObject() bool {
	return len(s.Properties) > 0 && (s.More == nil || s.More.Values == nil)
}

// refers is the name of what it refers to, "" for nothing.
func (s schema) refers() string { return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:] }

// optional are the names of the members that may be absent.
func (s schema) optional() (names []string) {
	for _, p := range s.Properties {
		if !slices.Contains(s.Required, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}

// alternatives are those of which it is one, without null; nullable says if it may be that.
func (s schema) alternatives() (some []schema, nullable bool) {
	for _, one := range slices.Concat(s.AnyOf, s.OneOf) {
		if slices.Equal(one.Type, kinds{"null"}) {
			nullable = true
			continue
		}
		some = append(some, one)
	}
	return some, nullable
}

// first is the first sentence of a description on one line.
func (s schema) first() string {
	text := strings.Join(strings.Fields(s.Description), " ")
	if end := strings.Index(text, ". "); end >= 0 {
		text = text[:end+1]
	}
	return text
}

// language writes types.
type language interface {
	// scalar is a type of the description: string, integer, number, boolean, null, object.
	scalar(kind string) string
	list(of string) string
	mapOf(values string) string
	literals(texts []string) string
	// object and alias write a named type.
	object(name string, s schema, typ func(schema) string) string
	alias(name string, s schema, typ string) string
}

// document is the part of the description that is read.
type document struct {
	Components struct {
		Schemas   members
		Responses map[string]answer
	}
}

// answer is what is read of a response.
type answer struct {
	Headers map[string]any
	Content map[string]struct{ Schema schema }
}

// tagged are the names of what is answered with an ETag.
func (d document) tagged() map[string]bool {
	names := map[string]bool{}
	for _, a := range d.Components.Responses {
		name, ok := strings.CutPrefix(a.Content["application/json"].Schema.refers(), "ApiResponse_")
		if ok && a.Headers["ETag"] != nil {
			names[name] = true
		}
	}
	return names
}

// data is what an answer as a whole has in it.
func (m member) data() (schema, bool) {
	if !strings.HasPrefix(m.name, "ApiResponse_") && !strings.HasPrefix(m.name, "PaginatedResponse_") {
		return schema{}, false
	}
	return m.Properties[0].schema, true
}

// types writes all types that have a name: objects, and words of a list. Others are written
// where they are used.
func (d document) types(l language) string {
	named := map[string]schema{}
	for _, s := range d.Components.Schemas {
		named[s.name] = s.schema
	}
	var typ func(schema) string
	typ = func(s schema) string {
		if s.Ref == "" {
			return inline(l, s, typ)
		}
		name := s.refers()
		if target := named[name]; !hasName(target) {
			return inline(l, target, typ)
		}
		return name
	}
	var words, objects, unions []string
	for _, s := range d.Components.Schemas {
		switch some, _ := s.alternatives(); {
		case isOpened(s.name):
		case s.isObject():
			objects = append(objects, l.object(s.name, s.schema, typ))
		case len(some) > 0:
			unions = append(unions, l.alias(s.name, s.schema, inline(l, s.schema, typ)))
		case hasName(s.schema):
			words = append(words, l.alias(s.name, s.schema, inline(l, s.schema, typ)))
		}
	}
	return strings.Join(slices.Concat(words, objects, unions), "")
}

// isOpened reports whether a name is that of what the clients open or never hand out: answers as a whole, where pages
// stand, errors, and the description.
func isOpened(name string) bool {
	return strings.HasPrefix(name, "ApiResponse_") || strings.HasPrefix(name, "PaginatedResponse_") || strings.HasPrefix(name, "Error") ||
		slices.Contains([]string{"Pagination", "ProblemDetail", "OpenAPIDocument"}, name)
}

// hasName reports whether a schema of the description is a type with a name.
func hasName(s schema) bool { return s.isObject() || len(s.Enum) > 0 || len(s.OneOf) > 0 }

// inline is a type without a name.
func inline(l language, s schema, typ func(schema) string) string {
	some, nullable := s.alternatives()
	var types []string
	add := func(t string) {
		if !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	switch {
	case s.Const != nil:
		add(l.literals(texts([]any{s.Const})))
	case len(s.Enum) > 0:
		add(l.literals(texts(s.Enum)))
		nullable = nullable || slices.Contains(s.Enum, nil)
	case len(some) > 0:
		for _, one := range some {
			add(typ(one))
		}
	default:
		for _, kind := range s.Type {
			add(ofKind(l, s, kind, typ))
		}
	}
	if nullable {
		add(l.scalar("null"))
	}
	if len(types) == 0 {
		return l.scalar("any")
	}
	return strings.Join(types, " | ")
}

func ofKind(l language, s schema, kind string, typ func(schema) string) string {
	switch {
	case kind == "array" && s.Items != nil:
		return l.list(typ(*s.Items))
	case kind == "object" && s.More != nil && s.More.Values != nil:
		return l.mapOf(typ(*s.More.Values))
	case kind == "object":
		return l.mapOf(l.scalar("any"))
	}
	return l.scalar(kind)
}

// texts are the words of a list, quoted for both languages, and its numbers.
func texts(values []any) []string {
	var all []string
	for _, v := range values {
		switch v := v.(type) {
		case nil:
		case string:
			all = append(all, strconv.Quote(v))
		default:
			all = append(all, fmt.Sprint(v))
		}
	}
	return all
}
