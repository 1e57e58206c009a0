package apidoc_test

import (
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pb33f/libopenapi"
	validator "github.com/pb33f/libopenapi-validator"
	"go.yaml.in/yaml/v3"

	"orgd/adapters/httpapi/apidoc"
)

// node is an object of the document.
type node = map[string]any

// document is the whole document, to be walked by pointers.
type document struct {
	t    *testing.T
	root node
}

func open(t *testing.T) document {
	t.Helper()
	d := document{t: t}
	if err := json.Unmarshal(apidoc.JSON(), &d.root); err != nil {
		t.Fatalf("Unmarshal(JSON()) = %v", err)
	}
	return d
}

// What is served is what was written.
func TestCompressedDocumentIsUpToDate(t *testing.T) {
	written, err := os.ReadFile("openapi.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(apidoc.YAML(), written) {
		t.Error("openapi.yaml.gz is not openapi.yaml; run make generate")
	}
}

// find returns what a JSON Pointer points at, or false.
func (d document) find(pointer string) (any, bool) {
	var at any = d.root
	for _, step := range strings.Split(pointer, "/")[1:] {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch x := at.(type) {
		case node:
			next, ok := x[step]
			if !ok {
				return nil, false
			}
			at = next
		case []any:
			i, err := strconv.Atoi(step)
			if err != nil || i < 0 || i >= len(x) {
				return nil, false
			}
			at = x[i]
		default:
			return nil, false
		}
	}
	return at, true
}

// object returns the object at a pointer and where it really is: references
// are followed.
func (d document) object(pointer string) (node, string) {
	d.t.Helper()
	for {
		v, _ := d.find(pointer)
		n, ok := v.(node)
		if !ok {
			d.t.Fatalf("%s is %T, want an object", pointer, v)
		}
		ref, ok := n["$ref"].(string)
		if !ok {
			return n, pointer
		}
		pointer = strings.TrimPrefix(ref, "#")
	}
}

// operation is one operation and where it is.
type operation struct {
	Method, Path, ID string
	at               string
	node             node
}

func (d document) operations() []operation {
	var all []operation
	paths := d.root["paths"].(node)
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		for _, method := range slices.Sorted(maps.Keys(paths[path].(node))) {
			if method == "parameters" {
				continue
			}
			at := "/paths/" + escape(path) + "/" + method
			n, _ := d.object(at)
			id, _ := n["operationId"].(string)
			all = append(all, operation{strings.ToUpper(method), path, id, at, n})
		}
	}
	return all
}

// message returns what the service sends to the endpoint of a webhook. It is a callback, not one
// of the document's webhooks, of which generators make operations of the service.
func (d document) message() operation {
	d.t.Helper()
	at := "/paths/~1api~1v1~1webhooks/post/callbacks/message/{$request.body#~1url}/post"
	n, _ := d.object(at)
	id, _ := n["operationId"].(string)
	return operation{"POST", "{$request.body#/url}", id, at, n}
}

func escape(step string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(step) }

// parameters returns the pointers to the parameters of op, those of its path
// included.
func (d document) parameters(op operation) []string {
	var all []string
	for _, at := range []string{op.at[:strings.LastIndex(op.at, "/")], op.at} {
		list, _ := d.find(at + "/parameters")
		items, _ := list.([]any)
		for i := range items {
			_, param := d.object(at + "/parameters/" + strconv.Itoa(i))
			all = append(all, param)
		}
	}
	return all
}

// walk calls visit for every object of the document.
func (d document) walk(visit func(pointer string, n node)) {
	var step func(at string, v any)
	step = func(at string, v any) {
		switch x := v.(type) {
		case node:
			visit(at, x)
			for _, k := range slices.Sorted(maps.Keys(x)) {
				step(at+"/"+escape(k), x[k])
			}
		case []any:
			for i, item := range x {
				step(at+"/"+strconv.Itoa(i), item)
			}
		}
	}
	step("", d.root)
}

func TestJSONSaysWhatYAMLSays(t *testing.T) {
	var want any
	if err := yaml.Unmarshal(apidoc.YAML(), &want); err != nil {
		t.Fatalf("Unmarshal(YAML()) = %v", err)
	}
	text, err := json.Marshal(want)
	if err != nil {
		t.Fatalf("Marshal = %v", err)
	}
	want = nil
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatalf("Unmarshal = %v", err)
	}
	if diff := cmp.Diff(want, any(open(t).root)); diff != "" {
		t.Errorf("JSON() (-YAML +JSON):\n%s", diff)
	}
}

func TestDocumentIsOpenAPI(t *testing.T) {
	for form, text := range map[string][]byte{"YAML": apidoc.YAML(), "JSON": apidoc.JSON()} {
		d, err := libopenapi.NewDocument(text)
		if err != nil {
			t.Fatalf("%s: NewDocument = %v", form, err)
		}
		if d.GetVersion() != "3.1.0" {
			t.Errorf("%s: openapi = %s, want 3.1.0", form, d.GetVersion())
		}
		model, err := d.BuildV3Model()
		if err != nil {
			t.Fatalf("%s: BuildV3Model = %v", form, err)
		}
		if got := model.Model.Info.Version; got != "0.8.9" {
			t.Errorf("%s: info.version = %s, want 0.8.9", form, got)
		}
		v, errs := validator.NewValidator(d)
		if len(errs) > 0 {
			t.Fatalf("%s: NewValidator = %v", form, errs)
		}
		if ok, errs := v.ValidateDocument(); !ok {
			t.Errorf("%s: ValidateDocument = %v", form, errs)
		}
	}
}

func TestReferences(t *testing.T) {
	d := open(t)
	used := map[string]bool{}
	d.walk(func(at string, n node) {
		ref, ok := n["$ref"].(string)
		if !ok {
			return
		}
		if _, ok := d.find(strings.TrimPrefix(ref, "#")); !ok || !strings.HasPrefix(ref, "#/") {
			t.Errorf("%s: $ref %s leads nowhere", at, ref)
		}
		used[strings.TrimPrefix(ref, "#")] = true
	})
	for kind, list := range d.root["components"].(node) {
		for name := range list.(node) {
			if at := "/components/" + kind + "/" + name; kind != "securitySchemes" && !used[at] {
				t.Errorf("%s: nobody refers to it", at)
			}
		}
	}
}

func TestOperationsAreDescribed(t *testing.T) {
	d := open(t)
	tags := map[string]bool{}
	for _, tag := range d.root["tags"].([]any) {
		tags[tag.(node)["name"].(string)] = true
	}
	ids := map[string]bool{}
	for _, op := range d.operations() {
		if op.ID == "" || ids[op.ID] {
			t.Errorf("%s %s: operationId %q is missing or used twice", op.Method, op.Path, op.ID)
		}
		ids[op.ID] = true
		for _, field := range []string{"summary", "description"} {
			if text, _ := op.node[field].(string); text == "" {
				t.Errorf("%s: has no %s", op.ID, field)
			}
		}
		list, _ := op.node["tags"].([]any)
		if len(list) != 1 || !tags[list[0].(string)] {
			t.Errorf("%s: tags = %v, want one of the document's", op.ID, list)
		}
		for _, field := range strings.Split(op.Path, "/") {
			name, isParameter := strings.CutPrefix(field, "{")
			if isParameter && !d.hasParameter(op, "path", strings.TrimSuffix(name, "}")) {
				t.Errorf("%s: path parameter %s is not described", op.ID, field)
			}
		}
	}
}

func (d document) hasParameter(op operation, in, name string) bool {
	return slices.ContainsFunc(d.parameters(op), func(at string) bool {
		p, _ := d.object(at)
		return p["in"] == in && p["name"] == name
	})
}
