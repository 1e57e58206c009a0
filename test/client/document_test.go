package client_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"orgd/adapters/httpapi/apidoc"
)

// node is an object of the API description.
type node = map[string]any

// document is the API description.
type document struct{ root node }

func openDocument(t *testing.T) document {
	t.Helper()
	var d document
	if err := json.Unmarshal(apidoc.JSON(), &d.root); err != nil {
		t.Fatalf("the description is not JSON: %v", err)
	}
	return d
}

// at returns the object below n with these names, with references followed.
func (d document) at(n node, names ...string) node {
	for _, name := range names {
		n = d.follow(n[name])
	}
	return n
}

// follow returns the object v, or the one that it refers to. What stands beside
// a reference is kept.
func (d document) follow(v any) node {
	n, _ := v.(node)
	ref, ok := n["$ref"].(string)
	if !ok {
		return n
	}
	to := d.at(d.root, strings.Split(strings.TrimPrefix(ref, "#/"), "/")...)
	both := maps.Clone(to)
	for name, value := range n {
		if name != "$ref" {
			both[name] = value
		}
	}
	return both
}

// operation is one method of one path.
type operation struct {
	Method, Path, ID string
	query, header    []string // names of parameters
}

func (d document) operations() []operation {
	var all []operation
	for path, item := range d.root["paths"].(node) {
		item := item.(node)
		for method, own := range item {
			if method == "parameters" {
				continue
			}
			own := own.(node)
			o := operation{Method: strings.ToUpper(method), Path: path, ID: own["operationId"].(string)}
			d.addParameters(&o, item["parameters"])
			d.addParameters(&o, own["parameters"])
			all = append(all, o)
		}
	}
	// A literal segment is closer than a parameter.
	slices.SortFunc(all, func(a, b operation) int {
		return strings.Compare(strings.ReplaceAll(a.Path, "{", "\x7f"), strings.ReplaceAll(b.Path, "{", "\x7f"))
	})
	return all
}

// addParameters adds the names in a list of parameters.
func (d document) addParameters(o *operation, list any) {
	params, _ := list.([]any)
	for _, p := range params {
		p := d.follow(p)
		switch p["in"] {
		case "query":
			o.query = append(o.query, p["name"].(string))
		case "header":
			o.header = append(o.header, http.CanonicalHeaderKey(p["name"].(string)))
		}
	}
}

// find returns the operation that a request is for.
func find(all []operation, method, escapedPath string) (operation, bool) {
	i := slices.IndexFunc(all, func(op operation) bool { return op.Method == method && matches(op.Path, escapedPath) })
	if i < 0 {
		return operation{}, false
	}
	return all[i], true
}

func matches(template, escapedPath string) bool {
	segments, want := strings.Split(escapedPath, "/"), strings.Split(template, "/")
	return slices.EqualFunc(want, segments, func(w, s string) bool { return w == s || strings.HasPrefix(w, "{") && s != "" })
}
