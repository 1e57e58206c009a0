package main

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"orgd/adapters/httpapi/apidoc/fields"
)

// kind is what has to be known of a component.
type kind struct{ Type any }

// nullable reports whether null is a value of it.
func (k kind) nullable() bool {
	list, _ := k.Type.([]any)
	return len(list) > 1 && list[1] == "null"
}

// writer writes schemas, each line with its indentation.
type writer struct {
	bytes.Buffer
	kinds map[string]kind
	nouns map[string]fields.Noun
	err   error
}

func (w *writer) line(indent int, format string, args ...any) {
	fmt.Fprintf(w, "%*s%s\n", indent, "", fmt.Sprintf(format, args...))
}

// schemas returns the components that are made of the lists.
func schemas(kinds map[string]kind) ([]byte, error) {
	w := writer{kinds: kinds, nouns: map[string]fields.Noun{}}
	nouns := fields.All()
	for _, n := range nouns {
		w.nouns[n.Name] = n
	}
	for _, n := range nouns {
		for form := fields.Whole; form <= fields.Entry; form <<= 1 {
			if s, ok := n.Schemas[form]; ok {
				w.noun(n, form, s)
			}
		}
	}
	for _, e := range fields.Envelopes {
		w.envelope(e)
	}
	return w.Bytes(), w.err
}

func (w *writer) noun(n fields.Noun, form fields.Form, s fields.Schema) {
	var own []fields.Field
	var required []string
	for _, f := range n.Fields {
		if !f.StandsIn(form) {
			continue
		}
		own = append(own, f)
		if form&fields.Answers&^f.Maybe != 0 || f.Must&form != 0 {
			required = append(required, f.Name)
		}
	}
	w.object(s.Name, s.Doc, n.Open, form&fields.Answers != 0, required)
	if both := n.Together; both[0] != "" && form == fields.Change {
		w.line(6, "dependentRequired:")
		w.line(8, "%s: [%s]", both[0], both[1])
		w.line(8, "%s: [%s]", both[1], both[0])
	}
	w.line(6, "properties:")
	for _, f := range own {
		w.field(f, form)
	}
}

// object writes how a component begins that is an object. Answers may have other members: a
// later release adds some.
func (w *writer) object(name, doc string, open, answer bool, required []string) {
	w.line(4, "%s:", name)
	w.line(6, "type: object")
	if doc != "" {
		w.line(6, "description: %s", text(doc))
	}
	if !answer {
		w.line(6, "additionalProperties: %t", open)
	}
	switch list := strings.Join(required, ", "); {
	case list == "":
	case len(list) < 100:
		w.line(6, "required: [%s]", list)
	default:
		w.line(6, "required:")
		for _, name := range required {
			w.line(8, "- %s", name)
		}
	}
}

// field writes a member of an object in a form.
func (w *writer) field(f fields.Field, form fields.Form) {
	schema, nullable := w.schema(f, form)
	rest := [][2]string{}
	if form == fields.Create {
		switch {
		case f.Default != "":
			rest = append(rest, [2]string{"default", f.Default})
		case f.Null && w.kinds[f.Kind].Type != "object": // ogen has no defaults of objects
			rest = append(rest, [2]string{"default", "null"})
		}
	}
	if doc := docOf(f, form); doc != "" {
		rest = append(rest, [2]string{"description", text(doc)})
	}
	absent := form&(fields.Create|fields.Entry) != 0 && f.Must&form == 0 // as null is
	if (f.Null || absent) && !nullable {
		schema = orNull(schema)
	}
	if len(rest) == 0 && len(schema) == 1 && schema[0][0] == "$ref" {
		w.line(8, "%s: {$ref: %s}", f.Name, schema[0][1])
		return
	}
	w.line(8, "%s:", f.Name)
	for _, pair := range append(schema, rest...) {
		w.line(10, "%s: %s", pair[0], pair[1])
	}
}

func docOf(f fields.Field, form fields.Form) string {
	for forms, doc := range f.Docs {
		if forms&form != 0 {
			return doc
		}
	}
	return f.Doc
}

// schema returns the keywords of what a field holds in a form, and whether null is in it.
func (w *writer) schema(f fields.Field, form fields.Form) (keywords [][2]string, nullable bool) {
	name := f.Kind
	if f.In != "" && form&fields.Requests != 0 {
		name = f.In
	}
	for forms, kind := range f.Kinds {
		if forms&form != 0 {
			name = kind
		}
	}
	if strings.HasPrefix(name, "{") {
		return inline(name), false
	}
	if f.List == 0 {
		ref, nullable := w.ref(name, form)
		return [][2]string{{"$ref", ref}}, nullable
	}
	if form&fields.Requests != 0 {
		form = fields.Create // lists are replaced
	}
	keywords = [][2]string{{"type", "array"}}
	if f.List != fields.NoEnd {
		keywords = append(keywords, [2]string{"maxItems", fmt.Sprint(f.List)})
	}
	if f.Unique {
		keywords = append(keywords, [2]string{"uniqueItems", "true"})
	}
	ref, _ := w.ref(name, form)
	return append(keywords, [2]string{"items", "{$ref: " + ref + "}"}), false
}

// ref returns a reference to a kind, which may be a noun in a form, and whether null is in it.
func (w *writer) ref(name string, form fields.Form) (ref string, nullable bool) {
	k, isKind := w.kinds[name]
	n, isNoun := w.nouns[name]
	if isNoun && !isKind {
		s, ok := n.Schemas[form]
		if !ok {
			s = n.Schemas[fields.Whole]
		}
		if name = s.Name; name == "" || form&fields.Requests != 0 && !ok {
			w.err = fmt.Errorf("noun %s has no form %b", n.Name, form)
		}
	} else if !isKind {
		w.err = fmt.Errorf("there is no component %s", name)
	}
	return "'#/components/schemas/" + name + "'", k.nullable()
}

// inline splits a schema in braces.
func inline(schema string) (keywords [][2]string) {
	for _, m := range regexp.MustCompile(`(\w+): ('[^']*'|\[[^]]*\]|\{[^}]*\}|[^,}]+)`).FindAllStringSubmatch(schema, -1) {
		keywords = append(keywords, [2]string{m[1], m[2]})
	}
	return keywords
}

// orNull lets a schema be null.
func orNull(keywords [][2]string) [][2]string {
	keywords = slices.Clone(keywords)
	if keywords[0][0] == "type" {
		keywords[0][1] = "[" + keywords[0][1] + ", 'null']"
		return keywords
	}
	return [][2]string{{"anyOf", "[{$ref: " + keywords[0][1] + "}, {type: 'null'}]"}}
}

// text writes a text, with quotes where YAML needs them.
func text(s string) string {
	plain := regexp.MustCompile(`^[A-Za-z0-9][^:#]*$`)
	if plain.MatchString(s) {
		return s
	}
	return quoted(s)
}

func quoted(s string) string { return "'" + strings.ReplaceAll(s, "'", "''") + "'" }

func (w *writer) envelope(e fields.Envelope) {
	ref := "'#/components/schemas/" + e.Kind + "'"
	name, data := "ApiResponse_"+e.Kind, "{$ref: "+ref+"}"
	required := []string{"data", "error", "error_detail", "success"}
	switch e.Form {
	case fields.OneOrNull:
		name, data = name+"OrNull", "{anyOf: [{$ref: "+ref+"}, {type: 'null'}]}"
	case fields.List:
		name, data = name+"List", "{type: array, items: {$ref: "+ref+"}}"
	case fields.Page:
		if e.Kind == "AgentConfig" {
			data = "{anyOf: [{$ref: '#/components/schemas/AgentSummary'}, {$ref: '#/components/schemas/DeletedAgent'}]}"
		}
		name, data = "PaginatedResponse_"+e.Kind, "{type: array, maxItems: 200, items: "+data+"}"
		required = append(required, "pagination", "degraded_sources")
	}
	w.object(name, e.Doc, false, true, required)
	w.line(6, "properties:")
	w.line(8, "data: %s", data)
	w.line(8, "error: {$ref: '#/components/schemas/Nothing'}")
	w.line(8, "error_detail: {$ref: '#/components/schemas/Nothing'}")
	w.line(8, "success: {type: boolean, description: True in every success.}")
	if e.Form == fields.Page {
		w.line(8, "pagination: {$ref: '#/components/schemas/Pagination'}")
		w.line(8, "degraded_sources: {$ref: '#/components/schemas/DegradedSources'}")
	}
}
