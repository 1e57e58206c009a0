package apidoc_test

import (
	"bytes"
	"maps"
	"slices"
	"strconv"
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

// Every schema compiles and says what it is for: arrays say what they hold, required
// members exist.
func TestSchemasAreWhole(t *testing.T) {
	d, schema := open(t), schemas(t)
	list, _ := d.object("/components/schemas")
	for name := range list {
		schema("/components/schemas/" + name)
	}
	d.walk(func(at string, n node) {
		if strings.Contains(at, "/examples/") || !strings.HasPrefix(at, "/components/schemas/") {
			return
		}
		if _, ok := n["items"]; n["type"] == "array" && !ok {
			t.Errorf("%s: does not say what it holds", at)
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

// reach calls visit for every schema of a body at pointer, once in seen.
func (d document) reach(at string, seen map[string]bool, visit func(at string, n node)) {
	n, at := d.object(at)
	if seen[at] {
		return
	}
	seen[at] = true
	visit(at, n)
	properties, _ := n["properties"].(node)
	for name := range properties {
		d.reach(at+"/properties/"+name, seen, visit)
	}
	for _, list := range []string{"anyOf", "oneOf"} {
		items, _ := n[list].([]any)
		for i := range items {
			d.reach(at+"/"+list+"/"+strconv.Itoa(i), seen, visit)
		}
	}
	for _, key := range []string{"items", "additionalProperties"} {
		if _, ok := n[key].(node); ok {
			d.reach(at+"/"+key, seen, visit)
		}
	}
}

// answered calls visit for every schema of what the service sends.
func (d document) answered(visit func(at string, n node)) {
	seen := map[string]bool{}
	bodies := append(slices.Collect(maps.Keys(d.responses())), d.message().at+"/requestBody")
	for _, at := range bodies {
		r, at := d.object(at)
		content, _ := r["content"].(node)
		for media := range content {
			d.reach(at+"/content/"+escape(media)+"/schema", seen, visit)
		}
	}
}

// What the service answers is complete: every member is always there, except in free-form
// objects. Objects are open, because a later release adds members to them.
func TestAnswersAreCompleteAndOpen(t *testing.T) {
	open(t).answered(func(at string, n node) {
		properties, _ := n["properties"].(node)
		required, _ := n["required"].([]any)
		if _, ok := properties["errors"]; ok {
			required = append(slices.Clone(required), "errors") // of three requests only
		}
		if at == "/components/schemas/AgentSummary" {
			required = append(slices.Clone(required), "instructions", "matches") // not with view=summary; only with search
		}
		rest, says := n["additionalProperties"]
		if rest == false {
			t.Errorf("%s: is closed, want an object that may get more members", at)
		}
		if !says && len(required) != len(properties) && !strings.HasPrefix(at, "/components/schemas/JSONPatch/") {
			t.Errorf("%s: %d of %d members are required", at, len(required), len(properties))
		}
	})
}

// Requests are strict: objects say which other members are allowed.
func TestRequestsAreStrict(t *testing.T) {
	d := open(t)
	seen := map[string]bool{}
	for _, op := range d.operations() {
		if op.node["requestBody"] == nil {
			continue
		}
		body, at := d.object(op.at + "/requestBody")
		for media := range body["content"].(node) {
			d.reach(at+"/content/"+escape(media)+"/schema", seen, func(at string, n node) {
				if _, says := n["additionalProperties"]; n["type"] == "object" && !says {
					t.Errorf("%s: does not say whether it is open", at)
				}
			})
		}
	}
	if len(seen) < 100 {
		t.Errorf("there are %d schemas of requests, want 100 at least", len(seen))
	}
}

// Lists of words of answers say that they may get more of them.
func TestWordsMayBecomeMore(t *testing.T) {
	n := 0
	open(t).answered(func(at string, s node) {
		words, ok := s["enum"].([]any)
		if !ok || strings.HasPrefix(at, "/components/schemas/JSONPatch/") {
			return
		}
		n++
		if text, _ := s["description"].(string); !strings.Contains(text, "More may come.") {
			t.Errorf("%s: %v does not say whether more may come", at, words)
		}
	})
	if n < 30 {
		t.Errorf("there are %d lists of words, want 30 at least", n)
	}
}
