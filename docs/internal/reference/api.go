// Package reference writes the reference of the API from its description.
package reference

import (
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

const apiHead = `# API

Every operation and every type, written from the description of the interface by ` + "`make generate`" + `. A running service has
the description itself, as ` + "`/api/v1/openapi.json` and `/api/v1/openapi.yaml`" + `.

`

// API returns the page about the interface that an OpenAPI document describes.
func API(document []byte) (string, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(document, &root); err != nil {
		return "", err
	}
	p := &page{doc: root.Content[0]}
	p.WriteString(apiHead)
	p.paragraph(p.doc, "info", "description")
	for _, tag := range at(p.doc, "tags").Content {
		p.operations(tag)
	}
	p.WriteString("## Types\n\nFields with a star have to be there.\n\n")
	for name, schema := range members(at(p.doc, "components", "schemas")) {
		if !isEnvelope(name) {
			p.schema(name, schema)
		}
	}
	return strings.TrimRight(p.String(), "\n") + "\n", nil
}

// page is the reference while it is written.
type page struct {
	strings.Builder
	doc *yaml.Node
}

// paragraph adds a text of the document, if it has one there.
func (p *page) paragraph(n *yaml.Node, path ...string) {
	if text := strings.TrimSpace(at(n, path...).Value); text != "" {
		fmt.Fprintf(p, "%s\n\n", text)
	}
}

// operations adds those with a tag.
func (p *page) operations(tag *yaml.Node) {
	name := at(tag, "name").Value
	fmt.Fprintf(p, "## Operations: %s\n\n", name)
	p.paragraph(tag, "description")
	for path, item := range members(at(p.doc, "paths")) {
		for method, op := range members(item) {
			tags := at(op, "tags").Content
			if len(tags) > 0 && tags[0].Value == name {
				p.operation(strings.ToUpper(method)+" "+path, op, slices.Concat(at(item, "parameters").Content, at(op, "parameters").Content))
			}
		}
	}
}

func (p *page) operation(title string, op *yaml.Node, parameters []*yaml.Node) {
	fmt.Fprintf(p, "### %s\n\n", title)
	if summary := at(op, "summary").Value; summary != "" {
		fmt.Fprintf(p, "%s.\n\n", summary)
	}
	p.paragraph(op, "description")
	p.parameters(parameters)
	if body := p.resolve(at(op, "requestBody")); !body.IsZero() {
		fmt.Fprintf(p, "Body: %s\n\n", p.contents(body))
	}
	p.answers(at(op, "responses"))
}

// parameters adds a table of them, but for the one that every operation has.
func (p *page) parameters(all []*yaml.Node) {
	var rows [][]string
	for _, ref := range all {
		one := p.resolve(ref)
		name := at(one, "name").Value
		if name == "X-Request-Id" {
			continue
		}
		if at(one, "required").Value == "true" {
			name += " *"
		}
		rows = append(rows, []string{name, at(one, "in").Value, p.typeOf(at(one, "schema")), at(one, "description").Value})
	}
	p.table([]string{"parameter", "in", "type", ""}, rows)
}

// answers adds the successes; of errors, which all look the same, the statuses.
func (p *page) answers(responses *yaml.Node) {
	var rows [][]string
	var errors []string
	for status, ref := range members(responses) {
		one := p.resolve(ref)
		if status >= "4" {
			errors = append(errors, status)
			continue
		}
		rows = append(rows, []string{status, p.contents(one), at(one, "description").Value})
	}
	p.table([]string{"answer", "body", ""}, rows)
	if len(errors) > 0 {
		fmt.Fprintf(p, "Errors: %s\n\n", strings.Join(errors, ", "))
	}
}

// contents tells the types of a body.
func (p *page) contents(body *yaml.Node) string {
	byType := map[string][]string{}
	var order []string
	for media, content := range members(at(body, "content")) {
		what := p.payload(at(content, "schema"))
		if _, seen := byType[what]; !seen {
			order = append(order, what)
		}
		byType[what] = append(byType[what], "`"+media+"`")
	}
	for i, what := range order {
		order[i] = what + " as " + strings.Join(byType[what], ", ")
	}
	return strings.Join(order, "; ")
}

// payload is the type of a body, without the envelope around it.
func (p *page) payload(schema *yaml.Node) string {
	envelope := p.resolve(schema)
	data := at(envelope, "properties", "data")
	switch {
	case data.IsZero() || !isEnvelope(refName(schema)):
		return p.typeOf(schema)
	case !at(envelope, "properties", "pagination").IsZero():
		return "page of " + p.typeOf(at(data, "items"))
	}
	return p.typeOf(data)
}

// isEnvelope reports whether a schema is named for an envelope around another.
func isEnvelope(name string) bool {
	return strings.HasPrefix(name, "ApiResponse_") || strings.HasPrefix(name, "PaginatedResponse_")
}

// schema adds a type.
func (p *page) schema(name string, schema *yaml.Node) {
	fmt.Fprintf(p, "<a id=\"%s\"></a>\n\n### %s\n\n", anchor(name), name)
	p.paragraph(schema, "description")
	var required []string
	for _, n := range at(schema, "required").Content {
		required = append(required, n.Value)
	}
	var rows [][]string
	for field, of := range members(at(schema, "properties")) {
		if slices.Contains(required, field) {
			field += " *"
		}
		about := at(of, "description").Value
		if about == "" {
			about = at(p.resolve(of), "description").Value
		}
		rows = append(rows, []string{field, p.typeOf(of), about})
	}
	if len(rows) == 0 {
		fmt.Fprintf(p, "%s\n\n", p.typeOf(schema))
	}
	p.table([]string{"field", "type", ""}, rows)
}

// table adds a table, unless it is empty. The first column is code.
func (p *page) table(head []string, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	fmt.Fprintf(p, "| %s |\n|%s\n", strings.Join(head, " | "), strings.Repeat("---|", len(head)))
	for _, row := range rows {
		name, star, _ := strings.Cut(row[0], " ")
		row[0] = strings.TrimSpace("`" + name + "` " + star)
		for i, cell := range row {
			row[i] = strings.ReplaceAll(strings.Join(strings.Fields(cell), " "), "|", `\|`)
		}
		fmt.Fprintf(p, "| %s |\n", strings.Join(row, " | "))
	}
	p.WriteString("\n")
}

// resolve follows a reference inside the document.
func (p *page) resolve(n *yaml.Node) *yaml.Node {
	for ref := at(n, "$ref").Value; ref != ""; ref = at(n, "$ref").Value {
		n = at(p.doc, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	}
	return n
}

// refName is the last step of a reference.
func refName(n *yaml.Node) string {
	ref := at(n, "$ref").Value
	return ref[strings.LastIndexByte(ref, '/')+1:]
}

func anchor(schema string) string { return "type-" + strings.ToLower(schema) }

// typeOf is a schema in a few words.
func (p *page) typeOf(schema *yaml.Node) string {
	if name := refName(schema); name != "" {
		return fmt.Sprintf("[%s](#%s)", name, anchor(name))
	}
	for _, either := range []string{"anyOf", "oneOf"} {
		if all := at(schema, either).Content; len(all) > 0 {
			return p.join(all, " or ")
		}
	}
	if c := at(schema, "const"); !c.IsZero() {
		return "`" + c.Value + "`"
	}
	if words := at(schema, "enum").Content; len(words) > 0 {
		return "`" + strings.Join(valuesOf(words), "`, `") + "`"
	}
	return p.plainType(schema) + bounds(schema)
}

func (p *page) join(all []*yaml.Node, word string) string {
	var parts []string
	for _, n := range all {
		parts = append(parts, p.typeOf(n))
	}
	return strings.Join(parts, word)
}

func (p *page) plainType(schema *yaml.Node) string {
	kind := at(schema, "type")
	name := kind.Value
	if kind.Kind == yaml.SequenceNode {
		name = strings.Join(valuesOf(kind.Content), " or ")
	}
	if format := at(schema, "format").Value; format != "" && format != "int64" {
		name += " (" + format + ")"
	}
	if items := at(schema, "items"); !items.IsZero() {
		name = strings.Replace(name, "array", "list of "+p.typeOf(items), 1)
	}
	if values := at(schema, "additionalProperties"); values.Kind == yaml.MappingNode {
		name += " of " + p.typeOf(values)
	}
	return name
}

// bounds are the limits of a value.
func bounds(schema *yaml.Node) string {
	var all []string
	for _, b := range []struct{ keyword, words string }{
		{"minimum", "≥ %s"}, {"exclusiveMinimum", "> %s"}, {"maximum", "≤ %s"}, {"exclusiveMaximum", "< %s"},
		{"minLength", "at least %s long"}, {"maxLength", "at most %s long"},
		{"minItems", "at least %s"}, {"maxItems", "at most %s"}, {"maxProperties", "at most %s"},
		{"default", "default `%s`"},
	} {
		if value := at(schema, b.keyword); value.Kind == yaml.ScalarNode {
			all = append(all, fmt.Sprintf(b.words, value.Value))
		}
	}
	if len(all) == 0 {
		return ""
	}
	return ", " + strings.Join(all, ", ")
}

func valuesOf(nodes []*yaml.Node) (all []string) {
	for _, n := range nodes {
		all = append(all, n.Value)
	}
	return all
}
