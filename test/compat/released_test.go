// Package compat compares the API description with that of the last release, so that what
// clients were promised is kept. It is a module of its own, because oasdiff (Apache-2.0) is
// for tests only.
package compat

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/oasdiff/oasdiff/checker"
	"github.com/oasdiff/oasdiff/diff"
	"github.com/oasdiff/oasdiff/load"
	"go.yaml.in/yaml/v3"
)

const (
	description = "../../adapters/httpapi/apidoc/openapi.yaml"
	// released is the description of the last release. docs/releases.md says when and how it is
	// replaced.
	released = "testdata/released.yaml.gz"
)

type node = map[string]any

// withdrawn are operations that were taken away although clients may use them, because they did harm. docs/releases.md
// says when that may be.
var withdrawn = []string{
	"/api/v1/auth/oidc/device", // strangers made the service call the identity provider, as often as they liked
}

// withdrawnYAML are parts of the description that had YAML beside JSON, by their kind.
var withdrawnYAML = map[string]string{"requestBodies": "OrganizationBody", "responses": "Organization"}

// Nothing that a client of the last release relies on is gone, but what was withdrawn.
func TestNothingBreaks(t *testing.T) {
	before, after := readReleased(t), readCurrent(t)
	for kind, name := range withdrawnYAML {
		content := func(doc node) node { return object(doc["components"].(node)[kind].(node), name)["content"].(node) }
		if content(before)["application/yaml"] == nil || content(after)["application/yaml"] != nil {
			t.Errorf("the YAML of %s is not withdrawn since the last release", name)
		}
		delete(content(before), "application/yaml")
	}
	for _, path := range withdrawn {
		paths := before["paths"].(node)
		if paths[path] == nil || after["paths"].(node)[path] != nil {
			t.Errorf("%s is not withdrawn since the last release", path)
		}
		delete(paths, path)
	}
	for _, change := range breaks(t, before, after) {
		t.Errorf("this breaks clients of the last release, see docs/releases.md: %s", change)
	}
}

// What breaks clients is noticed.
func TestBreaksAreNoticed(t *testing.T) {
	for what, change := range map[string]func(paths, schemas node){
		"operation": func(paths, _ node) { delete(paths, "/api/v1/audit") },
		"method":    func(paths, _ node) { delete(paths["/api/v1/company"].(node), "patch") },
		"field of an answer": func(_, schemas node) {
			delete(properties(schemas, "Project"), "budget")
			object(schemas, "Project")["required"] = without(object(schemas, "Project")["required"].([]any), "budget")
		},
		"type of an answer": func(_, schemas node) { properties(schemas, "Webhook")["enabled"] = node{"type": "string"} },
		"answer that may be null": func(_, schemas node) {
			properties(schemas, "Project")["status"] = node{"anyOf": []any{node{"$ref": "#/components/schemas/ProjectStatus"}, node{"type": "null"}}}
		},
		"new required field": func(_, schemas node) {
			properties(schemas, "CreateProjectRequest")["owner"] = node{"type": "string"}
			object(schemas, "CreateProjectRequest")["required"] = []any{"name", "owner"}
		},
		"field of a request": func(_, schemas node) { delete(properties(schemas, "CreateProjectRequest"), "budget") },
		"bound of a request": func(_, schemas node) { object(schemas, "AgentRole")["maxLength"] = 100 },
		"word of a request":  func(_, schemas node) { object(schemas, "AgentLevel")["enum"] = []any{"junior", "mid"} },
	} {
		doc := readCurrent(t)
		change(doc["paths"].(node), doc["components"].(node)["schemas"].(node))
		if len(breaks(t, readCurrent(t), doc)) == 0 {
			t.Errorf("%s: nothing is noticed", what)
		}
	}
}

// What clients must tolerate is not taken for a break.
func TestAdditionsAreAllowed(t *testing.T) {
	for what, change := range map[string]func(paths, schemas node){
		"operation": func(paths, _ node) {
			paths["/api/v1/more"] = node{"get": node{"operationId": "more.get", "responses": node{"200": node{"description": "More."}}}}
		},
		"field of an answer": func(_, schemas node) {
			properties(schemas, "Project")["owner"] = node{"type": "string"}
			object(schemas, "Project")["required"] = append(object(schemas, "Project")["required"].([]any), "owner")
		},
		"field of a request": func(_, schemas node) { properties(schemas, "CreateProjectRequest")["owner"] = node{"type": "string"} },
		"word": func(_, schemas node) {
			object(schemas, "EventType")["enum"] = append(object(schemas, "EventType")["enum"].([]any), "more")
		},
		"request that may be null": func(_, schemas node) {
			properties(schemas, "UpdateProjectRequest")["name"] = node{"anyOf": []any{node{"$ref": "#/components/schemas/ProjectName"}, node{"type": "null"}}}
		},
	} {
		doc := readCurrent(t)
		change(doc["paths"].(node), doc["components"].(node)["schemas"].(node))
		if all := breaks(t, readCurrent(t), doc); len(all) > 0 {
			t.Errorf("%s: is taken for a break: %s", what, all)
		}
	}
}

func object(schemas node, name string) node     { return schemas[name].(node) }
func properties(schemas node, name string) node { return object(schemas, name)["properties"].(node) }

func without(list []any, item string) (rest []any) {
	for _, v := range list {
		if v != item {
			rest = append(rest, v)
		}
	}
	return rest
}

func readReleased(t *testing.T) node {
	t.Helper()
	packed, err := os.ReadFile(released)
	if err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, text)
}

func readCurrent(t *testing.T) node {
	t.Helper()
	text, err := os.ReadFile(description)
	if err != nil {
		t.Fatal(err)
	}
	return parse(t, text)
}

func parse(t *testing.T, text []byte) (doc node) {
	t.Helper()
	if err := yaml.Unmarshal(text, &doc); err != nil {
		t.Fatal(err)
	}
	return doc
}

// refused are changes that oasdiff only warns of: requests are strict, so what is no longer
// known is an error.
var refused = map[string]bool{"request-property-removed": true, "request-parameter-removed": true}

// isTolerated reports whether a change is one that clients are told to expect: another word
// in an answer.
func isTolerated(id string) bool {
	return strings.HasPrefix(id, "response-") && strings.HasSuffix(id, "-enum-value-added")
}

// breaks returns what oasdiff says that breaks clients.
func breaks(t *testing.T, before, after node) (all []string) {
	t.Helper()
	from, to := spec(t, before, "released"), spec(t, after, "now")
	report, sources, err := diff.GetWithOperationsSourcesMap(diff.NewConfig(), from, to)
	if err != nil {
		t.Fatal(err)
	}
	words := checker.NewDefaultLocalizer()
	for _, change := range checker.CheckBackwardCompatibility(checker.NewConfig(checker.GetAllChecks()), report, sources) {
		id := change.GetId()
		if (change.GetLevel() == checker.ERR || refused[id]) && !isTolerated(id) {
			all = append(all, change.SingleLineError(words, checker.ColorNever))
		}
	}
	return all
}

func spec(t *testing.T, doc node, name string) *load.SpecInfo {
	t.Helper()
	schemas := doc["components"].(node)["schemas"].(node)
	text, err := json.Marshal(plain(schemas, doc))
	if err != nil {
		t.Fatal(err)
	}
	loaded, err := openapi3.NewLoader().LoadFromData(text)
	if err != nil {
		t.Fatal(err)
	}
	return &load.SpecInfo{Url: name, Spec: loaded, Version: loaded.Info.Version}
}

// plain writes what is one of a schema and null as that schema with null among its types:
// oasdiff compares lists of alternatives by their texts.
func plain(schemas node, v any) any {
	switch x := v.(type) {
	case node:
		if list, ok := x["anyOf"].([]any); ok && len(list) == 2 && isNull(list[1]) {
			return nullable(schemas, x, list[0].(node))
		}
		out := node{}
		for name, member := range x {
			out[name] = plain(schemas, member)
		}
		return out
	case []any:
		out := make([]any, len(x))
		for i, item := range x {
			out[i] = plain(schemas, item)
		}
		return out
	}
	return v
}

func isNull(v any) bool {
	n, ok := v.(node)
	return ok && n["type"] == "null"
}

func nullable(schemas, around, schema node) any {
	if ref, ok := schema["$ref"].(string); ok {
		schema = schemas[ref[strings.LastIndexByte(ref, '/')+1:]].(node)
	}
	out := maps.Clone(schema)
	if typ, ok := out["type"].(string); ok {
		out["type"] = []any{typ, "null"}
	}
	for name, member := range around {
		if name != "anyOf" {
			out[name] = member
		}
	}
	return plain(schemas, out)
}
