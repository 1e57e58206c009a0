package apidoc_test

import (
	"bytes"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"orgd/adapters/httpapi/apidoc"
)

// schemas compiles the schemas of the document where they stand.
func schemas(t *testing.T) func(pointer string) *jsonschema.Schema {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(apidoc.JSON()))
	if err != nil {
		t.Fatalf("UnmarshalJSON = %v", err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.AssertFormat()
	if err := c.AddResource("doc:openapi", doc); err != nil {
		t.Fatalf("AddResource = %v", err)
	}
	return func(pointer string) *jsonschema.Schema {
		t.Helper()
		s, err := c.Compile("doc:openapi#" + strings.NewReplacer("{", "%7B", "}", "%7D").Replace(pointer))
		if err != nil {
			t.Fatalf("Compile(%s) = %v", pointer, err)
		}
		return s
	}
}

// Every body has an example, and every example is what its schema says.
func TestExamplesOfBodies(t *testing.T) {
	d, schema := open(t), schemas(t)
	count := 0
	for _, at := range d.mediaTypes() {
		m, _ := d.object(at)
		examples, _ := m["examples"].(node)
		if len(examples) == 0 {
			t.Errorf("%s: has no example", at)
		}
		s := schema(at + "/schema")
		for name := range examples {
			count++
			e, from := d.object(at + "/examples/" + escape(name))
			if err := s.Validate(e["value"]); err != nil {
				t.Errorf("%s: %s: %v", at, from, err)
			}
			if e["summary"] == nil {
				t.Errorf("%s: has no summary", from)
			}
		}
	}
	if count < 150 {
		t.Errorf("%d examples were checked, want at least 150", count)
	}
}

// mediaTypes returns the pointers to the contents of all bodies.
func (d document) mediaTypes() []string {
	found := map[string]bool{}
	add := func(at string) {
		body, at := d.object(at)
		content, _ := body["content"].(node)
		for media := range content {
			found[at+"/content/"+escape(media)] = true
		}
	}
	for at := range d.responses() {
		add(at)
	}
	for _, op := range d.operations() {
		if op.node["requestBody"] != nil {
			add(op.at + "/requestBody")
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// Every parameter and header is described by a schema that its example obeys.
func TestExamplesOfParametersAndHeaders(t *testing.T) {
	d, schema := open(t), schemas(t)
	for _, kind := range []string{"parameters", "headers"} {
		list, _ := d.object("/components/" + kind)
		for name := range list {
			at := "/components/" + kind + "/" + name
			p, _ := d.object(at)
			if p["description"] == nil {
				t.Errorf("%s: has no description", at)
			}
			s := schema(at + "/schema")
			if example, ok := p["example"]; ok {
				if err := s.Validate(example); err != nil {
					t.Errorf("%s: example: %v", at, err)
				}
			} else if name != "Cursor" && name != "View" {
				t.Errorf("%s: has no example", at)
			}
		}
	}
}

// Every default is a value of its schema.
func TestDefaults(t *testing.T) {
	d, schema := open(t), schemas(t)
	d.walk(func(at string, n node) {
		v, ok := n["default"]
		if ok && strings.HasPrefix(at, "/components/") && !strings.Contains(at, "/examples/") {
			if err := schema(at).Validate(v); err != nil {
				t.Errorf("%s: default: %v", at, err)
			}
		}
	})
}

// Every schema compiles and says what it is for: objects say whether other
// members are allowed, arrays say what they hold, required members exist.
func TestSchemasAreStrict(t *testing.T) {
	d, schema := open(t), schemas(t)
	list, _ := d.object("/components/schemas")
	for name := range list {
		schema("/components/schemas/" + name)
	}
	d.walk(func(at string, n node) {
		if strings.Contains(at, "/examples/") || !strings.HasPrefix(at, "/components/schemas/") {
			return
		}
		switch n["type"] {
		case "object":
			if _, ok := n["additionalProperties"]; !ok {
				t.Errorf("%s: does not say whether it is open", at)
			}
		case "array":
			if _, ok := n["items"]; !ok {
				t.Errorf("%s: does not say what it holds", at)
			}
		}
		required, _ := n["required"].([]any)
		properties, _ := n["properties"].(node)
		for _, name := range required {
			if _, ok := properties[name.(string)]; !ok {
				t.Errorf("%s: requires %s, which it does not describe", at, name)
			}
		}
	})
}

// What the service answers is complete: every member is always there, except
// in free-form objects.
func TestAnswersAreComplete(t *testing.T) {
	d := open(t)
	seen := map[string]bool{}
	var check func(at string)
	check = func(at string) {
		n, at := d.object(at)
		if seen[at] {
			return
		}
		seen[at] = true
		properties, _ := n["properties"].(node)
		required, _ := n["required"].([]any)
		if _, ok := properties["errors"]; ok {
			required = append(slices.Clone(required), "errors") // of three requests only
		}
		if n["additionalProperties"] == false && len(required) != len(properties) && !strings.HasPrefix(at, "/components/schemas/JSONPatch/") {
			t.Errorf("%s: %d of %d members are required", at, len(required), len(properties))
		}
		for name := range properties {
			check(at + "/properties/" + name)
		}
		for _, list := range []string{"anyOf", "oneOf"} {
			items, _ := n[list].([]any)
			for i := range items {
				check(at + "/" + list + "/" + string(rune('0'+i)))
			}
		}
		for _, key := range []string{"items", "additionalProperties"} {
			if _, ok := n[key].(node); ok {
				check(at + "/" + key)
			}
		}
	}
	for at := range d.responses() {
		r, _ := d.object(at)
		content, _ := r["content"].(node)
		for media := range content {
			check(at + "/content/" + escape(media) + "/schema")
		}
	}
}
